//! Rows of iozone's table that a terminal or a mail broke, put together again.
//!
//! The table is 150 characters wide and its titles always end the same, so titles that go on below
//! say that it was wrapped. A row is whole when it has as many values as the command line asked
//! for. A value that was broken in two is known by its first part, which ends before its column
//! does; where that cannot be told, the row is none.

use super::row::{self, Found, Layout, Row, Value};
use crate::scan::finder::Line;
use crate::scan::lines;
use crate::scan::parts::{Parts, squeezed};

/// The titles of the tests without their blanks, and what `-E` adds.
const TITLES: &str =
    "reclenwriterewritereadrereadreadwritereadrewritereadfwritefrewritefreadfreread";
const EXTENDED: &str = "pwriterepwritepreadrepread";
const PARTS: usize = 8;

/// A table that is known, or may turn out, to be wrapped.
#[derive(Debug, Default)]
pub struct Wrapped {
    titles: String,
    last_line: u64,
    is_sure: bool,
    parts: Parts,
}

impl Wrapped {
    pub fn begin(line: &Line<'_>) -> Wrapped {
        Wrapped { titles: squeeze(line.text), last_line: line.number, ..Wrapped::default() }
    }

    pub fn titles(&mut self, line: &Line<'_>) -> bool {
        let whole = format!("{}{}", self.titles, squeeze(line.text));
        let is_next = self.last_line + 1 == line.number && whole.len() > self.titles.len();
        if !is_next || !format!("{TITLES}{EXTENDED}").starts_with(&whole) {
            return false;
        }
        (self.titles, self.last_line, self.is_sure) = (whole, line.number, true);
        true
    }

    /// What a line below wrapped titles is; `None` where they were not wrapped. A row that its
    /// next part does not follow is given up: its lines are to be listed.
    pub fn row(
        &mut self,
        layout: &Layout,
        line: &Line<'_>,
        command: Option<&str>,
    ) -> Option<Found> {
        if !self.is_sure {
            return None;
        }
        let columns = if self.titles.len() > TITLES.len() { 17 } else { 13 };
        let asked = row::asked(columns, command);
        if !row::is_numbers(line.text) {
            return Some(Found::None);
        }
        if !self.parts.is_next(line.number) {
            self.parts = Parts::default();
        }
        self.parts.add(line.number, line.text);
        let row = joined(layout, self.parts.lines(), &asked);
        if row.is_some() || self.parts.lines().len() >= PARTS {
            self.parts = Parts::default();
        }
        Some(row.filter(|_| line.is_ended).map_or(Found::Wrong, Found::Row))
    }
}

fn joined(layout: &Layout, parts: &[(u64, String)], asked: &[usize]) -> Option<Row> {
    let mut tokens: Vec<(u64, String)> = Vec::new();
    for (at, (number, text)) in parts.iter().enumerate() {
        let mut words = layout.parted(lines::words(text));
        if at == 0 {
            let (_, whole) = words.split_last().filter(|(_, whole)| whole.len() > 1)?;
            let is_at_home = |words: &[(usize, String)]| {
                layout.aligned(words).is_some_and(|places| asked.starts_with(&places))
            };
            if !is_at_home(whole) {
                return None;
            }
            // Its last value ends before its column: the rest of it stands below.
            if !is_at_home(&words) {
                let (end, last) = words.pop()?;
                let (_, below) = parts.get(1)?;
                let rest = lines::words(below).into_iter().next()?.1;
                let column = asked.get(words.len() - 2)? + 2;
                if (end + rest.len()) as isize != layout.end(column) {
                    return None;
                }
                words.push((end, format!("{last}{rest}")));
            }
        } else if at == 1 && !layout.is_aligned(&parts[0].1) {
            words.remove(0);
        }
        tokens.extend(words.into_iter().map(|(_, word)| (*number, word)));
    }
    if tokens.len() != asked.len() + 2 {
        return None;
    }
    let mut values = Vec::new();
    for ((line, raw), test) in tokens[2..].iter().zip(asked) {
        values.push(Value::new(*test, raw, *line)?);
    }
    Row::with_sizes((&tokens[0].1, &tokens[1].1), values, parts[0].0)
}

