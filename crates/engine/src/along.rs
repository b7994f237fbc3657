//! Progress along a part of a slice, so that a rate that still changes can be seen.
//!
//! Marks are set about equally far apart. When their room is used up, neighbours are merged and the
//! distance doubles, so nothing has to be known about how long the part will take.

use bakeoff_model::slice::{STRETCHES, Stretch};

/// Marks kept, from which at most [`STRETCHES`] stretches are made.
const MARKS: usize = 2 * STRETCHES;
const STEP_NS: u64 = 3_000_000;

/// Marks along one part; holds no allocated memory.
#[derive(Clone, Copy, Debug)]
pub struct Along {
    marks: [Stretch; MARKS],
    len: usize,
    step_ns: u64,
}

impl Default for Along {
    fn default() -> Along {
        Along { marks: [Stretch::default(); MARKS], len: 0, step_ns: STEP_NS }
    }
}

impl Along {
    pub fn due_ns(&self) -> u64 {
        let last = self.len.checked_sub(1).map_or(0, |at| self.marks[at].elapsed_ns);
        last.saturating_add(self.step_ns)
    }

    pub fn mark(&mut self, so_far: Stretch) {
        if so_far.elapsed_ns < self.due_ns() {
            return;
        }
        if self.len == MARKS {
            self.thin_out();
            if so_far.elapsed_ns < self.due_ns() {
                return;
            }
        }
        self.marks[self.len] = so_far;
        self.len += 1;
    }

    fn thin_out(&mut self) {
        for at in 0..self.len / 2 {
            self.marks[at] = self.marks[2 * at + 1];
        }
        self.len /= 2;
        self.step_ns = self.step_ns.saturating_mul(2);
    }

    pub fn end(mut self, total: Stretch) -> Vec<Stretch> {
        if self.len > STRETCHES {
            self.thin_out();
        }
        // What remains after the last mark is a stretch of its own only where it is about as long.
        let is_short = self.len > 0
            && total.elapsed_ns.saturating_sub(self.marks[self.len - 1].elapsed_ns)
                < self.step_ns / 2;
        if self.len == STRETCHES || is_short {
            self.len -= 1;
        }
        let ends = self.marks[..self.len].iter().copied().chain([total]);
        let mut before = Stretch::default();
        ends.map(|end| {
            let stretch = end.since(before);
            before = end;
            stretch
        })
        .collect()
    }
}

/// The stretches of several lanes that worked side by side, the first with the first.
pub fn together(lanes: &[&[Stretch]]) -> Vec<Stretch> {
    let most = lanes.iter().map(|lane| lane.len()).max().unwrap_or(0);
    let sum = |at: usize| {
        let own: Vec<&Stretch> = lanes.iter().filter_map(|lane| lane.get(at)).collect();
        let count = own.len().max(1) as u64;
        let mut all = Stretch::default();
        own.iter().for_each(|stretch| all.add(stretch));
        // Times are those of one lane, on average.
        Stretch { elapsed_ns: all.elapsed_ns / count, flush_ns: all.flush_ns / count, ..all }
    };
    (0..most).map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(ms: u64, ios: u64) -> Stretch {
        Stretch { elapsed_ns: ms * 1_000_000, ios, ..Stretch::default() }
    }

    #[test]
    fn a_part_of_any_length_has_a_few_stretches_of_like_length_that_add_up() {
        for ms in [1, 5, 40, 100, 1000, 60_000] {
            let mut along = Along::default();
            for now in 1..=ms {
                along.mark(done(now, now * 7));
            }
            let stretches = along.end(done(ms, ms * 7));
            assert!(stretches.len() <= STRETCHES, "{ms} ms: {stretches:?}");
            assert!(ms < 40 || stretches.len() >= STRETCHES / 2, "{ms} ms: {stretches:?}");
            assert_eq!(stretches.iter().map(|s| s.ios).sum::<u64>(), ms * 7);
            let lengths = stretches.iter().map(|s| s.elapsed_ns);
            let (least, most) = (lengths.clone().min().unwrap(), lengths.max().unwrap());
            assert!(most <= 4 * least, "{ms} ms: {stretches:?}");
        }
    }

    #[test]
    fn lanes_add_up_their_work_and_not_their_time() {
        let (one, other) = ([done(2, 5), done(2, 6)], [done(4, 1)]);
        assert_eq!(together(&[&one, &other]), [done(3, 6), done(2, 6)]);
        assert_eq!(together(&[]), []);
    }
}
