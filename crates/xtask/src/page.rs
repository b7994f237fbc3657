//! Parts of pages in docs that tasks measure and write: between two marks, the rest is by hand.

use std::path::Path;

use anyhow::{Context, Result};

/// The part of a page that has no other name.
pub const FIGURES: &str = "figures";

/// A column of a table.
pub enum Column<'a> {
    /// Of words.
    Left(&'a str),
    /// Of numbers.
    Right(&'a str),
}

/// Prints what was found and puts it between the marks of its part of a page.
pub fn write(page: &Path, part: &str, found: &str) -> Result<()> {
    let text =
        std::fs::read_to_string(page).with_context(|| format!("cannot read {}", page.display()))?;
    let text = between(&text, part, found)
        .with_context(|| format!("{} has lost its marks of {part}", page.display()))?;
    print!("{found}");
    std::fs::write(page, text).with_context(|| format!("cannot write {}", page.display()))
}

/// The page with `found` between the marks of `part`.
fn between(page: &str, part: &str, found: &str) -> Option<String> {
    let begin = format!("<!-- {part}: begin -->\n");
    let end = format!("<!-- {part}: end -->\n");
    let (head, rest) = page.split_once(&begin)?;
    let (_, tail) = rest.split_once(&end)?;
    Some(format!("{head}{begin}{found}{end}{tail}"))
}

/// A table in Markdown.
pub fn table<const N: usize>(
    columns: [Column<'_>; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let line = |cells: &[&str]| format!("| {} |\n", cells.join(" | "));
    let names = columns.each_ref().map(|column| match column {
        Column::Left(name) | Column::Right(name) => *name,
    });
    let rules = columns.map(|column| match column {
        Column::Left(_) => "---",
        Column::Right(_) => "--:",
    });
    let rows = rows.into_iter().map(|row| line(&row.each_ref().map(String::as_str)));
    line(&names) + &format!("|{}|\n", rules.join("|")) + &rows.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vm::CAPPED_PAIRS;

    #[test]
    fn the_pages_have_their_marks() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let pairs = CAPPED_PAIRS.iter().map(|pair| ("truth.md", pair.name));
        for (page, part) in [
            ("truth.md", FIGURES),
            ("diagnosis.md", FIGURES),
            ("performance.md", FIGURES),
            ("performance.md", "answers"),
            ("plans.md", "forecasts"),
            ("install.md", "tested"),
            ("live.md", "live"),
            ("live.md", "netdata"),
            ("fleet.md", "boards"),
        ]
        .into_iter()
        .chain(pairs)
        {
            let text = std::fs::read_to_string(docs.join(page)).unwrap();
            assert!(between(&text, part, "").is_some(), "{page} {part}");
        }
    }

    #[test]
    fn only_what_is_between_the_marks_of_its_part_changes() {
        let marked = |words| format!("<!-- a: begin -->\n{words}<!-- a: end -->\n");
        let rest = "<!-- b: begin -->\nB\n<!-- b: end -->\n";
        let page = format!("# A\n{}{rest}", marked("old\n"));
        let wanted = format!("# A\n{}{rest}", marked("new\n"));
        assert_eq!(between(&page, "a", "new\n"), Some(wanted));
        assert_eq!(between(&page, "c", "new\n"), None);
    }

    #[test]
    fn a_table_has_a_line_for_each_row() {
        let row = ["ext4".to_owned(), "7".to_owned()];
        let text = table([Column::Left("filesystem"), Column::Right("runs")], [row]);
        assert_eq!(text, "| filesystem | runs |\n|---|--:|\n| ext4 | 7 |\n");
    }
}
