//! Tables as every output shows them: one description, and a writer each for a terminal, for
//! Markdown and for a page.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table as Layout, presets};

use super::markdown::escape;
use crate::layout::{TABLE, columns, wrap};
use bakeoff_model::path::sanitize;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub title: String,
    pub kind: Kind,
    titles_candidate: bool,
}

/// What is in the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Words,
    Numbers,
    Candidates,
}

impl Column {
    fn new(title: impl Into<String>, kind: Kind) -> Column {
        Column { title: title.into(), kind, titles_candidate: false }
    }

    pub(crate) fn is_of_candidate(&self) -> bool {
        self.titles_candidate || self.kind == Kind::Candidates
    }
}

pub fn words(title: impl Into<String>) -> Column {
    Column::new(title, Kind::Words)
}

pub fn number(title: impl Into<String>) -> Column {
    Column::new(title, Kind::Numbers)
}

pub fn candidates(title: impl Into<String>) -> Column {
    Column::new(title, Kind::Candidates)
}

pub fn of_candidate(name: impl Into<String>) -> Column {
    Column { titles_candidate: true, ..number(name) }
}

/// Rows below titles. A row has as many cells as there are columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<String>>,
    pub links: Vec<String>,
}

impl Table {
    pub fn new(
        columns: impl IntoIterator<Item = Column>,
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Table {
        let (columns, rows) = (columns.into_iter().collect(), rows.into_iter().collect());
        Table { columns, rows, links: Vec::new() }
    }

    /// The table with an address for each row, where the first cell leads on a page.
    pub fn linked(self, links: Vec<String>) -> Table {
        Table { links, ..self }
    }

    pub fn has(&self, title: &str) -> bool {
        self.columns.iter().any(|column| column.title == title)
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// For a terminal of `width` columns: as narrow as it is, or with words on several lines. Where
    /// there is no space for that, a row is a paragraph.
    pub fn text(&self, width: usize) -> String {
        let fits = |text: &String| text.lines().all(|line| columns(line) <= width);
        let natural = Some(self.laid_out(None)).filter(fits);
        let arranged = || {
            let columns = u16::try_from(width).ok().filter(|_| width >= TABLE)?;
            Some(self.laid_out(Some(columns))).filter(fits)
        };
        natural.or_else(arranged).unwrap_or_else(|| {
            self.rows.iter().map(|row| wrap(&self.row(row), width, "", "  ")).collect()
        })
    }

    fn laid_out(&self, width: Option<u16>) -> String {
        let mut layout = Layout::new();
        layout.load_style(presets::NOTHING);
        match width {
            Some(width) => {
                layout.set_content_arrangement(ContentArrangement::Dynamic).set_width(width)
            }
            None => layout.set_content_arrangement(ContentArrangement::Disabled),
        };
        layout.set_header(self.columns.iter().map(|column| sanitize(&column.title)));
        for row in &self.rows {
            layout.add_row(row.iter().map(|cell| sanitize(cell)));
        }
        for (column, laid_out) in self.columns.iter().zip(layout.column_iter_mut()) {
            if column.kind == Kind::Numbers {
                laid_out.set_cell_alignment(CellAlignment::Right);
                // A number stays with its unit.
                laid_out.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        layout.lines().map(|line| line.trim_end().to_string() + "\n").collect()
    }

    /// For a screen reader: a row a line.
    pub fn spoken(&self) -> String {
        self.rows.iter().map(|row| self.row(row) + "\n").collect()
    }

    /// A row in words: its name, and each other cell with its title.
    fn row(&self, row: &[String]) -> String {
        let cells = self.columns.iter().zip(row).skip(1).filter(|(_, cell)| !cell.is_empty());
        let cells = cells.map(|(column, cell)| {
            if column.title.is_empty() { cell.clone() } else { format!("{} {cell}", column.title) }
        });
        let name = row.first().map_or("", String::as_str);
        sanitize(&format!("{name}: {}", cells.collect::<Vec<_>>().join(", ")))
    }

    pub fn markdown(&self) -> String {
        let rule = |column: &Column| if column.kind == Kind::Numbers { "--:" } else { ":--" };
        let rules: Vec<&str> = self.columns.iter().map(rule).collect();
        let titles = self.columns.iter().map(|column| &column.title);
        let mut out = format!("{}|{}|\n", markdown_row(titles), rules.join("|"));
        out.extend(self.rows.iter().map(markdown_row));
        out
    }
}

fn markdown_row(cells: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let cells: Vec<String> = cells.into_iter().map(|cell| escape(cell.as_ref())).collect();
    format!("| {} |\n", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let row = |name: &str, n: &str| vec![name.to_string(), n.to_string()];
        Table::new([words("candidate"), number("MB/s")], [row("ext4", "9"), row("<b>|", "123")])
    }

    #[test]
    fn aligns_numbers_in_every_form() {
        assert_eq!(table().text(80), " candidate  MB/s\n ext4          9\n <b>|        123\n");
        assert_eq!(table().text(40), table().text(80), "no list where a table fits");
        assert_eq!(table().text(12), "ext4: MB/s 9\n<b>|: MB/s\n  123\n");
        assert_eq!(table().spoken(), "ext4: MB/s 9\n<b>|: MB/s 123\n");
        assert_eq!(
            table().markdown(),
            "| candidate | MB/s |\n|:--|--:|\n| ext4 | 9 |\n| &lt;b&gt;\\| | 123 |\n"
        );
    }
}
