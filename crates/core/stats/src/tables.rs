//! Tables that are part of the program: comma-separated text in `data`, below a line of titles.

/// The text of a table whose rows have `N` fields each; the last may hold commas.
#[derive(Clone, Copy, Debug)]
pub struct Table<const N: usize>(&'static str);

impl<const N: usize> Table<N> {
    /// In a constant, a table without rows or with a row too short fails the build.
    pub const fn new(text: &'static str) -> Table<N> {
        let bytes = text.as_bytes();
        let (mut at, mut commas, mut lines) = (0, 0, 0);
        while at < bytes.len() {
            match bytes[at] {
                b',' => commas += 1,
                b'\n' => {
                    assert!(commas + 1 >= N, "a row of a table has too few fields");
                    (commas, lines) = (0, lines + 1);
                }
                _ => {}
            }
            at += 1;
        }
        assert!(lines >= 2 && bytes[at - 1] == b'\n', "a table has no rows, or no last newline");
        Table(text)
    }

    pub fn rows(self) -> impl Iterator<Item = [&'static str; N]> {
        let fields = |line: &'static str| line.splitn(N, ',').collect::<Vec<_>>().try_into().ok();
        self.0.lines().skip(1).filter_map(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_field_has_what_is_left() {
        let table = Table::<2>::new("name,text\na,b, c\n");
        assert_eq!(table.rows().collect::<Vec<_>>(), [["a", "b, c"]]);
    }

    #[test]
    fn a_table_that_is_empty_cut_or_short_is_none() {
        for text in ["", "name,text\n", "name,text\na\n", "name,text\na,b"] {
            assert!(std::panic::catch_unwind(|| Table::<2>::new(text)).is_err(), "{text:?}");
        }
    }
}
