//! `iozone`: its table, and throughput mode; 3.4 versions. The Excel reports (`-R`) below a table
//! say the same again and are not read.
//!
//! "kB" is 1024 bytes. A table has blanks for tests that were not run, so its values are told
//! apart by their columns, and by the list of tests in the printed command line when the columns
//! do not fit. A zero is a missing value, which is what an interrupted run prints, except in
//! microseconds. Without the line that says which unit the table is in, nothing is read: the same
//! table holds KiB/s, operations per second or microseconds. Source: iozone 3.414 to 3.489,
//! `iozone.c`.

mod row;
mod throughput;

use self::row::{Layout, Row, Unit};
use crate::scan::ScannedTool;
use crate::scan::finder::{Line, Reader};
use crate::scan::result::{Out, Place, finding, short};
use bakeoff_model::finding::{Finding, Severity};

pub static TOOL: ScannedTool = ScannedTool::new(
    "iozone",
    &["Children see throughput", " reclen ", "\"Writer report\""],
    || vec![Box::new(Iozone::default()), throughput::GRAMMAR.reader()],
);

/// A run ends at the latest this many foreign lines after its last line.
const GAP_LINES: u64 = 60;
const ROWS: usize = 4000;
/// Lines that a run begins with where those above them were not quoted.
const STARTS: [&str; 3] =
    ["Command line used: ", "Version $Revision: ", "Error: maximum record size"];

#[derive(Debug, Default)]
struct OpenRun {
    place: Place,
    last_line: u64,
    version: Option<String>,
    command: Option<String>,
    unit: Option<Unit>,
    layout: Option<Layout>,
    rows: Vec<Row>,
    misfits: Vec<u64>,
    has_throughput: bool,
    is_interrupted: bool,
    is_complete: bool,
    wrong: Option<&'static str>,
    error: Option<String>,
}

#[derive(Debug, Default)]
struct Iozone {
    open: Option<OpenRun>,
}

impl Reader for Iozone {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text.trim();
        let layout = Layout::from_titles(line.text);
        let is_stale = |open: &OpenRun| line.number > open.last_line + GAP_LINES;
        // Often the tables alone are quoted, one below the other.
        let is_next = |open: &OpenRun| layout.is_some() && !open.rows.is_empty();
        let is_first = text.starts_with("Iozone: Performance Test of File I/O");
        if self.open.as_ref().is_some_and(|open| is_first || is_stale(open) || is_next(open)) {
            self.close(out);
        }
        let is_start = is_first
            || layout.is_some()
            || row::unit(text).is_some()
            || STARTS.iter().any(|start| text.starts_with(start));
        if self.open.is_none() && is_start {
            let (place, last_line) = (line.place("iozone"), line.number);
            self.open = Some(OpenRun { place, last_line, ..OpenRun::default() });
        }
        let Some(open) = &mut self.open else { return false };
        let is_own = is_first || open.line(line, layout);
        if is_own {
            open.last_line = line.number;
        }
        // It counts for all readers.
        is_own && !text.starts_with("Command line used: ")
    }

    fn finish(&mut self, out: &mut Out) {
        self.close(out);
    }
}

impl Iozone {
    fn close(&mut self, out: &mut Out) {
        if let Some(open) = self.open.take() {
            open.give(out);
        }
    }
}

impl OpenRun {
    fn line(&mut self, line: &Line<'_>, layout: Option<Layout>) -> bool {
        let text = line.text.trim();
        self.has_throughput |= text.starts_with("Children see throughput for");
        if self.setting(text) {
            return true;
        }
        if layout.is_some() {
            if self.layout.is_some() {
                self.wrong = Some("two tables of iozone in one run are mixed");
            }
            self.layout = layout;
            return true;
        }
        // What it says of itself is indented.
        let is_own = line.text.starts_with(['\t', ' ']);
        let Some(layout) = &self.layout else { return is_own };
        if !row::is_numbers(text) || self.is_complete || self.rows.len() >= ROWS {
            return is_own && !row::is_numbers(text);
        }
        let row = layout.row(line, self.command.as_deref());
        if row.is_none() && self.misfits.len() < ROWS {
            self.misfits.push(line.number);
        }
        let is_row = row.is_some();
        self.rows.extend(row);
        is_row
    }

    fn setting(&mut self, text: &str) -> bool {
        if let Some(rest) = text.strip_prefix("Version $Revision: ") {
            self.version = rest.split_whitespace().next().map(short);
        } else if let Some(rest) = text.strip_prefix("Command line used: ") {
            // iozone prints it before its table; below one it is that of another run.
            if self.command.replace(short(rest)).is_some() || self.layout.is_some() {
                self.wrong = Some("two runs of iozone are mixed");
            }
        } else if let Some(unit) = row::unit(text) {
            if self.unit.replace(unit).is_some_and(|old| old != unit) {
                self.wrong = Some("two unit lines of one run of iozone contradict each other");
            }
        } else if text.starts_with("iozone: interrupted") {
            self.is_interrupted = true;
        } else if text.starts_with("iozone test complete") {
            self.is_complete = true;
        } else if text.starts_with("Error: ") || text.starts_with("Can not open ") {
            self.error.get_or_insert(short(text));
        } else {
            return false;
        }
        true
    }

    fn give(mut self, out: &mut Out) {
        let (first, last) = (self.place.first_line, self.last_line);
        if let Some(why) = self.wrong.take() {
            return out.unread(first, last, why);
        }
        let command_unit = self.command.as_deref().map(row::unit_of_command);
        // Often the shell's command stands above the table instead of iozone's own lines.
        let in_shell = Some(&self.place.command).filter(|command| !command.is_empty());
        let shell_unit = in_shell.map(|command| row::unit_of_command(command));
        let unit = match (self.unit, command_unit) {
            (Some(unit), Some(asked)) if unit != asked => {
                let why = "iozone's unit line and its command line contradict each other";
                return out.unread(first, last, why);
            }
            (unit, asked) => unit.or(asked).or(shell_unit),
        };
        if let Some(command) = self.command.take() {
            self.place.command = command;
        }
        let Some(unit) = unit else {
            let why = "a table of iozone lacks the line that states its unit, `Output is in \
                       kBytes/sec` or the command line: add that line";
            return out.unread(first, last, why);
        };
        for line in &self.misfits {
            out.unread(*line, *line, "numbers below a table of iozone do not fit its columns");
        }
        let mut is_any = self.has_throughput;
        for row in &self.rows {
            is_any |= self.give_row(row, unit, out);
        }
        if !is_any {
            let why = match (&self.error, self.is_interrupted) {
                (Some(error), _) => format!("iozone failed: {error}"),
                (None, true) => "iozone was interrupted before its first result".to_string(),
                (None, false) => "the iozone output has no result".to_string(),
            };
            out.unread(first, last, why);
        }
    }

    fn give_row(&self, row: &Row, unit: Unit, out: &mut Out) -> bool {
        let metrics = row.metrics(unit);
        if metrics.0.len() <= 2 {
            return false;
        }
        let place = Place { first_line: row.line, ..self.place.clone() };
        let mut result = place.result("iozone", self.version.clone(), row.line, metrics);
        result.findings.extend(self.interrupted());
        out.result(result);
        true
    }

    fn interrupted(&self) -> Option<Finding> {
        let advice = "Run it again to the end; the zeros it printed are missing values.";
        let evidence = "iozone was interrupted, although it exited with 0".to_string();
        self.is_interrupted.then(|| finding("interrupted", Severity::Error, evidence, advice))
    }
}
