//! `iozone`: its table, the Excel reports below it, and throughput mode; 3.4 versions.
//!
//! "kB" is 1024 bytes. A table has blanks for tests that were not run, so its values are told
//! apart by their columns, and by the list of tests in the printed command line when the columns
//! do not fit. A zero is a missing value, which is what an interrupted run prints, except in
//! microseconds. Without the line that says which unit the table is in, nothing is read: the same
//! table holds KiB/s, operations per second or microseconds. Source: iozone 3.414 to 3.489,
//! `iozone.c`.

pub mod command;
mod excel;
mod latencies;
mod row;
mod throughput;
mod wrapped;

use self::latencies::IozoneLatencies;
use self::row::{Row, Unit};
use crate::scan::ScannedTool;
use crate::scan::finder::{Line, Reader};
use crate::scan::result::{Metrics, Out, Place, finding, short};
use bakeoff_model::finding::Severity;

pub static TOOL: ScannedTool = ScannedTool::new(
    "iozone",
    &["Children see throughput", " reclen ", "\"Writer report\""],
    || {
        vec![
            Box::new(Iozone::default()),
            Box::new(IozoneLatencies::default()),
            throughput::GRAMMAR.reader(),
        ]
    },
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
    wrapped: wrapped::Wrapped,
    rows: Vec<Row>,
    misfits: Vec<u64>,
    /// The lines of the last row, where its values were told by their number.
    by_count: Option<(u64, u64)>,
    excel: excel::Excel,
    has_throughput: bool,
    is_interrupted: bool,
    is_complete: bool,
    /// Whether its options say that it tells CPU utilisation (`-+u`).
    has_cpu: bool,
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
        if self.excel.line(line, text) || self.setting(text) {
            return true;
        }
        if let Some(layout) = row::Layout::from_titles(line.text) {
            if self.layout.is_some() {
                self.wrong = Some("two tables of iozone in one run are mixed");
            }
            self.layout = Some(layout);
            self.wrapped = wrapped::Wrapped::begin(line);
            return true;
        }
        // A list of latencies follows, which is no table.
        self.is_complete |= text.starts_with("Offset in kBytes");
        let Some(layout) = &self.layout else { return false };
        if self.is_complete || self.rows.len() >= ROWS {
            return false;
        }
        if self.wrapped.titles(line) {
            return true;
        }
        let command = self.command.as_deref();
        let wrapped = self.wrapped.row(layout, line, command);
        let is_wrapped = wrapped.is_some();
        let number = line.number;
        match wrapped.unwrap_or_else(|| layout.row(line, command)) {
            row::Found::Row(row) => {
                let is_part = |at: &u64| is_wrapped && (row.line..=number).contains(at);
                self.misfits.retain(|at| !is_part(at));
                let is_by_count = is_wrapped || !layout.is_aligned(line.text);
                self.by_count = is_by_count.then_some((row.line, number));
                self.rows.push(row);
                true
            }
            row::Found::None if !row::is_numbers(text) => false,
            row::Found::None | row::Found::Wrong => {
                let above = self.by_count.take();
                let above = above.filter(|(_, last)| last + 1 == number);
                if let Some((first, last)) = above.filter(|_| !layout.begins_row(line.text)) {
                    // The last value of the row above may end here.
                    self.rows.pop();
                    self.misfits.extend(first..=last);
                }
                if self.misfits.len() < ROWS {
                    self.misfits.push(number);
                }
                is_wrapped
            }
        }
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
        } else if text.starts_with("CPU utilization Excel chart") {
            self.has_cpu = true;
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
        if let Some(why) = self.excel.contradiction(&self.rows, unit) {
            return out.unread(first, last, why);
        }
        self.excel.drop_incomplete(&self.rows);
        for (first, last, part) in self.excel.passed_over() {
            out.unread(*first, *last, format!("iozone: bakeoff does not read {part}"));
        }
        for line in &self.misfits {
            out.unread(*line, *line, "numbers below a table of iozone do not fit its columns");
        }
        let extra = self.excel.rows(&self.rows);
        let mut is_any = self.has_throughput;
        for row in self.rows.iter().chain(&extra) {
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
        row.record_size.give_whole("record_size", "bytes", row.record_line, &mut metrics);
        for value in &row.values {
            value.give(unit, &mut metrics);
        }
        if metrics.0.len() <= 2 {
            return false;
        }
        for value in self.excel.cpu(row).filter(|_| self.has_cpu) {
            let name = format!("{}.cpu", row::TESTS[value.test].0);
            value.number.give_real(&name, "percent", value.line, &mut metrics);
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

const OWN: [&str; 38] = [
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
