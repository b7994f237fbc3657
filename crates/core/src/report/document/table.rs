//! Tables as every output shows them: one description, and a writer each for a terminal, for
//! Markdown and for a page.

use std::fmt::{Display, Write};

use comfy_table::{CellAlignment, ContentArrangement, Table as Layout, presets};

use super::markdown::escape;
use crate::model::path::sanitize;
use crate::report::layout::{TABLE, wrap};

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    title: String,
    /// Numbers end in line, words begin in line.
    is_number: bool,
}

/// A column of words.
pub fn words(title: impl Into<String>) -> Column {
    Column { title: title.into(), is_number: false }
}

/// A column of numbers.
pub fn number(title: impl Into<String>) -> Column {
    Column { title: title.into(), is_number: true }
}

/// Rows below titles. A row has as many cells as there are columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table of these columns.
    pub fn new(
        columns: impl IntoIterator<Item = Column>,
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Table {
        Table { columns: columns.into_iter().collect(), rows: rows.into_iter().collect() }
    }

    /// Whether it has no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// For a terminal of that many columns; `None`: as wide as it is. Where there is no space for
    /// a table it is a list: the first cell of each row, and the others below it.
    pub fn text(&self, width: Option<usize>) -> String {
        if let Some(width) = width.filter(|width| *width < TABLE) {
            return self.rows.iter().map(|row| self.listed(row, width)).collect();
        }
        let mut layout = Layout::new();
        layout.load_style(presets::NOTHING);
        match width {
            Some(width) => layout
                .set_content_arrangement(ContentArrangement::Dynamic)
                .set_width(u16::try_from(width).unwrap_or(u16::MAX)),
            None => layout.set_content_arrangement(ContentArrangement::Disabled),
        };
        layout.set_header(self.columns.iter().map(|column| sanitize(&column.title)));
        for row in &self.rows {
            layout.add_row(row.iter().map(|cell| sanitize(cell)));
        }
        for (column, laid_out) in self.columns.iter().zip(layout.column_iter_mut()) {
            if column.is_number {
                laid_out.set_cell_alignment(CellAlignment::Right);
            }
        }
        layout.lines().map(|line| line.trim_end().to_string() + "\n").collect()
    }

    fn listed(&self, row: &[String], width: usize) -> String {
        let mut out = String::new();
        for (at, (column, cell)) in self.columns.iter().zip(row).enumerate() {
            match (at, cell.is_empty()) {
                (0, _) => out.push_str(&wrap(&sanitize(cell), width, "", "    ")),
                (_, true) => {}
                (_, false) => {
                    let text = format!("{}: {cell}", column.title);
                    out.push_str(&wrap(&sanitize(&text), width, "  ", "    "));
                }
            }
        }
        out
    }

    /// For Markdown.
    pub fn markdown(&self) -> String {
        let rule = |column: &Column| if column.is_number { "--:" } else { ":--" };
        let rules: Vec<&str> = self.columns.iter().map(rule).collect();
        let titles = self.columns.iter().map(|column| &column.title);
        let mut out = format!("{}|{}|\n", markdown_row(titles), rules.join("|"));
        out.extend(self.rows.iter().map(markdown_row));
        out
    }

    /// For a page, with its caption; the first column names the rows.
    pub fn html(&self, caption: &str) -> String {
        let mut out = format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\">\n\
             <table>\n<caption>{caption}</caption>\n<thead><tr>\n",
            caption = html_text(caption)
        );
        let class = |column: &Column| if column.is_number { " class=\"n\"" } else { "" };
        // Writing to a String cannot fail, here and below.
        for column in &self.columns {
            let title = html_text(&column.title);
            let _ = writeln!(out, "<th scope=\"col\"{}>{title}</th>", class(column));
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            out.push_str("<tr>\n");
            for (at, (column, cell)) in self.columns.iter().zip(row).enumerate() {
                let (name, scope) = if at == 0 { ("th", " scope=\"row\"") } else { ("td", "") };
                let cell = html_text(cell);
                let _ = writeln!(out, "<{name}{scope}{}>{cell}</{name}>", class(column));
            }
            out.push_str("</tr>\n");
        }
        out + "</tbody>\n</table>\n</div>\n"
    }
}

fn markdown_row(cells: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let cells: Vec<String> = cells.into_iter().map(|cell| escape(cell.as_ref())).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// Text as a page shows it.
fn html_text(text: &str) -> impl Display {
    askama::filters::escape(text, askama::filters::Html)
        .unwrap_or_else(|never: std::convert::Infallible| match never {})
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
        assert_eq!(
            table().text(Some(80)),
            " candidate  MB/s\n ext4          9\n <b>|        123\n"
        );
        assert_eq!(
            table().text(Some(40)),
            "ext4\n  MB/s: 9\n<b>|\n  MB/s: 123\n",
            "a list where there is no space for columns"
        );
        assert_eq!(
            table().markdown(),
            "| candidate | MB/s |\n|:--|--:|\n| ext4 | 9 |\n| &lt;b&gt;\\| | 123 |\n"
        );
        let page = table().html("Rates & more");
        assert!(page.contains("<caption>Rates &#38; more</caption>"), "{page}");
        assert!(page.contains("<th scope=\"row\">&#60;b&#62;|</th>\n<td class=\"n\">123</td>"));
        assert_eq!(page.matches("<tr>").count(), 3);
    }
}
