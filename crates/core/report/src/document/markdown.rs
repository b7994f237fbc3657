//! A document as Markdown to paste in a forum, in which nothing from outside can act.
//!
//! Source: GitHub Flavored Markdown Spec 0.29, sections 2.4 (backslash escapes), 4.5 (fenced code)
//! and 4.10 (tables).

use super::{Line, Part, Row};
use bakeoff_model::path::sanitize;
use bakeoff_stats::phrases::capital;

/// What a part is a piece of; pieces of one kind follow each other without an empty line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PieceKind {
    List,
    Paragraph,
}

pub(super) fn write(parts: &[Part]) -> String {
    let mut out = String::new();
    let mut last = None;
    // A result stands in front of the paragraph below its heading.
    let mut result = String::new();
    for part in parts {
        let (kind, text) = match part {
            Part::Gap => continue,
            Part::Headline(text) => {
                (PieceKind::Paragraph, format!("**{}**\n", escape(&sanitize(text))))
            }
            Part::Heading { text, mark } => {
                result = mark.as_ref().map_or(String::new(), |mark| {
                    format!("**{}.** ", capital(&escape(&sanitize(&mark.word))))
                });
                (PieceKind::Paragraph, format!("### {}\n", escape(&sanitize(text))))
            }
            Part::Line(line) if !line.is_item() => {
                let name = line.name.as_ref().map(|name| format!("{}: ", escape(&sanitize(name))));
                let text = name.unwrap_or_default() + &escape(&sanitize(&line.text));
                (PieceKind::Paragraph, format!("{}{text}\n", std::mem::take(&mut result)))
            }
            Part::Line(line) => (PieceKind::List, item(line)),
            Part::Rows(rows) => (PieceKind::List, rows.iter().map(row).collect()),
            Part::Table(table) => (PieceKind::Paragraph, table.markdown()),
            Part::Verbatim(lines) => (PieceKind::Paragraph, fenced(lines)),
            Part::Command(command) => (PieceKind::Paragraph, fenced(std::slice::from_ref(command))),
        };
        if last.is_some_and(|last| last != kind || kind == PieceKind::Paragraph) {
            out.push('\n');
        }
        out.push_str(&text);
        last = Some(kind);
    }
    out
}

fn item(line: &Line) -> String {
    let depth = if line.is_bullet { line.depth } else { line.depth - 1 };
    let mark = line.mark.as_ref().map(|mark| format!("{} ", escape(&sanitize(&mark.word))));
    let text = escape(&sanitize(&line.text));
    format!("{}- {}{text}\n", "  ".repeat(depth), mark.unwrap_or_default())
}

fn row(row: &Row) -> String {
    let Row { name, text, advice } = row;
    let advice = advice.as_ref().map(|advice| format!("  - {}\n", escape(&sanitize(advice))));
    let text = format!("- {}: {}\n", escape(&sanitize(name)), escape(&sanitize(text)));
    text + &advice.unwrap_or_default()
}

fn fenced(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| sanitize(line)).collect();
    let fence = "`".repeat(lines.iter().map(|line| backticks(line)).max().unwrap_or(0).max(2) + 1);
    format!("{fence}\n{}\n{fence}\n", lines.join("\n"))
}

fn backticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Text as Markdown shows it: every character that could mean something is escaped.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A bare address or mention would become a link or notify a stranger.
            '@' => out.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '!' | '|' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out.replace("://", ":&#8203;//")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_acts() {
        assert_eq!(escape("<b>|*x*|@you"), "&lt;b&gt;\\|\\*x\\*\\|&#64;you");
        assert_eq!(escape("http://x"), "http:&#8203;//x");
        let fenced = fenced(&["a ``` b".to_string()]);
        assert!(fenced.starts_with("````\n") && fenced.ends_with("\n````\n"), "{fenced}");
    }
}
