//! A document for a terminal.

use super::{ColouredWord, Line, Part, Row};
use crate::layout::{TABLE, Tone, columns, padded, paint, wrap, wrap_command};
use bakeoff_model::path::sanitize;

/// The widest name in front of a text; a longer one pushes its text to the right.
const NAME: usize = 24;

/// Lays out the parts in so many columns; `None`: without columns, a fact a line.
pub(super) fn write(parts: &[Part], columns: Option<usize>, color: bool) -> String {
    let width = columns.unwrap_or(usize::MAX);
    let mut page = Page { text: String::new(), width, color };
    for part in parts {
        match part {
            Part::Headline(text) => {
                let lines = wrap(&sanitize(text), width, "", "");
                page.strong(&lines);
            }
            Part::Heading { text, mark } => page.heading(text, mark.as_ref()),
            Part::Line(line) => page.line(line),
            Part::Rows(rows) => page.rows(rows),
            Part::Table(table) => {
                page.text.push_str(&columns.map_or_else(|| table.spoken(), |n| table.text(n)));
            }
            Part::Verbatim(lines) => {
                let lines = lines.iter().map(|line| format!("  {}\n", sanitize(line)));
                page.text.extend(lines);
            }
            Part::Command(command) => {
                let lines = wrap_command(&sanitize(command), width, "  ", "    ");
                page.text.push_str(&lines);
            }
            Part::Gap => page.gap(),
        }
    }
    page.text
}

struct Page {
    text: String,
    width: usize,
    color: bool,
}

impl Page {
    fn wrap(&mut self, text: &str, first: &str, rest: &str) {
        self.text.push_str(&wrap(&sanitize(text), self.width, first, rest));
    }

    fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    fn strong(&mut self, lines: &str) {
        let lines = lines.lines().map(|line| paint(line, Tone::Strong, self.color) + "\n");
        self.text.extend(lines);
    }

    fn heading(&mut self, text: &str, mark: Option<&ColouredWord>) {
        self.gap();
        let lines = wrap(&sanitize(text), self.width, "", "  ");
        self.strong(&lines);
        let Some(mark) = mark else { return };
        let word = sanitize(&mark.word).to_uppercase();
        let last = lines.lines().last().map_or(0, columns);
        if last + 2 + columns(&word) <= self.width {
            self.text.pop();
        }
        self.text.push_str(&format!("  {}\n", paint(&word, mark.tone, self.color)));
    }

    fn line(&mut self, line: &Line) {
        let indent = "  ".repeat(line.depth);
        let is_item = line.is_item() || line.name.is_some();
        let rest = if is_item { format!("{indent}  ") } else { indent.clone() };
        let first = if line.is_bullet { format!("{indent}- ") } else { indent };
        if let Some(name) = &line.name {
            return self.wrap(&line.text, &format!("{first}{}: ", sanitize(name)), &rest);
        }
        let Some(mark) = &line.mark else { return self.wrap(&line.text, &first, &rest) };
        let word = sanitize(&mark.word);
        let lines = wrap(&sanitize(&format!("{word} {}", line.text)), self.width, &first, &rest);
        // The first word of the first line, unless that is too short for it.
        let painted = match lines.strip_prefix(&first).and_then(|line| line.strip_prefix(&word)) {
            Some(tail) => format!("{first}{}{tail}", paint(&word, mark.tone, self.color)),
            None => lines,
        };
        self.text.push_str(&painted);
    }

    fn rows(&mut self, rows: &[Row]) {
        let most = if self.width < TABLE { 0 } else { NAME };
        let widest = rows.iter().map(|row| columns(&sanitize(&row.name))).max().unwrap_or(0);
        let column = widest.min(most);
        let rest = " ".repeat(column + 4);
        for Row { name, text, advice } in rows {
            self.wrap(text, &format!("  {}  ", padded(&sanitize(name), column)), &rest);
            if let Some(advice) = advice {
                self.wrap(advice, &format!("{rest}-> "), &format!("{rest}   "));
            }
        }
    }
}
