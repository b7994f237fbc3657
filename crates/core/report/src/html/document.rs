//! A document and a table for a page: what comes from outside is text there, and a table can name
//! candidates with their marks and lead to where its rows are told in full.

use askama::Template;

use super::{color, rule_anchor, seen, severity_class, symbol, tied};
use crate::document::{Column, Document, Kind, Line, Mark, Part, Row, Table};
use crate::layout::Tone;
use bakeoff_model::path::sanitize;

#[derive(Template)]
#[template(path = "document.html")]
struct Body<'a> {
    blocks: Vec<PageElement<'a>>,
}

/// What becomes an element of the page.
enum PageElement<'a> {
    Headline(&'a str),
    Heading(&'a str, Option<&'a Mark>),
    Paragraph(&'a Line),
    List(Vec<&'a Line>),
    Rows(&'a [Row]),
    Table(String),
    Verbatim(&'a [String]),
    Command(&'a str),
}

#[derive(Template)]
#[template(path = "table.html")]
struct TableBody<'a> {
    label: &'a str,
    has_caption: bool,
    heads: Vec<Cell<'a>>,
    rows: Vec<Vec<Cell<'a>>>,
}

struct Cell<'a> {
    text: String,
    is_number: bool,
    is_name: bool,
    style: Option<usize>,
    link: Option<&'a String>,
}

impl Document {
    /// For a page: what is between the heading of the page and its end.
    pub fn html(&self) -> String {
        let mut blocks: Vec<PageElement> = Vec::new();
        let mut title = "";
        for part in &self.parts {
            let block = match part {
                Part::Gap => continue,
                Part::Headline(text) => PageElement::Headline(text),
                Part::Heading { text, mark } => {
                    title = text;
                    PageElement::Heading(text, mark.as_ref())
                }
                Part::Line(line) if !line.is_item() => PageElement::Paragraph(line),
                Part::Line(line) => match blocks.last_mut() {
                    Some(PageElement::List(lines)) => {
                        lines.push(line);
                        continue;
                    }
                    _ => PageElement::List(vec![line]),
                },
                Part::Rows(rows) => PageElement::Rows(rows),
                Part::Table(table) => PageElement::Table(table.below(title)),
                Part::Verbatim(lines) => PageElement::Verbatim(lines),
                Part::Command(command) => PageElement::Command(command),
            };
            blocks.push(block);
        }
        text(&Body { blocks })
    }
}

impl Table {
    /// For a page, with its caption; the first column that names candidates, or else the first,
    /// names the rows. `styles` are the candidates of the page: the position is the mark.
    pub fn html(&self, caption: &str, styles: &[String]) -> String {
        text(&self.body(caption, true, styles))
    }

    fn below(&self, heading: &str) -> String {
        text(&self.body(heading, false, &[]))
    }

    fn body<'a>(&'a self, label: &'a str, has_caption: bool, styles: &[String]) -> TableBody<'a> {
        let names = |column: &Column| column.kind == Kind::Candidates;
        let name = self.columns.iter().position(names).unwrap_or(0);
        let cell = |at: usize, text: &str, link: Option<&'a String>| {
            let column = &self.columns[at];
            let style = styles.iter().position(|style| style == text);
            Cell {
                text: sanitize(text),
                is_number: column.kind == Kind::Numbers,
                is_name: at == name,
                style: style.filter(|_| column.is_of_candidate()),
                link: link.filter(|_| at == 0),
            }
        };
        let heads = self.columns.iter().enumerate();
        let rows = self.rows.iter().enumerate().map(|(row, cells)| {
            let link = self.links.get(row);
            cells.iter().enumerate().map(|(at, text)| cell(at, text, link)).collect()
        });
        TableBody {
            label,
            has_caption,
            heads: heads.map(|(at, column)| cell(at, &column.title, None)).collect(),
            rows: rows.collect(),
        }
    }
}

/// Rendering into a String fails only when a Display of ours does, and none of them can.
fn text(template: &impl Template) -> String {
    template.render().unwrap_or_default()
}

/// Text that harms nobody, in which no percent sign is parted from its number.
fn clean(text: &str) -> String {
    tied(sanitize(text))
}

fn badge(mark: &Mark) -> &'static str {
    match mark.tone {
        Tone::Good => "good",
        Tone::Caution => "open",
        Tone::Bad => "refused",
        Tone::Strong | Tone::Grey | Tone::Plain => "alone",
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
        let styles = ["ext4".to_string(), "xfs".to_string()];
        let page = table.html("Rates & more", &styles);
        assert!(page.contains("<caption>Rates &#38; more</caption>"), "{page}");
        assert!(page.contains("<td class=\"n\"><a href=\"#a\">1</a></td>"), "{page}");
        assert!(page.contains("<th scope=\"row\">&#60;b&#62;|</th>"), "{page}");
        assert!(page.contains("<td class=\"n\">\\x1b2</td>"), "{page}");
        assert_eq!(page.matches("#symbol-").count(), 2, "of ext4 and of the title xfs");
        assert!(Table::new([words("name")], []).html("x", &[]).contains("<tbody>"));
    }
}
