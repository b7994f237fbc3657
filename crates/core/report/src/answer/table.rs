//! The matrix as a table in a terminal: one line a candidate, columns as narrow as their words,
//! with bars where there is space for them.

use crate::layout::{Tone, columns, cut, padded, paint};

use super::matrix::{Matrix, MatrixCell, Place};
use super::names;

/// A figure with its unit, such as `89.2 MB/s`.
const FIGURE: usize = 9;
const MARK: usize = 1;
/// Headings that plans choose are cut to this.
const HEADING_MAX: usize = 15;
/// Characters of the names: so many at least, for the explanation of the marks is there too, and so
/// many before a workload moves to the next part.
const NAMES: (usize, usize) = (9, 24);
const BAR_MIN: usize = 3;
const BAR_MAX: usize = 8;

/// The table in parts that are `width` wide at most: one, unless there are more workloads than fit.
///
/// What the figures are is said below, before the signs: `% of the leader`.
pub fn parts(matrix: &Matrix, what: &'static str, width: usize, color: bool) -> Vec<Vec<String>> {
    let headings: Vec<String> =
        matrix.columns.iter().map(|c| cut(&c.heading, HEADING_MAX)).collect();
    let natural: Vec<usize> = headings.iter().map(|h| 1 + columns(h).max(FIGURE + MARK)).collect();
    let longest = matrix.rows.iter().map(|r| columns(&r.name)).max().unwrap_or(0);
    let whole = longest.clamp(NAMES.0, NAMES.1);
    let mut parts = Vec::new();
    let mut at = 0;
    while at < natural.len() {
        let mut end = at + 1;
        while end < natural.len() && whole + natural[at..=end].iter().sum::<usize>() <= width {
            end += 1;
        }
        let used: usize = natural[at..end].iter().sum();
        let name = longest.clamp(NAMES.0, width.saturating_sub(used).max(NAMES.0));
        let spare = width.saturating_sub(name + used) / (end - at);
        let bar = match spare.saturating_sub(1) {
            n if n >= BAR_MIN => n.min(BAR_MAX),
            _ => 0,
        };
        let extra = if bar > 0 { bar + 1 } else { spare.min(3) };
        let widths: Vec<usize> = natural[at..end].iter().map(|n| n + extra).collect();
        let part = Part { matrix, first: at, widths, name, bar, color };
        parts.push(part.lines(&headings[at..end]));
        at = end;
    }
    let signs = legend(matrix, what).join("   ");
    if let Some(last) = parts.last_mut().filter(|_| !signs.is_empty()) {
        last.push(paint(&cut(&signs, width), Tone::Grey, color));
    }
    parts
}

/// What the figures are, if it says so, and what the signs mean that are there. That of certainty
/// is explained at the top of a table.
pub fn legend(matrix: &Matrix, what: &'static str) -> Vec<String> {
    let all = || matrix.rows.iter().flat_map(|row| &row.cells);
    let has_share = |cell: &MatrixCell| cell.ratio.is_some() && cell.place != Place::Leader;
    let has = |mark: char| all().any(|cell| cell.mark() == mark);
    let signs = [
        (!what.is_empty() && all().any(has_share), what),
        (has('='), "= equally fast"),
        (all().any(MatrixCell::is_guess), "~ an estimate"),
        (has('!'), "! with stalls"),
    ];
    signs.iter().filter(|s| s.0).map(|s| s.1.to_string()).collect()
}

struct Part<'a> {
    matrix: &'a Matrix,
    first: usize,
    widths: Vec<usize>,
    name: usize,
    bar: usize,
    color: bool,
}

impl Part<'_> {
    fn lines(&self, headings: &[String]) -> Vec<String> {
        let has_mark = |c: &MatrixCell| c.mark() == '*';
        let cells = || self.matrix.rows.iter().flat_map(|r| self.cells(&r.cells));
        let corner = if cells().any(has_mark) { "* certain" } else { "" };
        let mut head = padded(corner, self.name);
        for (heading, width) in headings.iter().zip(&self.widths) {
            // The heading ends where the figures end, before their marks, where it can.
            let is_short = columns(heading) < *width - MARK;
            let text = if is_short { format!("{heading} ") } else { heading.clone() };
            head.push_str(&format!("{text:>width$}"));
        }
        let mut lines = vec![paint(head.trim_end(), Tone::Grey, self.color)];
        let names: Vec<String> = self.matrix.rows.iter().map(|r| r.name.clone()).collect();
        let labels = names::labels(&names, self.name);
        for (row, label) in self.matrix.rows.iter().zip(labels) {
            let is_out = |c: &MatrixCell| matches!(c.place, Place::Out | Place::None);
            let is_out = self.cells(&row.cells).iter().all(is_out);
            let tone = if is_out { Tone::Grey } else { Tone::Plain };
            let mut line = paint(&padded(&label, self.name), tone, self.color);
            for (cell, width) in self.cells(&row.cells).iter().zip(&self.widths) {
                line.push_str(&self.cell(cell, *width));
            }
            lines.push(line.trim_end().to_string());
        }
        lines
    }

    fn cells<'c>(&self, all: &'c [MatrixCell]) -> &'c [MatrixCell] {
        &all[self.first..self.first + self.widths.len()]
    }

    fn cell(&self, cell: &MatrixCell, width: usize) -> String {
        let tone = match cell.place {
            Place::Leader if !cell.is_certain => Tone::Strong,
            Place::Leader | Place::Equal => Tone::Good,
            Place::Open if cell.known_ratio().is_none() => Tone::Grey,
            Place::Open => Tone::Caution,
            Place::Behind => Tone::Plain,
            Place::Out | Place::None => Tone::Grey,
        };
        let words = cut(&format!("{}{}", cell.label, cell.mark()), width.saturating_sub(1));
        let bar = match cell.known_ratio().filter(|_| self.bar > 0) {
            Some((share, ..)) => bar(share, self.bar),
            None => String::new(),
        };
        // The blanks are outside of the colour, so that a line without a last cell ends early.
        let used = usize::from(self.bar > 0) + columns(&bar);
        let blanks = " ".repeat(width.saturating_sub(used + columns(&words)));
        let bar = if bar.is_empty() {
            " ".repeat(used)
        } else {
            format!(" {}", paint(&bar, tone, self.color))
        };
        let text = words.trim_end();
        let tail = " ".repeat(columns(&words) - columns(text));
        format!("{bar}{blanks}{}{tail}", paint(text, tone, self.color))
    }
}

/// A bar of `share` of `room` characters, in eighths of one.
fn bar(share: f64, room: usize) -> String {
    const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let eighths = (share.clamp(0.0, 1.0) * room as f64 * 8.0).round() as usize;
    let mut out = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        out.push(EIGHTHS[eighths % 8 - 1]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        assert_eq!(
            (bar(1.0, 4), bar(0.5, 4), bar(0.0, 4)),
            ("████".into(), "██".into(), "".into())
        );
        assert_eq!(bar(0.28, 4), "█▏");
    }
}
