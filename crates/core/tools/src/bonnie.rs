//! `bonnie++`: its tables and its CSV lines, versions 1.03 to 2.00.
//!
//! The CSV line repeats the table above it and replaces it: the table of 1.98 to 2.00a prints a
//! leftover integer as the rates of small files (a floating value given to an integer conversion),
//! so those are read from the CSV only. Rates in K/sec are KiB/s; `+++++` means that the phase took
//! less than half a second and is not a number. Source: bonnie++ 1.97 and 2.00a, `bonnie++.cpp` and
//! `bon_csv2txt.cpp`.

mod table;
#[cfg(test)]
mod tests;

use self::table::BonnieTable;
use crate::scan::ScannedTool;
use crate::scan::finder::{Line, Reader};
use crate::scan::quantity::Quantity;
use crate::scan::result::{Metrics, Out, Place, finding};
use bakeoff_model::finding::Severity;

pub static TOOL: ScannedTool = ScannedTool {
    phases: &["Writing a byte at a time...", "Writing intelligently..."],
    ..ScannedTool::new(
        "bonnie++",
        &["-Per Chr- --Block--", ",1.97,1.9", "1.97,1.97,", "1.98,2.00", "1.98,1.98,"],
        || vec![Box::new(Bonnie::default())],
    )
};

type Units = &'static [(&'static str, u64)];

/// The phases in the order of the CSV line; the rate of the first five is KiB/s.
const TESTS: [&str; 12] = [
    "sequential output per chr",
    "sequential output block",
    "sequential output rewrite",
    "sequential input per chr",
    "sequential input block",
    "random seeks",
    "sequential create",
    "sequential read",
    "sequential delete",
    "random create",
    "random read",
    "random delete",
];
const BULK_TESTS: usize = 5;
const ONE: Units = &[("", 1)];
const RATES: Units = &[("k", 1 << 10), ("m", 1 << 20), ("g", 1 << 30), ("", 1 << 10)];
const TIMES: Units = &[("us", 1000), ("ms", 1_000_000), ("s", 1_000_000_000)];
const SIZES: Units = &[
    ("k", 1 << 10),
    ("K", 1 << 10),
    ("m", 1 << 20),
    ("M", 1 << 20),
    ("g", 1 << 30),
    ("G", 1 << 30),
    ("", 1),
];
const SETTINGS: [(&str, &str, Units); 4] = [
    ("concurrency", "count", ONE),
    ("file_size", "bytes", SIZES),
    ("chunk_size", "bytes", SIZES),
    ("files", "count", &[("", 1024)]),
];
/// A CSV line is at most this many lines below its table.
const CSV_GAP_LINES: u64 = 12;
const TOO_SHORT: &str = "L25";

/// A printed text and its line.
type Cell = Option<(String, u64)>;

/// What one run printed.
#[derive(Debug, Default)]
struct Cells {
    version: String,
    name: String,
    /// In the order of [`SETTINGS`].
    settings: [Cell; 4],
    /// Rate, CPU and latency of each of [`TESTS`].
    tests: [[Cell; 3]; 12],
}

fn cell(text: &str, line: u64) -> Cell {
    Some((text.to_string(), line)).filter(|(text, _)| !text.is_empty())
}

fn is_pluses(cell: &Cell) -> bool {
    cell.as_ref().is_some_and(|(text, _)| text.starts_with("+++"))
}

