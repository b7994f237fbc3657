//! Tables that people made of results, found without being told: by a line of titles that mean
//! something and rows of as many cells below it. Each is proposed as a ready list of columns, or
//! read by it at once when asked.

pub(super) mod titles;

use std::collections::BTreeSet;

use self::titles::Title;
use super::cells::{Gap, cells};
use super::columns::Columns;
use super::rows::Rows;
use bakeoff_tools::scan::NO_UNIT;
use bakeoff_tools::scan::finder::{Above, Line, Reader};
use bakeoff_tools::scan::result::Out;

/// Most columns, rows and tables that are kept, and the longest line of one.
const COLUMNS: usize = 40;
const ROWS: usize = 500;
const TABLES: usize = 200;
const LINE_BYTES: usize = 2000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Propose,
    Read,
}

#[derive(Debug)]
struct OpenTable {
    heading: String,
    gap: Gap,
    titles: Vec<String>,
    first_line: u64,
    last_line: u64,
    rows: Vec<(u64, String)>,
}

/// Finds tables in the lines that no tool's reader took.
#[derive(Debug)]
pub struct Tables {
    asked: Asked,
    open: Option<OpenTable>,
    open_html: Option<OpenTable>,
    closed: Vec<OpenTable>,
}

impl Tables {
    pub fn new(asked: Asked) -> Tables {
        Tables { asked, open: None, open_html: None, closed: Vec::new() }
    }
}

impl Reader for Tables {
    fn line(&mut self, line: &Line<'_>, _: &mut Out) -> bool {
        let open = self.open.take();
        let is_near = open.as_ref().is_some_and(|open| line.number <= open.last_line + 1);
        self.open = self.look(open, line, is_near);
        false
    }

    fn row(&mut self, line: &Line<'_>, _: &mut Out) {
        let open = self.open_html.take();
        self.open_html = self.look(open, line, true);
    }

    fn finish(&mut self, out: &mut Out) {
        for open in [self.open.take(), self.open_html.take()].into_iter().flatten() {
            self.close(open);
        }
        for table in std::mem::take(&mut self.closed) {
            // Tables of a tool's own are its reader's.
            if !out.has_between(table.first_line, table.last_line) {
                table.give(self.asked, out);
            }
        }
    }
}

impl Tables {
    fn look(
        &mut self,
        open: Option<OpenTable>,
        line: &Line<'_>,
        is_near: bool,
    ) -> Option<OpenTable> {
        let text = line.text;
        let is_rule = !text.trim().is_empty() && text.chars().all(|c| "|-:+=_ \t".contains(c));
        let Some(mut open) = open else { return begun(line) };
        if is_rule && is_near {
            open.last_line = line.number;
            return Some(open);
        }
        let fits = row_of(text).is_some_and(|(gap, cells)| {
            gap == open.gap && (cells.len() == open.titles.len() || gap == Gap::Bars)
        });
        if fits && is_near && open.rows.len() < ROWS && text.len() <= LINE_BYTES {
            open.rows.push((line.number, text.to_string()));
            open.last_line = line.number;
            return Some(open);
        }
        self.close(open);
        begun(line)
    }

    fn close(&mut self, table: OpenTable) {
        if !table.rows.is_empty() && self.closed.len() < TABLES && table.columns().is_some() {
            self.closed.push(table);
        }
    }
}

fn begun(line: &Line<'_>) -> Option<OpenTable> {
    let (gap, titles) = row_of(line.text)?;
    let has_figure = titles.iter().any(|title| titles::is_figure(title));
    if titles.len() > COLUMNS || has_figure || line.text.len() > LINE_BYTES {
        return None;
    }
    Some(OpenTable {
        heading: line.place("").context,
        gap,
        titles,
        first_line: line.number,
        last_line: line.number,
        rows: Vec::new(),
    })
}

impl OpenTable {
    /// The list of the columns, or why there is none; `None` when none has figures.
    fn columns(&self) -> Option<Result<String, String>> {
        let rows: Vec<Vec<String>> =
            self.rows.iter().filter_map(|(_, text)| Some(row_of(text)?.1)).collect();
        let of_heading = titles::unit(&self.heading);
        let (mut has_value, mut is_whole, mut is_unclear) = (false, true, false);
        let mut labels = BTreeSet::new();
        let mut column = |(at, title): (usize, &String)| {
            let below: Vec<&str> =
                rows.iter().filter_map(|row| Some(row.get(at)?.as_str())).collect();
            match titles::title(title, &below) {
                Title::Label(key) if labels.insert(key) => key.to_string(),
                Title::Value { test, unit, setup } => {
                    has_value = true;
                    let unit = unit.as_deref().or(of_heading);
                    is_whole &= unit.is_some();
                    let unit = unit.unwrap_or(NO_UNIT);
                    setup.map_or(format!("{test} {unit}"), |setup| format!("{test} {unit} {setup}"))
                }
                Title::Unclear => {
                    is_unclear = true;
                    "-".to_string()
                }
                Title::Label(_) | Title::Unknown => "-".to_string(),
            }
        };
        let mut all: Vec<String> = self.titles.iter().enumerate().map(&mut column).collect();
        // What tells rows apart stands first, whatever its title is.
        let has_text = rows.iter().any(|row| !titles::is_figure(&row[0]));
        if labels.is_empty() && has_text && all[0] == "-" {
            all[0] = "test".to_string();
        }
        let list = all.join(",");
        match (has_value, is_unclear) {
            (true, _) if is_whole => Some(Ok(list)),
            (true, _) => Some(Err(format!(
                "the table of results does not state a unit. Write the unit in place of {NO_UNIT}: \
                 --columns '{list}'"
            ))),
            (false, true) => {
                let why =
                    "the cells of the table of results contain more than a number and its unit";
                Some(Err(why.to_string()))
            }
            (false, false) => None,
        }
    }

    fn give(self, asked: Asked, out: &mut Out) {
        let (first, last) = (self.first_line, self.last_line);
        let why = match self.columns() {
            None => return,
            Some(Err(why)) => why,
            Some(Ok(list)) => {
                if asked == Asked::Read
                    && let Ok(columns) = list.parse()
                {
                    return self.read(columns, out);
                }
                format!(
                    "this is a table of results. `--guess` reads it with these columns, or \
                     specify the columns: --columns '{list}'"
                )
            }
        };
        out.unread(first, last, why);
    }

    fn read(self, columns: Columns, out: &mut Out) {
        let above = Above::under(self.heading);
        let mut reader = Rows::new(columns);
        for (number, text) in &self.rows {
            let line = Line { number: *number, text, is_ended: true, above: &above };
            if !reader.line(&line, out) {
                out.unread(*number, *number, "the row has no figure in the columns of figures");
            }
        }
        reader.finish(out);
    }
}

fn row_of(text: &str) -> Option<(Gap, Vec<String>)> {
    Some(cells(text)).filter(|(_, cells)| cells.len() >= 2)
}

#[cfg(test)]
mod tests;
