//! The reports that `-R` prints below the table: the same values, one test a report; with `-+u`
//! also the CPU time of each test as a share of its wall time, of which a zero says nothing.

use std::collections::BTreeMap;

use super::row::{Row, TESTS, Unit, Value};
use crate::scan::decimal::Decimal;
use crate::scan::finder::Line;

/// Most values of one run, and reports.
const VALUES: usize = 20_000;
const REPORTS: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReportKind {
    Rates(usize),
    Cpu(usize),
    /// Something else, whose lines are only passed over.
    Other,
}

/// What a report's title says about its values.
fn kind(title: &str) -> ReportKind {
    let test_of = |suffix| {
        let test = title.strip_suffix(suffix)?;
        TESTS.iter().position(|(_, known)| *known == test)
    };
    let rates = test_of(" report").map(ReportKind::Rates);
    let cpu = || test_of(" CPU utilization report (Zero values should be ignored)");
    rates.or_else(|| cpu().map(ReportKind::Cpu)).unwrap_or(ReportKind::Other)
}

#[derive(Debug)]
struct ExcelValue {
    file: String,
    record: String,
    record_line: u64,
    value: Value,
}

/// One report: what it holds, and the file and record of each of its values.
#[derive(Debug)]
struct ExcelReport {
    kind: ReportKind,
    places: Places,
}

type Places = Vec<(String, String)>;

#[derive(Debug, Default)]
pub struct Excel {
    open: Option<ReportKind>,
    reports: Vec<ExcelReport>,
    /// Whether a title or a line of records is missing.
    is_torn: bool,
    records: Vec<String>,
    records_line: u64,
    cells: Vec<ExcelValue>,
    cpu: BTreeMap<(String, String, usize), Option<Value>>,
    /// The file's size in the last row of the report: it grows from row to row.
    file: Option<u64>,
    passed_over: Vec<(u64, u64, &'static str)>,
    /// The line of the last row that was taken, and its characters.
    row_line: u64,
    row_width: usize,
    widest: usize,
}

fn quoted(word: &str) -> Option<&str> {
    word.strip_prefix('"')?.strip_suffix('"')
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

impl Excel {
    pub fn line(&mut self, line: &Line<'_>, text: &str) -> bool {
        let width = line.text.chars().count();
        self.widest = self.widest.max(width);
        if let Some(title) = quoted(text).filter(|title| title.contains(" report")) {
            let kind = kind(title);
            self.open = Some(kind);
            if self.reports.len() < REPORTS {
                self.reports.push(ExcelReport { kind, places: Vec::new() });
            }
            if kind == ReportKind::Other && self.passed_over.len() < TESTS.len() {
                self.passed_over.push((
                    line.number,
                    line.number,
                    "an Excel report of another kind",
                ));
            }
            self.records.clear();
            return true;
        }
        let Some(kind) = self.open else { return false };
        let words: Vec<&str> = text.split_whitespace().collect();
        let Some(first) = words.first().and_then(|word| quoted(word)).filter(|w| is_number(w))
        else {
            let is_below = self.row_line + 1 == line.number && words.len() == 1;
            if is_below && is_number(text) && self.row_width == self.widest {
                self.drop_row(line.number);
                return true;
            }
            if !text.is_empty() {
                self.open = None;
            }
            return false;
        };
        if let (ReportKind::Other, Some((_, last, _))) = (kind, self.passed_over.last_mut()) {
            *last = line.number;
        }
        let labels: Vec<&str> = words.iter().filter_map(|word| quoted(word)).collect();
        let is_label_row = labels.len() == words.len();
        let falls = first.parse::<u64>().ok() <= self.file && !is_label_row;
        // The title of another report is missing above, or the records of this one.
        if self.records.is_empty() != is_label_row || falls {
            self.open = Some(ReportKind::Other);
            self.is_torn = true;
            self.passed_over.push((line.number, line.number, "an incomplete Excel report"));
            self.records.clear();
            return true;
        }
        if self.records.is_empty() && labels.len() == words.len() {
            self.records_line = line.number;
            self.records = labels.into_iter().map(str::to_string).collect();
            self.file = None;
            return true;
        }
        // A value without the blank behind it may have been cut.
        let is_whole = line.is_ended && words.len() == self.fitting(first) + 1;
        if is_whole && self.cells.len() + self.cpu.len() < VALUES {
            self.row(kind, first, &words[1..], line.number);
            self.file = first.parse().ok();
            (self.row_line, self.row_width) = (line.number, width);
        }
        true
    }

    /// A number below a row that is as wide as the page may be the rest of its last value.
    fn drop_row(&mut self, number: u64) {
        let row_line = self.row_line;
        self.cells.retain(|cell| cell.value.line != row_line);
        let of_row = |value: &Value| value.line == row_line;
        self.cpu.values_mut().for_each(|value| *value = value.take().filter(|v| !of_row(v)));
        self.passed_over.push((row_line, number, "a row of an Excel report that was wrapped"));
    }

    /// Records that fit into the file: a row ends with the last of them.
    fn fitting(&self, file: &str) -> usize {
        let fits = |record: &&String| match (record.parse::<u64>(), file.parse::<u64>()) {
            (Ok(record), Ok(file)) => record <= file,
            _ => false,
        };
        self.records.iter().take_while(fits).count()
    }

    fn row(&mut self, kind: ReportKind, file: &str, values: &[&str], line: u64) {
        for (record, raw) in self.records.iter().zip(values) {
            let (ReportKind::Rates(test) | ReportKind::Cpu(test)) = kind else { continue };
            let Some(number) = Decimal::parse(raw) else { continue };
            let value = Value { test, number, raw: (*raw).to_string(), line };
            let (file, record) = (file.to_string(), record.clone());
            if let Some(report) = self.reports.last_mut() {
                report.places.push((file.clone(), record.clone()));
            }
            if let ReportKind::Cpu(_) = kind {
                // Two reports of one test are those of two runs: neither is taken.
                let known = self.cpu.entry((file, record, test));
                known.and_modify(|value| *value = None).or_insert(Some(value));
                continue;
            }
            self.cells.push(ExcelValue { file, record, record_line: self.records_line, value });
        }
    }

    /// The CPU utilisation of the tests of one row, in percent of their wall time.
    pub fn cpu<'a>(&'a self, row: &Row) -> impl Iterator<Item = &'a Value> {
        let (file, record) = (row.file_raw.clone(), row.record_raw.clone());
        let of_test = move |test| self.cpu.get(&(file.clone(), record.clone(), test))?.as_ref();
        let told = (0..TESTS.len()).filter_map(of_test);
        told.filter(|value| value.number.value() > 0.0)
    }

