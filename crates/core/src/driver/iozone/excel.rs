//! The reports that `-R` prints below the table: the same values, one test a report.

use super::row::{Row, Unit, Value};
use crate::import::decimal::Decimal;
use crate::import::finder::Line;

/// Titles of the reports, in the order of the table's columns.
const TITLES: [&str; 17] = [
    "Writer report",
    "Re-writer report",
    "Reader report",
    "Re-Reader report",
    "Random read report",
    "Random write report",
    "Backward read report",
    "Record rewrite report",
    "Stride read report",
    "Fwrite report",
    "Re-Fwrite report",
    "Fread report",
    "Re-Fread report",
    "Pwrite report",
    "Re-Pwrite report",
    "Pread report",
    "Re-Pread report",
];
/// Most values of one run.
const VALUES: usize = 20_000;

/// One value of a report.
#[derive(Debug)]
struct Cell {
    file: String,
    record: String,
    record_line: u64,
    value: Value,
}

/// The reports of one run.
#[derive(Debug, Default)]
pub struct Excel {
    /// The test of the open report; `None` for the CPU reports, whose lines are only passed over.
    open: Option<Option<usize>>,
    records: Vec<String>,
    records_line: u64,
    cells: Vec<Cell>,
    passed_over: Vec<(u64, u64, &'static str)>,
}

fn quoted(word: &str) -> Option<&str> {
    word.strip_prefix('"')?.strip_suffix('"')
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

impl Excel {
    /// Takes a line of a report.
    pub fn line(&mut self, line: &Line<'_>, text: &str) -> bool {
        if let Some(title) = quoted(text).filter(|title| title.contains(" report")) {
            let test = TITLES.iter().position(|known| *known == title);
            self.open = Some(test);
            if test.is_none() && self.passed_over.len() < TITLES.len() {
                self.passed_over.push((line.number, line.number, "a CPU or other Excel report"));
            }
            self.records.clear();
            return true;
        }
        let Some(test) = self.open else { return false };
        let words: Vec<&str> = text.split_whitespace().collect();
        let Some(first) = words.first().and_then(|word| quoted(word)).filter(|w| is_number(w))
        else {
            if !text.is_empty() {
                self.open = None;
            }
            return false;
        };
        if let (None, Some((_, last, _))) = (test, self.passed_over.last_mut()) {
            *last = line.number;
        }
        let labels: Vec<&str> = words.iter().filter_map(|word| quoted(word)).collect();
        if self.records.is_empty() && labels.len() == words.len() {
            self.records_line = line.number;
            self.records = labels.into_iter().map(str::to_string).collect();
            return true;
        }
        // A value without the blank behind it may have been cut.
        let is_whole = line.is_ended;
        let values = &words[1..];
        if values.len() == self.records.len() && is_whole && self.cells.len() < VALUES {
            for (record, raw) in self.records.iter().zip(values) {
                let (Some(test), Some(number)) = (test, Decimal::parse(raw)) else { continue };
                let raw = (*raw).to_string();
                let value = Value { test, number, raw, line: line.number };
                self.cells.push(Cell {
                    file: first.to_string(),
                    record: record.clone(),
                    record_line: self.records_line,
                    value,
                });
            }
        }
        true
    }

    /// Reports that are not read: first line, last line, what it is.
    pub fn passed_over(&self) -> &[(u64, u64, &'static str)] {
        &self.passed_over
    }

    /// Why the reports cannot be of the run whose table is above.
    pub fn contradiction(&self, rows: &[Row], unit: Unit) -> Option<String> {
        for cell in &self.cells {
            let row = rows.iter().find(|row| is_at(row, cell));
            let above = row.and_then(|row| row.values.iter().find(|v| v.test == cell.value.test));
            let Some(above) = above else { continue };
            let is_missing = cell.value.number.value() == 0.0 && unit != Unit::Microseconds;
            if above.number.value() != cell.value.number.value() && !is_missing {
                let line = cell.value.line;
                return Some(format!("line {line}: the report contradicts the table above it"));
            }
        }
        None
    }

    /// The rows that only the reports have.
    pub fn rows(&self, known: &[Row]) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        for cell in &self.cells {
            if known.iter().any(|row| is_at(row, cell)) {
                continue;
            }
            if let Some(row) = rows.iter_mut().find(|row| is_at(row, cell)) {
                row.values.push(cell.value.clone());
                continue;
            }
            let sizes = (Decimal::parse(&cell.file), Decimal::parse(&cell.record));
            let (Some(file_kib), Some(record_kib)) = sizes else { continue };
            rows.push(Row {
                file_kib,
                file_raw: cell.file.clone(),
                record_kib,
                record_raw: cell.record.clone(),
                values: vec![cell.value.clone()],
                line: cell.value.line,
                record_line: cell.record_line,
            });
        }
        rows
    }
}

fn is_at(row: &Row, cell: &Cell) -> bool {
    row.file_raw == cell.file && row.record_raw == cell.record
}
