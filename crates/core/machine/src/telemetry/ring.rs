//! Rows of numbers in a bounded amount of memory.
//!
//! When it is full every second row is left out. Counters lose nothing by that: they only grow, so
//! the next row says what both stretches saw. A gauge is merged with the one that is left out, by
//! what matters of it: the highest temperature, the lowest clock, every bit that was set.

use super::NONE;

/// How two values of a column become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    Later,
    Highest,
    Lowest,
    Bits,
}

impl Keep {
    fn merge(self, earlier: u64, later: u64) -> u64 {
        match self {
            Keep::Later => later,
            Keep::Highest | Keep::Lowest | Keep::Bits if earlier == NONE => later,
            Keep::Highest | Keep::Lowest | Keep::Bits if later == NONE => earlier,
            Keep::Highest => earlier.max(later),
            Keep::Lowest => earlier.min(later),
            Keep::Bits => earlier | later,
        }
    }
}

/// Rows of the same width, oldest first. Allocates once.
#[derive(Clone, Debug)]
pub struct RowRing {
    columns: Vec<Keep>,
    most: usize,
    rows: Vec<u64>,
}

impl RowRing {
    /// Room for `most` rows (at least 4) with these columns; the first column is the time.
    pub fn new(columns: Vec<Keep>, most: usize) -> RowRing {
        let most = most.max(4);
        let rows = Vec::with_capacity(most * columns.len());
        RowRing { columns, most, rows }
    }

    pub fn clear(&mut self) {
        self.rows.clear();
    }

    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// Adds a row; one of another width is not taken.
    pub fn push(&mut self, row: &[u64]) {
        if row.len() != self.width() || row.is_empty() {
            return;
        }
        if self.rows.len() >= self.most * self.width() {
            self.halve();
        }
        self.rows.extend_from_slice(row);
    }

    /// Merges neighbours. The first row stays: all differences begin there.
    fn halve(&mut self) {
        let width = self.width();
        let count = self.rows.len() / width;
        let mut kept = 1;
        let mut at = 1;
        while at < count {
            let last = (at + 1).min(count - 1);
            for column in 0..width {
                let (earlier, later) =
                    (self.rows[at * width + column], self.rows[last * width + column]);
                self.rows[kept * width + column] = self.columns[column].merge(earlier, later);
            }
            kept += 1;
            at += 2;
        }
        self.rows.truncate(kept * width);
    }

    /// All rows, oldest first.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &[u64]> + ExactSizeIterator {
        self.rows.chunks_exact(self.width().max(1))
    }

    /// The rows of these stretches of time as if one followed the other without a gap: time begins
    /// at 0, counters grow only by what they grew inside a stretch, gauges stay as they are. A
    /// stretch reaches from its first row to its last; one with fewer than two rows adds nothing.
    pub fn joined(&self, spans: &[(u64, u64)]) -> RowRing {
        let mut joined = RowRing::new(self.columns.clone(), self.most);
        let mut sum = vec![0; self.width()];
        for (from_ns, to_ns) in spans {
            let inside = |row: &&[u64]| (*from_ns..=*to_ns).contains(&row[0]);
            let rows: Vec<&[u64]> = self.rows().filter(inside).collect();
            let [first, .., last] = rows.as_slice() else { continue };
            let skip = usize::from(!joined.rows.is_empty());
            for row in &rows[skip..] {
                let values = (0..sum.len()).map(|at| self.moved(at, sum[at], first[at], row[at]));
                joined.push(&values.collect::<Vec<u64>>());
            }
            for at in 0..sum.len() {
                let grown = self.moved(at, sum[at], first[at], last[at]);
                if self.columns[at] == Keep::Later && grown != NONE {
                    sum[at] = grown;
                }
            }
        }
        joined
    }

    /// A value of a row in a joined ring: counters go on from `sum`.
    fn moved(&self, column: usize, sum: u64, first: u64, value: u64) -> u64 {
        match self.columns[column] {
            _ if value == NONE || first == NONE => NONE,
            Keep::Later => sum + value.saturating_sub(first),
            Keep::Highest | Keep::Lowest | Keep::Bits => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn gauges_keep_what_matters() {
        let columns = vec![Keep::Later, Keep::Highest, Keep::Lowest, Keep::Bits];
        let mut ring = RowRing::new(columns, 4);
        for row in [[0, 5, 5, 1], [1, 9, NONE, 2], [2, 7, 3, 4], [3, 1, 8, 8], [4, 2, 2, 0]] {
            ring.push(&row);
        }
        let rows: Vec<&[u64]> = ring.rows().collect();
        assert_eq!(rows, [[0, 5, 5, 1], [2, 9, 3, 6], [3, 1, 8, 8], [4, 2, 2, 0]]);
    }

    #[test]
    fn joined_stretches_leave_out_what_happened_between_them() {
        let mut ring = RowRing::new(vec![Keep::Later, Keep::Later, Keep::Highest], 16);
        for row in [[10, 100, 1], [20, 110, 2], [30, 500, 9], [40, 510, 3], [50, NONE, 4]] {
            ring.push(&row);
        }
        let joined = ring.joined(&[(10, 20), (25, 28), (30, 40)]);
        let rows: Vec<&[u64]> = joined.rows().collect();
        assert_eq!(rows, [[0, 0, 1], [10, 10, 2], [20, 20, 3]]);
        let unknown = ring.joined(&[(40, 50)]);
        assert_eq!(unknown.rows().map(|row| row[1]).collect::<Vec<_>>(), [0, NONE]);
    }

    proptest! {
        #[test]
        fn first_and_last_row_stay_and_memory_does_not_grow(count in 1usize..600, most in 4usize..40) {
            let mut ring = RowRing::new(vec![Keep::Later, Keep::Highest], most);
            let room = ring.rows.capacity();
            for i in 0..count as u64 {
                ring.push(&[i, i * i % 97]);
            }
            let rows: Vec<&[u64]> = ring.rows().collect();
            prop_assert!(rows.len() <= most);
            prop_assert_eq!(rows[0][0], 0);
            prop_assert_eq!(rows[rows.len() - 1][0], count as u64 - 1);
            prop_assert!(rows.windows(2).all(|pair| pair[0][0] < pair[1][0]));
            let highest = (0..count as u64).map(|i| i * i % 97).max();
            prop_assert_eq!(rows.iter().map(|r| r[1]).max(), highest);
            prop_assert_eq!(ring.rows.capacity(), room);
        }
    }
}
