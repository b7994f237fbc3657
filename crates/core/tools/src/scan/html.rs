//! Rows of HTML's tables, put on one line each with bars between the cells, as Markdown has them.
//! A row that holds a table or preformatted text lays out a page and is none.

use super::lines;

const ROW_BYTES: usize = 16 << 10;

#[derive(Debug, Default)]
pub struct HtmlRows {
    /// The first line of the open row, and what came since its tag.
    open: Option<(u64, String)>,
}

impl HtmlRows {
    /// Takes a line as it stands in the page; gives the rows that end on it, each with its first
    /// line, and an empty one where a table ends.
    pub fn take(&mut self, number: u64, text: &str) -> Vec<(u64, String)> {
        let mut rows = Vec::new();
        if self.open.is_none() && !text.contains(['<']) {
            return rows;
        }
        let mut rest = text;
        loop {
            if self.open.is_none() {
                let (row, end) = (rest.find("<tr"), rest.find("</table"));
                if end.is_some_and(|end| row.is_none_or(|row| end < row)) {
                    rows.push((number, String::new()));
                }
                let Some(at) = row else { return rows };
                rest = &rest[at + 3..];
                self.open = Some((number, String::new()));
            }
            let end = rest.find("</tr>");
            let Some((first, row)) = &mut self.open else { return rows };
            row.push_str(&rest[..end.unwrap_or(rest.len())]);
            let is_layout = row.contains("<table") || row.contains("<pre");
            if is_layout || row.len() > ROW_BYTES {
                self.open = None;
                return rows;
            }
            let Some(end) = end else {
                row.push(' ');
                return rows;
            };
            rows.extend(on_one_line(row).map(|line| (*first, line)));
            self.open = None;
            rest = &rest[end + 5..];
        }
    }
}

/// The cells with bars around them; `None` when there are fewer than two.
fn on_one_line(row: &str) -> Option<String> {
    let marked = row.replace("<th", "<td");
    let mut cells = Vec::new();
    for cell in marked.split("<td").skip(1) {
        let (_, inner) = cell.split_once('>')?;
        let plain = lines::plain(inner).replace('|', "/");
        cells.push(plain.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    (cells.len() >= 2).then(|| format!("| {} |", cells.join(" | ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<(u64, String)> {
        let mut rows = HtmlRows::default();
        (1..).zip(text.lines()).flat_map(|(number, line)| rows.take(number, line)).collect()
    }

    #[test]
    fn a_row_is_one_line_however_the_page_breaks_it() {
        let row = "| ext4 | 104 MB/s |".to_string();
        assert_eq!(
            rows("<table><tr><th>ext4</th><td>104&nbsp;MB/s</td></tr></table>"),
            [(1, row.clone()), (1, String::new())]
        );
        assert_eq!(rows("x\n<tr class=a>\n<td>ext4</td>\n<td><b>104</b>\nMB/s\n</tr>"), [(2, row)]);
        assert_eq!(
            rows("<tr><td>a<td>b</tr><tr><td>c<td>d|e</tr>"),
            [(1, "| a | b |".to_string()), (1, "| c | d/e |".to_string())]
        );
    }

    #[test]
    fn a_row_that_lays_out_a_page_is_none() {
        assert_eq!(rows("<tr><td>menu</td>\n<td><pre>x</pre></td></tr>"), []);
        assert_eq!(rows("2 < 3 <b>"), []);
        assert_eq!(rows("<tr><td>one</td></tr>"), []);
        assert_eq!(rows(&format!("<tr><td>a<td>{}</tr>", "x".repeat(ROW_BYTES))), []);
    }
}