/// Titles without their blanks and their unit.
fn squeeze(text: &str) -> String {
    let text = squeezed(text);
    let tests = text.strip_prefix("kB").or_else(|| text.strip_prefix("KB"));
    tests.unwrap_or(&text).to_string()
}

#[cfg(test)]
mod tests {
    use crate as tools;
    use crate::scan::Imported;

    const RUN: &str = "\
\tCommand line used: iozone -s 512k -r 16k -e
\tOutput is in kBytes/sec
                                                              random    random     bkwd    record    stride
              kB  reclen    write  rewrite    read    reread    read     write     read   rewrite      read   fwrite frewrite    fread  freread
             512      16   276601   131177  2474613   131716   220417    93966   128033    128385    128547   128255   128224  6931711 13872122
            1024      16   276602   131178  2474614   131717   220418    93967   128034    128386    128548   128256   128225  6931712 13872123

iozone test complete.
";

    fn figures(text: &str) -> (Vec<(String, f64)>, usize) {
        let Imported { results, unread, .. } = tools::read(text.as_bytes());
        let metrics = results.iter().flat_map(|result| &result.metrics);
        (metrics.map(|m| (m.name.clone(), m.value.as_f64())).collect(), unread.len())
    }

    fn broken(text: &str, width: usize, is_hard: bool) -> String {
        let mut out = String::new();
        for line in text.lines() {
            let mut rest: Vec<char> = line.chars().collect();
            while rest.len() > width {
                let blank = rest[..width].iter().rposition(|c| *c == ' ').filter(|_| !is_hard);
                let tail = rest.split_off(blank.map_or(width, |at| at + 1));
                out.push_str(rest.iter().collect::<String>().trim_end());
                out.push('\n');
                rest = tail;
                if !is_hard {
                    let first = rest.iter().position(|c| *c != ' ').unwrap_or(rest.len());
                    rest.drain(..first);
                }
            }
            out.extend(rest);
            out.push('\n');
        }
        out
    }

    /// A value that was cut at the edge of the page was read as it stood: 5170 for 5170432.
    #[test]
    fn a_value_that_was_cut_at_the_edge_of_the_page_is_whole_or_none() {
        for text in [RUN.to_string(), RUN.replace("-e\n", "-e -i 0 -i 1 -i 2\n")] {
            let text = if text.contains("-i 2") {
                text.lines()
                    .map(|line| match line.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
                        true => line.chars().take(78).collect::<String>() + "\n",
                        false => line.to_string() + "\n",
                    })
                    .collect()
            } else {
                text
            };
            let whole = figures(&text);
            assert!(whole.0.len() > 10 && whole.1 == 0, "{whole:?}");
            for width in 40..150 {
                for is_hard in [true, false] {
                    let page = broken(&text, width, is_hard);
                    let (found, unread) = figures(&page);
                    assert!(found.iter().all(|figure| whole.0.contains(figure)), "{page}{found:?}");
                    assert!(found.len() == whole.0.len() || unread > 0, "{page}");
                    // Two parts are always put together.
                    if width >= 80 {
                        assert_eq!((found, unread), whole, "{width} {page}");
                    }
                }
            }
        }
    }

    /// 512253 was read for 5122535.
    #[test]
    fn a_row_of_an_excel_report_that_was_wrapped_is_none() {
        let text = include_str!("../../../../../fixtures/tools/iozone/auto_excel.stdout");
        let whole = figures(text).0;
        for width in 40..70 {
            for is_hard in [true, false] {
                let page = broken(text, width, is_hard);
                let found = figures(&page).0;
                assert!(found.iter().all(|f| whole.contains(f)), "{width} {page}{found:?}");
            }
        }
    }
}
