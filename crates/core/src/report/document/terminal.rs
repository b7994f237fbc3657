//! A document for a terminal.

use super::{Line, Mark, Part};
use crate::model::path::sanitize;
use crate::report::layout::{Page, TABLE, Tone, paint, wrap};

/// The widest name in front of a text; a longer one pushes its text to the right.
const NAME: usize = 24;

/// Lays out the parts in `width` columns.
pub(super) fn write(parts: &[Part], width: usize, color: bool) -> String {
    let mut page = Page::new(width);
    for part in parts {
        match part {
            Part::Headline(text) => {
                page.push_str(&strong(&wrap(&sanitize(text), width, "", ""), color));
            }
            Part::Heading { text, mark } => heading(text, mark.as_ref(), color, &mut page),
            Part::Line(line) => write_line(line, color, &mut page),
            Part::Rows(rows) => write_rows(rows, &mut page),
            Part::Table(table) => page.push_str(&table.text(Some(width))),
            Part::Verbatim(lines) => {
                lines.iter().for_each(|line| page.push_str(&format!("  {}\n", sanitize(line))));
            }
            Part::Gap => page.push('\n'),
        }
    }
    page.text
}

fn strong(lines: &str, color: bool) -> String {
    lines.lines().map(|line| paint(line, Tone::Strong, color) + "\n").collect()
}

/// The result stands behind the text where there is space, else below it.
fn heading(text: &str, mark: Option<&Mark>, color: bool, page: &mut Page) {
    let lines = wrap(&sanitize(text), page.width, "", "  ");
    if !page.text.is_empty() {
        page.push('\n');
    }
    let Some(mark) = mark else { return page.push_str(&strong(&lines, color)) };
    let word = sanitize(&mark.word).to_uppercase();
    let last = lines.lines().last().map_or(0, |line| line.chars().count());
    let has_space = last + 2 + word.chars().count() <= page.width;
    let painted = strong(&lines, color);
    let painted = if has_space { painted.trim_end_matches('\n') } else { painted.as_str() };
    page.push_str(&format!("{painted}  {}\n", paint(&word, mark.tone, color)));
}

fn write_line(line: &Line, color: bool, page: &mut Page) {
    let indent = "  ".repeat(line.depth);
    let is_item = line.depth > 0 || line.is_bullet;
    let first = if line.is_bullet { format!("{indent}- ") } else { indent.clone() };
    let rest = if is_item { format!("{indent}  ") } else { indent };
    let text = sanitize(&line.text);
    let Some(mark) = &line.mark else { return page.wrap(&text, &first, &rest) };
    let word = sanitize(&mark.word);
    let lines = wrap(&format!("{word} {text}"), page.width, &first, &rest);
    // The first word of the first line, unless that is too short for it.
    let painted = match lines.strip_prefix(&first).and_then(|line| line.strip_prefix(&word)) {
        Some(tail) => format!("{first}{}{tail}", paint(&word, mark.tone, color)),
        None => lines,
    };
    page.push_str(&painted);
}

fn write_rows(rows: &[(String, String)], page: &mut Page) {
    let most = if page.width < TABLE { 0 } else { NAME };
    let widest = rows.iter().map(|(name, _)| sanitize(name).chars().count()).max().unwrap_or(0);
    let column = widest.min(most);
    let rest = " ".repeat(column + 4);
    for (name, text) in rows {
        page.wrap(&sanitize(text), &format!("  {:<column$}  ", sanitize(name)), &rest);
    }
}
