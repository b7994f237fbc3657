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

use self::row::{Row, Unit};
use crate::scan::ScannedTool;
use crate::scan::finder::{Line, Reader};
use crate::scan::result::{Metrics, Out, Place, finding, short};
use bakeoff_model::finding::Severity;

pub static TOOL: ScannedTool = ScannedTool::new(
    "iozone",
    &["Children see throughput", " reclen ", "\"Writer report\""],
    || vec![Box::new(Iozone::default()), throughput::GRAMMAR.reader()],
);

/// A run ends at the latest this many foreign lines after its last line.
const GAP_LINES: u64 = 60;
const ROWS: usize = 4000;

#[derive(Debug, Default)]
struct OpenRun {
    place: Place,
    last_line: u64,
    version: Option<String>,
    command: Option<String>,
    unit: Option<Unit>,
    layout: Option<row::Layout>,
    rows: Vec<Row>,
    misfits: Vec<u64>,
    /// The line of the last row: numbers below it may be the rest of its last value.
    last_row: Option<u64>,
    /// First and last line of Excel reports.
    reports: Option<(u64, u64)>,
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
        let is_stale = self.open.as_ref().is_some_and(|o| line.number > o.last_line + GAP_LINES);
        if is_stale {
            self.close(out);
        }
        if text.starts_with("Iozone: Performance Test of File I/O") {
            self.close(out);
            self.open = Some(OpenRun::new(line));
            return true;
        }
        if row::is_upper_title(text) {
            return true;
        }
        if self.open.is_none() {
            let is_table = row::Layout::from_titles(line.text).is_some();
            let is_start = is_table
                || row::unit(text).is_some()
                || text.starts_with("Command line used: ")
                || text.starts_with("Version $Revision: ")
                || text.starts_with("Error: maximum record size");
            if !is_start {
                return false;
            }
            self.open = Some(OpenRun::new(line));
        }
        let has_rows = self.open.as_ref().is_some_and(|open| !open.rows.is_empty());
        if has_rows && row::Layout::from_titles(line.text).is_some() {
            // Often the tables alone are quoted, one below the other.
            self.close(out);
            self.open = Some(OpenRun::new(line));
        }
        let Some(open) = &mut self.open else { return false };
        let is_own = open.line(line);
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
    fn new(line: &Line<'_>) -> OpenRun {
        OpenRun { place: line.place("iozone"), last_line: line.number, ..OpenRun::default() }
    }

    fn line(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim();
        self.has_throughput |= text.starts_with("Children see throughput for");
        if self.report(line, text) || self.setting(text) {
            return true;
        }
        if let Some(layout) = row::Layout::from_titles(line.text) {
            if self.layout.is_some() {
                self.wrong = Some("two tables of iozone in one run are mixed");
            }
            self.layout = Some(layout);
            return true;
        }
        let Some(layout) = &self.layout else { return false };
        if self.is_complete || self.rows.len() >= ROWS {
            return false;
        }
        let number = line.number;
        match layout.row(line, self.command.as_deref()) {
            row::Found::Row(row) => {
                self.last_row = Some(number);
                self.rows.push(row);
                true
            }
            row::Found::None if !row::is_numbers(text) => false,
            row::Found::None | row::Found::Wrong => {
                let above = self.last_row.take().filter(|above| above + 1 == number);
                if let Some(above) = above.filter(|_| !layout.begins_row(line.text)) {
                    // A page broke the row above, perhaps inside its last value.
                    self.rows.pop();
                    self.misfits.push(above);
                }
                if self.misfits.len() < ROWS {
                    self.misfits.push(number);
                }
                false
            }
        }
    }

    /// Takes the lines of Excel reports: titles, and rows that begin with a quoted size.
    fn report(&mut self, line: &Line<'_>, text: &str) -> bool {
        let is_title = text.starts_with('"') && text.contains(" report");
        let is_row =
            self.reports.is_some_and(|(_, last)| last + 1 == line.number) && text.starts_with('"');
        if is_title || is_row {
            self.reports.get_or_insert((line.number, line.number)).1 = line.number;
        }
        is_title || is_row
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
            return OWN.iter().any(|own| text.starts_with(own));
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
        if let Some((first, last)) = self.reports {
            out.unread(first, last, "bakeoff does not read the Excel reports of iozone -R");
        }
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
        let mut metrics = Metrics::default();
        row.file_size.give_whole("file_size", "bytes", row.line, &mut metrics);
        row.record_size.give_whole("record_size", "bytes", row.line, &mut metrics);
        for value in &row.values {
            value.give(unit, &mut metrics);
        }
        if metrics.0.len() <= 2 {
            return false;
        }
        let place = Place { first_line: row.line, ..self.place.clone() };
        let mut result = place.result("iozone", self.version.clone(), row.line, metrics);
        result.findings.extend(self.interrupted());
        out.result(result);
        true
    }

    fn interrupted(&self) -> Option<bakeoff_model::finding::Finding> {
        let advice = "Run it again to the end; the zeros it printed are missing values.";
        let evidence = "iozone was interrupted, although it exited with 0".to_string();
        self.is_interrupted.then(|| finding("interrupted", Severity::Error, evidence, advice))
    }
}

const OWN: [&str; 39] = [
    "CPU utilization Excel chart",
    "Compiled for",
    "Build: ",
    "Contributors:",
    "Al Slater",
    "Steve Landherr",
    "Randy Dunlap",
    "Jean-Marc Zucconi",
    "Erik Habbinga",
    "Fabrice Bacchella",
    "Vangel Bojaxhi",
    "Alexey Skidanov",
    "Run began:",
    "Include fsync",
    "Include close",
    "O_DIRECT feature",
    "SYNC Mode",
    "Record Size",
    "File size set",
    "Auto Mode",
    "Using minimum",
    "Using maximum",
    "Time Resolution",
    "Processor cache",
    "File stride size",
    "Excel chart generation",
    "Excel output is below",
    "Throughput test with",
    "Each process writes",
    "exiting iozone",
    "Timer resolution is poor",
    "reported inaccurate",
    "CPU utilization Resolution",
    "Xfer",
    "Multi_buffer",
    "OPS Mode",
    "Microseconds/op Mode",
    "Cross over of record size disabled",
    "Setting no_unlink",
];
