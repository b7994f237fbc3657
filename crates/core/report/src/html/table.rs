//! A table for a page: what comes from outside is text there. It can name candidates with their
//! marks and lead to where its rows are told in full.

use askama::Template;

use super::{color, symbol};
use crate::document::{Kind, Table};
use crate::run_document::Column;
use bakeoff_model::path::sanitize;

/// A table with its caption. The position of a candidate of the page is its mark.
#[derive(Template)]
#[template(path = "table.html")]
struct CaptionedTable<'a> {
    table: &'a Table,
    caption: &'a str,
    candidates: &'a [Column],
}

impl CaptionedTable<'_> {
    /// The column that names the rows: the first that names candidates, or else the first.
    fn name(&self) -> usize {
        let mut columns = self.table.columns.iter();
        columns.position(|column| column.kind == Kind::Candidates).unwrap_or(0)
    }

    fn is_number(&self, at: &usize) -> bool {
        self.table.columns[*at].kind == Kind::Numbers
    }

    fn style(&self, at: &usize, text: &str) -> Option<usize> {
        let style = self.candidates.iter().position(|candidate| candidate.name == text);
        style.filter(|_| self.table.columns[*at].is_of_candidate())
    }

    fn link(&self, row: &usize, at: &usize) -> Option<&String> {
        self.table.links.get(*row).filter(|_| *at == 0)
    }
}

impl Table {
    pub fn html(&self, caption: &str, candidates: &[Column]) -> String {
        // Rendering fails only when a Display of ours does, and none of them can.
        CaptionedTable { table: self, caption, candidates }.render().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{candidates, number, of_candidate, words};

    #[test]
    fn a_table_marks_candidates_links_rows_and_escapes_text() {
        let row = |cells: [&str; 3]| cells.map(str::to_string).to_vec();
        let columns = [number("block"), candidates("candidate"), of_candidate("xfs")];
        let rows = [row(["1", "ext4", "9"]), row(["2", "<b>|", "\u{1b}2"])];
        let table = Table::new(columns, rows).linked(vec!["#a".into(), "#b".into()]);
        let named = |name: &str| Column { name: name.to_string(), what: String::new() };
        let page = table.html("Rates & more", &["ext4", "xfs"].map(named));
        assert!(page.contains("<caption>Rates &#38; more</caption>"), "{page}");
        assert!(page.contains("<td class=\"n\"><a href=\"#a\">1</a></td>"), "{page}");
        assert!(page.contains("<th scope=\"row\">&#60;b&#62;|</th>"), "{page}");
        assert!(page.contains("<td class=\"n\">\\x1b2</td>"), "{page}");
        assert_eq!(page.matches("#symbol-").count(), 2, "of ext4 and of the title xfs");
        assert!(Table::new([words("name")], []).html("x", &[]).contains("<tbody>"));
    }
}
