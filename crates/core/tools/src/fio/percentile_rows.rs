//! Whether rows of fio's percentiles are whole. fio prints as many in a row as 80 columns hold, the
//! same number in every row of a table but the last, and a comma behind all but the last one.
//! Source: fio 3.33, `stat.c`, `show_clat_percentiles`.

const ROWS: usize = 64;

#[derive(Debug, Default)]
pub struct PercentileRows {
    rows: Vec<(u64, usize, bool)>,
    cut: Vec<u64>,
}

impl PercentileRows {
    /// Takes a row of a table.
    pub fn add(&mut self, line: u64, text: &str) {
        let count = text.matches("th=[").count();
        if self.rows.len() < ROWS {
            self.rows.push((line, count, text.trim_end().ends_with(',')));
        }
    }

    pub fn end(&mut self) {
        let width = self.rows.iter().map(|row| row.1).max().unwrap_or(0);
        let is_cut = |row: &&(u64, usize, bool)| row.2 && row.1 < width;
        self.cut.extend(self.rows.iter().filter(is_cut).map(|row| row.0));
        // A single row that promises more, or the last one.
        if let Some(row) = self.rows.last().filter(|row| row.2 && row.1 == width) {
            self.cut.push(row.0);
        }
        self.rows.clear();
    }

    pub fn cut(mut self) -> Vec<u64> {
        self.end();
        self.cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(table: &[&str]) -> Vec<u64> {
        let mut rows = PercentileRows::default();
        (1..).zip(table).for_each(|(line, text)| rows.add(line, text));
        rows.cut()
    }

    /// Rows of three were taken for rows of four that lost one.
    #[test]
    fn a_row_is_as_long_as_the_others_of_its_table() {
        let three = "| 1th=[1], 5th=[2], 10th=[3],";
        let two = "| 20th=[4], 30th=[5],";
        assert_eq!(cut(&[three, three, "| 99th=[9]"]), [0u64; 0]);
        assert_eq!(cut(&[three, two, three, "| 99th=[9]"]), [2]);
        assert_eq!(cut(&[two, three, "| 99th=[9]"]), [1]);
        assert_eq!(cut(&[three, two]), [2]);
        assert_eq!(cut(&[three, three]), [2]);
    }
}