fn give(
    name: &str,
    of: (&'static str, Units),
    cell: &Cell,
    to: &mut Metrics,
) -> Result<(), String> {
    let Some((text, line)) = cell.as_ref().filter(|_| !is_pluses(cell)) else { return Ok(()) };
    let quantity = Quantity::suffixed(text, of.1)
        .ok_or_else(|| format!("'{text}' is not the {name} of a bonnie++ output"))?;
    quantity.give(name, of.0, *line, to);
    Ok(())
}

impl Cells {
    fn metrics(&self) -> Result<Metrics, String> {
        let mut metrics = Metrics::default();
        for ((name, unit, units), cell) in SETTINGS.iter().zip(&self.settings) {
            give(name, (unit, units), cell, &mut metrics)?;
        }
        for (at, ([rate, cpu, latency], test)) in self.tests.iter().zip(TESTS).enumerate() {
            let name = |what: &str| format!("{}.{what}", test.replace(' ', "_"));
            if at < BULK_TESTS {
                give(&name("throughput"), ("bytes/s", RATES), rate, &mut metrics)?;
            } else {
                give(&name("rate"), ("1/s", ONE), rate, &mut metrics)?;
            }
            give(&name("cpu"), ("percent", ONE), cpu, &mut metrics)?;
            give(&name("latency_max"), ("ns", TIMES), latency, &mut metrics)?;
        }
        Ok(metrics)
    }

    fn emit(&self, place: &Place, last: u64, out: &mut Out) {
        let metrics = match self.metrics() {
            Ok(metrics) => metrics,
            Err(why) => return out.unread(place.first_line, last, why),
        };
        let tests = TESTS.iter().zip(&self.tests);
        let short: Vec<&str> =
            tests.filter(|(_, cells)| is_pluses(&cells[0])).map(|(test, _)| *test).collect();
        let has_figures = metrics.0.iter().any(|metric| metric.name.contains('.'));
        if !has_figures && short.is_empty() {
            return out.unread(place.first_line, last, "the bonnie++ output has no figure");
        }
        let version = Some(self.version.clone()).filter(|version| !version.is_empty());
        let mut result = place.result("bonnie++", version, last, metrics).of_test(&self.name);
        if !short.is_empty() {
            let evidence = format!("+++++ for {}: each took less than 0.5 s", short.join(", "));
            let advice = "Measure with a larger file (-s) or more files (-n).";
            result.findings.push(finding(TOO_SHORT, Severity::Error, evidence, advice));
        }
        out.result(result);
    }

    /// Reads a whole CSV line by position, because the header that `-x` prints has the wrong
    /// columns.
    fn from_csv(text: &str, line: &Line<'_>) -> Option<Cells> {
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        // 27 fields are no proof; a size among numbers is.
        let has_size =
            || fields[1].split(':').next().is_some_and(|size| size.ends_with(['M', 'G']));
        // Settings, bulk rates, rates of small files, latencies.
        let (settings, bulk, small, latency) = match (fields[0], fields.len()) {
            ("1.96" | "1.97", 48) => ([3, 5, 6, 19], 7, 24, Some(36)),
            ("1.98", 50) => ([3, 5, 6, 21], 9, 26, Some(38)),
            (_, 27) if has_size() && line.is_ended => ([1, 1, 1, 14], 2, 15, None),
            _ => return None,
        };
        let cell = |text: &str| cell(text, line.number);
        let mut cells = Cells::default();
        for (at, cells) in cells.tests.iter_mut().enumerate() {
            let rate = if at < 6 { bulk + 2 * at } else { small + 2 * (at - 6) };
            let latency = latency.map_or("", |latency: usize| fields[latency + at]);
            *cells = [cell(fields[rate]), cell(fields[rate + 1]), cell(latency)];
        }
        if latency.is_some() {
            (cells.version, cells.name) = (fields[1].to_string(), fields[2].to_string());
            cells.settings = settings.map(|at| cell(fields[at]));
        } else {
            (cells.version, cells.name) = ("1.03".to_string(), fields[0].to_string());
            let (file, chunk) = fields[1].split_once(':').unwrap_or((fields[1], ""));
            let files = fields[14].split(':').next().unwrap_or("");
            cells.settings = [None, cell(file), cell(chunk), cell(files)];
            cells.metrics().ok()?;
        }
        Some(cells)
    }
}

#[derive(Debug, Default)]
struct Bonnie {
    table: Option<BonnieTable>,
}

impl Reader for Bonnie {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text.trim();
        if text.starts_with("format_version,bonnie_version,") {
            return true;
        }
        if let Some(cells) = Cells::from_csv(text, line) {
            self.give_csv(line, cells, out);
            return true;
        }
        let is_cut = ["1.96,", "1.97,", "1.98,"].iter().any(|format| {
            let version = text.strip_prefix(format).unwrap_or("");
            version.starts_with(|c: char| c.is_ascii_digit()) && version.contains(',')
        });
        if is_cut {
            out.unread(line.number, line.number, "a CSV line of bonnie++ is incomplete");
            return true;
        }
        if self.table.as_ref().is_some_and(|t| line.number > t.last_line + CSV_GAP_LINES) {
            self.close(out);
        }
        if let Some((version, is_create)) = table::header(line.text) {
            let goes_on =
                self.table.as_mut().is_some_and(|table| table.goes_on(&version, is_create));
            if !goes_on {
                self.close(out);
                let Some(version) = version else { return false };
                self.table = Some(BonnieTable::new(line.place("bonnie++"), version, is_create));
            }
            if let Some(table) = &mut self.table {
                table.begin(line.number);
            }
            return true;
        }
        self.table.as_mut().is_some_and(|table| table.line(line))
    }

    fn finish(&mut self, out: &mut Out) {
        self.close(out);
    }
}

impl Bonnie {
    fn close(&mut self, out: &mut Out) {
        let Some(table) = self.table.take() else { return };
        let (first, last) = (table.place.first_line, table.last_line);
        if let Some(line) = table.leftover_line {
            let why = "bonnie++ 1.98 to 2.00 print wrong rates for small files; the correct rates \
                       are in its CSV line";
            out.unread(line, line, why);
        }
        match table.wrong {
            Some(why) => out.unread(first, last, why),
            None => table.cells.emit(&table.place, last, out),
        }
    }

    fn give_csv(&mut self, line: &Line<'_>, mut cells: Cells, out: &mut Out) {
        let mut place = line.place("bonnie++");
        let is_its = |table: &mut BonnieTable| {
            let is_near = line.number <= table.last_line + CSV_GAP_LINES;
            is_near && cells.name.starts_with(&table.cells.name)
        };
        if let Some(table) = self.table.take_if(is_its) {
            place.first_line = table.place.first_line;
            if table.wrong.is_none() {
                // The CSV line of 1.98 leaves the chunk size out.
                let [_, _, chunk, _] = table.cells.settings;
                cells.settings[2] = cells.settings[2].take().or(chunk);
            }
        }
        self.close(out);
        cells.emit(&place, line.number, out);
    }
}
