//! The reports that `-R` prints below the table: the same values, one test a report; with `-+u`
//! also the CPU time of each test as a share of its wall time, of which a zero says nothing.

use super::row::{Row, TESTS, Unit, Value};
use crate::scan::finder::Line;

const VALUES: usize = 20_000;
const REPORTS: usize = 100;

#[derive(Debug)]
struct ExcelCell {
    file: String,
    record: String,
    record_line: u64,
    value: Option<Value>,
}

impl ExcelCell {
    fn place(&self) -> (&str, &str) {
        (&self.file, &self.record)
    }
}

/// A report of one test: rates, or its CPU time.
#[derive(Debug)]
struct ExcelReport {
    test: usize,
    is_cpu: bool,
    cells: Vec<ExcelCell>,
}

#[derive(Debug, Default)]
pub struct Excel {
    open: Option<bool>,
    reports: Vec<ExcelReport>,
    is_torn: bool,
    records: Vec<String>,
    records_line: u64,
    values: usize,
    /// The file's size in the last row of the report: it grows from row to row.
    file: Option<u64>,
    passed_over: Vec<(u64, u64, &'static str)>,
    row_line: u64,
    row_width: usize,
    widest: usize,
}

/// What a report's title says about its values; none for one of something else.
fn report(title: &str) -> Option<ExcelReport> {
    let ends =
        [(" report", false), (" CPU utilization report (Zero values should be ignored)", true)];
    ends.into_iter().find_map(|(end, is_cpu)| {
        let title = title.strip_suffix(end)?;
        let test = TESTS.iter().position(|(_, known)| *known == title)?;
        Some(ExcelReport { test, is_cpu, cells: Vec::new() })
    })
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
            let report = report(title).filter(|_| self.reports.len() < REPORTS);
            self.open = Some(report.is_some());
            if report.is_none() && self.passed_over.len() < TESTS.len() {
                let what = "an Excel report of another kind";
                self.passed_over.push((line.number, line.number, what));
            }
            self.reports.extend(report);
            self.records.clear();
            return true;
        }
        let Some(is_read) = self.open else { return false };
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
        if let (false, Some((_, last, _))) = (is_read, self.passed_over.last_mut()) {
            *last = line.number;
        }
        let labels: Vec<&str> = words.iter().filter_map(|word| quoted(word)).collect();
        let is_label_row = labels.len() == words.len();
        let falls = first.parse::<u64>().ok() <= self.file && !is_label_row;
        // The title of another report is missing above, or the records of this one.
        if self.records.is_empty() != is_label_row || falls {
            self.open = Some(false);
            self.is_torn = true;
            self.passed_over.push((line.number, line.number, "an incomplete Excel report"));
            self.records.clear();
            return true;
        }
        if is_label_row {
            self.records_line = line.number;
            self.records = labels.into_iter().map(str::to_string).collect();
            self.file = None;
            return true;
        }
        // A value without the blank behind it may have been cut.
        let is_whole = line.is_ended && words.len() == self.fitting(first) + 1;
        if is_whole && self.values < VALUES {
            self.row(is_read, first, &words[1..], line.number);
            self.file = first.parse().ok();
            (self.row_line, self.row_width) = (line.number, width);
        }
        true
    }

    /// A number below a row that is as wide as the page may be the rest of its last value.
    fn drop_row(&mut self, number: u64) {
        let row_line = self.row_line;
        for cell in self.reports.iter_mut().flat_map(|report| &mut report.cells) {
            cell.value.take_if(|value| value.line == row_line);
        }
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

    fn row(&mut self, is_read: bool, file: &str, values: &[&str], line: u64) {
        let Some(report) = self.reports.last_mut().filter(|_| is_read) else { return };
        for (record, raw) in self.records.iter().zip(values) {
            let value = Value::new(report.test, raw, line);
            if value.is_some() {
                let (file, record) = (file.to_string(), record.clone());
                let record_line = self.records_line;
                report.cells.push(ExcelCell { file, record, record_line, value });
                self.values += 1;
            }
        }
    }

    fn values(&self, is_cpu: bool) -> impl Iterator<Item = (&ExcelCell, &Value)> {
        let reports = self.reports.iter().filter(move |report| report.is_cpu == is_cpu);
        let cells = reports.flat_map(|report| &report.cells);
        cells.filter_map(|cell| Some((cell, cell.value.as_ref()?)))
    }

    /// The CPU utilisation of the tests of one row, in percent of their wall time.
    pub fn cpu<'a>(&'a self, row: &'a Row) -> impl Iterator<Item = &'a Value> {
        let of_row = self.values(true).filter(|(cell, _)| is_at(row, cell));
        of_row.map(|(_, value)| value).filter(|value| value.number.value() > 0.0)
    }

    /// Takes out what the reports alone say, beside the rows of the table, where a line of them is
    /// missing: a row may then stand below the title of another test. Reports come in one order,
    /// each with the same rows, and those about the CPU are of the same tests.
    pub fn drop_incomplete(&mut self, known: &[Row]) {
        let of_kind = |is_cpu: bool| -> Vec<(usize, Vec<(&str, &str)>)> {
            let reports = self.reports.iter().filter(|report| report.is_cpu == is_cpu);
            reports.map(|r| (r.test, r.cells.iter().map(ExcelCell::place).collect())).collect()
        };
        let is_whole = |all: &[(usize, Vec<(&str, &str)>)]| {
            !self.is_torn && all.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 == two[1].1)
        };
        let (rates, cpu) = (of_kind(false), of_kind(true));
        let has_cpu = is_whole(&cpu) && (rates.is_empty() || rates == cpu);
        let is_kept = [is_whole(&rates), has_cpu];
        let mut lost = Vec::new();
        for report in self.reports.iter_mut().filter(|r| !is_kept[usize::from(r.is_cpu)]) {
            for cell in &mut report.cells {
                if report.is_cpu || !known.iter().any(|row| is_at(row, cell)) {
                    lost.extend(cell.value.take().map(|value| value.line));
                }
            }
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
        let differs = |(cell, value): &(&ExcelCell, &Value)| {
            let row = rows.iter().find(|row| is_at(row, cell));
            let above = row.and_then(|row| row.values.iter().find(|v| v.test == value.test));
            let is_missing = value.number.value() == 0.0 && unit != Unit::Microseconds;
            above.is_some_and(|a| a.number.value() != value.number.value()) && !is_missing
        };
        let (_, value) = self.values(false).find(differs)?;
        Some(format!("line {}: the report contradicts the table above it", value.line))
    }

    pub fn rows(&self, known: &[Row]) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        for (cell, value) in self.values(false) {
            if known.iter().any(|row| is_at(row, cell)) {
                continue;
            }
            if let Some(row) = rows.iter_mut().find(|row| is_at(row, cell)) {
                row.values.push(value.clone());
                continue;
            }
            let row = Row::with_sizes(cell.place(), vec![value.clone()], value.line);
            rows.extend(row.map(|row| Row { record_line: cell.record_line, ..row }));
        }
        rows
    }
}

fn is_at(row: &Row, cell: &ExcelCell) -> bool {
    (row.file_size.raw.as_str(), row.record_size.raw.as_str()) == cell.place()
}