    /// Takes out what the reports alone say, beside the rows of the table, where a line of them is
    /// missing: a row may then stand below the title of another test. Reports come in one order,
    /// each with the same rows, and those about the CPU are of the same tests.
    pub fn drop_incomplete(&mut self, known: &[Row]) {
        let of = |pick: fn(ReportKind) -> Option<usize>| -> Vec<(usize, &Places)> {
            self.reports.iter().filter_map(|r| Some((pick(r.kind)?, &r.places))).collect()
        };
        let rates = of(|kind| if let ReportKind::Rates(test) = kind { Some(test) } else { None });
        let cpu = of(|kind| if let ReportKind::Cpu(test) = kind { Some(test) } else { None });
        let is_whole = |all: &[(usize, &Places)]| {
            let follow = |two: &[(usize, &Places)]| two[0].0 < two[1].0 && two[0].1 == two[1].1;
            !self.is_torn && all.windows(2).all(follow)
        };
        let (has_rates, has_cpu) =
            (is_whole(&rates), is_whole(&cpu) && (rates.is_empty() || rates == cpu));
        let mut lost = Vec::new();
        if !has_rates {
            let (kept, gone): (Vec<ExcelValue>, Vec<ExcelValue>) = std::mem::take(&mut self.cells)
                .into_iter()
                .partition(|cell| known.iter().any(|row| is_at(row, cell)));
            lost.extend(gone.iter().map(|cell| cell.value.line));
            self.cells = kept;
        }
        if !has_cpu {
            let gone = std::mem::take(&mut self.cpu);
            lost.extend(gone.values().flatten().map(|value| value.line));
        }
        if let (Some(first), Some(last)) = (lost.iter().min(), lost.iter().max()) {
            let what = "a figure from an incomplete set of Excel reports";
            self.passed_over.push((*first, *last, what));
        }
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
            let row = Row::with_sizes(
                (&cell.file, &cell.record),
                vec![cell.value.clone()],
                cell.value.line,
            );
            rows.extend(row.map(|row| Row { record_line: cell.record_line, ..row }));
        }
        rows
    }
}

fn is_at(row: &Row, cell: &ExcelValue) -> bool {
    row.file_raw == cell.file && row.record_raw == cell.record
}
