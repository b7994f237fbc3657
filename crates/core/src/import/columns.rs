//! Tables made for people, Markdown or fixed-width, once somebody has said what their columns are.
//!
//! A blank label is the one above it; a cell may hold several numbers with `/` between them and a
//! unit of its own; a row may be wrapped over two lines. A row is taken whole or not at all.

use std::collections::BTreeMap;
use std::str::FromStr;

use thiserror::Error;

use super::decimal::Decimal;
use super::finder::{Line, Reader};
use super::result::{Metrics, Out};
use super::table::{KEYS, known_unit};

/// Most columns of a table.
const COLUMNS: usize = 64;

const WHY_UNREAD: &str = "a row with a cell that is no number, or that was cut";

/// What a column holds.
#[derive(Clone, Debug, PartialEq)]
enum Column {
    /// Nothing that is wanted.
    Skip,
    /// A label: one of the keys of a result table.
    Label(String),
    /// Numbers: what each of them is, their unit, and what the column says about the set-up.
    Value { tests: Vec<String>, unit: String, setup: BTreeMap<String, String> },
}

/// The columns of a table, from left to right.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns(Vec<Column>);

/// Why a list of columns makes no sense.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ColumnsError {
    /// None is a value.
    #[error(
        "no column has numbers: write what they are and their unit, such as 'write/read MB/s', for \
         one of them"
    )]
    NoValue,
    /// More than a table has.
    #[error("more than {COLUMNS} columns")]
    TooMany,
    /// Neither a label nor a value.
    #[error(
        "'{0}' is no column: write '-' to pass one over, a label ({labels}), or what its numbers \
         are and their unit, such as 'write/read MB/s filesystem=ext4'",
        labels = KEYS.join(", ")
    )]
    Unknown(String),
}

impl FromStr for Columns {
    type Err = ColumnsError;

    fn from_str(text: &str) -> Result<Columns, ColumnsError> {
        let columns =
            text.split(',').map(|entry| column(entry.trim())).collect::<Result<Vec<_>, _>>()?;
        if columns.len() > COLUMNS {
            return Err(ColumnsError::TooMany);
        }
        let has_value = columns.iter().any(|column| matches!(column, Column::Value { .. }));
        if has_value { Ok(Columns(columns)) } else { Err(ColumnsError::NoValue) }
    }
}

fn column(entry: &str) -> Result<Column, ColumnsError> {
    if entry == "-" {
        return Ok(Column::Skip);
    }
    if KEYS.contains(&entry) {
        return Ok(Column::Label(entry.to_string()));
    }
    let unknown = || ColumnsError::Unknown(entry.to_string());
    let mut words = entry.split_whitespace();
    let tests: Vec<String> =
        words.next().ok_or_else(unknown)?.split('/').map(String::from).collect();
    let unit = words.next().filter(|unit| !unit.contains('=')).ok_or_else(unknown)?.to_string();
    let mut setup = BTreeMap::new();
    for word in words {
        let (key, value) = word.split_once('=').ok_or_else(unknown)?;
        if !KEYS.contains(&key) || setup.insert(key.to_string(), value.to_string()).is_some() {
            return Err(unknown());
        }
    }
    if tests.iter().any(String::is_empty) {
        return Err(unknown());
    }
    Ok(Column::Value { tests, unit, setup })
}

/// Reads the rows of such a table.
#[derive(Debug)]
pub struct Rows {
    columns: Columns,
    /// The labels of the row above, by column.
    labels: Vec<String>,
    /// The first half of a row that may be wrapped: its line and its cells.
    half: Option<(u64, Vec<String>)>,
    /// The last line of the table so far: a row, or the rule below the titles of one with bars.
    last: Option<u64>,
}

impl Rows {
    /// For a table with these columns.
    pub fn new(columns: Columns) -> Rows {
        let labels = vec![String::new(); columns.0.len()];
        Rows { columns, labels, half: None, last: None }
    }
}

impl Reader for Rows {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text;
        let is_rule = text.chars().all(|c| "|-:+= \t".contains(c));
        if is_rule && text.contains("|-") {
            self.last = Some(line.number);
        }
        let cells = if is_rule { Vec::new() } else { self.cells(text) };
        if let Some((first, half)) = self.half.take() {
            let whole: Vec<String> = half.iter().chain(&cells).cloned().collect();
            if whole.len() == self.columns.0.len() && self.row(first, line, &whole, out) {
                self.last = Some(line.number);
                return true;
            }
            self.drop_half(first, &half, out);
        }
        let is_next = self.last.is_some_and(|last| last + 1 == line.number);
        let is_text = !text.contains('|') && cells.iter().all(|cell| numbers(cell, "").is_empty());
        if is_next && is_text && !cells.is_empty() && text.starts_with([' ', '\t']) {
            let why = "text below a row, which may go on with one of its labels: write the row on \
                       one line";
            out.unread(line.number, line.number, why);
            return true;
        }
        if cells.len() == self.columns.0.len() {
            let is_taken = self.row(line.number, line, &cells, out)
                || is_next && self.without_figure(text, &cells, line.number, out);
            self.last = is_taken.then_some(line.number).or(self.last);
            return is_taken;
        }
        if cells.len() > 1 && cells.len() < self.columns.0.len() {
            self.half = Some((line.number, cells));
        }
        false
    }

    fn finish(&mut self, out: &mut Out) {
        if let Some((first, half)) = self.half.take() {
            self.drop_half(first, &half, out);
        }
    }
}

impl Rows {
    /// A row of the table without any number that can be read: its labels count for those below,
    /// and what is no blank is listed. False when it is no row.
    fn without_figure(&mut self, text: &str, cells: &[String], line: u64, out: &mut Out) -> bool {
        let columns = self.columns.0.iter().zip(cells);
        let values = columns.filter(|(column, _)| matches!(column, Column::Value { .. }));
        let strange: Vec<&String> = values.map(|(_, c)| c).filter(|c| !is_blank(c)).collect();
        let has_digit = |cell: &&String| cell.contains(|c: char| c.is_numeric());
        if !text.contains('|') && !strange.is_empty() && !strange.iter().any(has_digit) {
            return false;
        }
        if !strange.is_empty() {
            out.unread(line, line, WHY_UNREAD);
        }
        remember(&self.columns, &mut self.labels, cells);
        true
    }

    fn drop_half(&self, first: u64, half: &[String], out: &mut Out) {
        let numbers = half.iter().filter(|cell| !numbers(cell, "").is_empty()).count();
        if numbers > 1 {
            let why =
                format!("{} cells in a table of {} columns", half.len(), self.columns.0.len());
            out.unread(first, first, why);
        }
    }

    /// The cells of a line, by bars, wide gaps or blanks, whichever fits.
    fn cells(&self, text: &str) -> Vec<String> {
        let wanted = self.columns.0.len();
        let trimmed = text.trim();
        let clean = |cell: &str| cell.trim().trim_matches(['*', '`']).to_string();
        if trimmed.contains('|') {
            let inner = trimmed.strip_prefix('|').unwrap_or(trimmed);
            return inner.strip_suffix('|').unwrap_or(inner).split('|').map(clean).collect();
        }
        let wide: Vec<String> = trimmed
            .split('\t')
            .flat_map(|part| part.split("  "))
            .map(clean)
            .filter(|cell| !cell.is_empty())
            .collect();
        let mut cells = wide;
        if cells.len() != wanted {
            let glued = glue(trimmed);
            if glued.len() == wanted || cells.len() < 2 {
                cells = glued;
            }
        }
        // Labels are blank from the left: the line then begins with blanks.
        let labels = self.columns.0.iter().take_while(|c| matches!(c, Column::Label(_))).count();
        let missing = wanted.saturating_sub(cells.len());
        if text.starts_with([' ', '\t']) && missing > 0 && missing <= labels {
            let blanks = std::iter::repeat_n(String::new(), missing);
            cells = blanks.chain(cells).collect();
        }
        cells
    }

    /// Takes a whole row; false when it is none.
    fn row(&mut self, first: u64, line: &Line<'_>, cells: &[String], out: &mut Out) -> bool {
        let mut found = Vec::new();
        let mut bad = 0;
        for (column, cell) in self.columns.0.iter().zip(cells) {
            let Column::Value { tests, unit, setup } = column else { continue };
            if is_blank(cell) {
                continue;
            }
            let numbers = numbers(cell, unit);
            if numbers.len() != tests.len() {
                bad += 1;
                continue;
            }
            found.extend(tests.iter().zip(numbers).map(|(test, number)| (test, number, setup)));
        }
        if found.is_empty() {
            // The titles, or no row at all.
            return false;
        }
        remember(&self.columns, &mut self.labels, cells);
        if bad > 0 || !line.is_ended {
            out.unread(first, line.number, WHY_UNREAD);
            return true;
        }
        let labels: BTreeMap<String, String> = self
            .columns
            .0
            .iter()
            .zip(&self.labels)
            .filter_map(|(column, label)| match column {
                Column::Label(name) if !label.is_empty() => Some((name.clone(), label.clone())),
                _ => None,
            })
            .collect();
        for (test, number, setup) in found {
            let mut metrics = Metrics::default();
            number.give(first, &mut metrics);
            let mut place = line.place("");
            place.first_line = first;
            let mut all = labels.clone();
            all.extend(setup.clone());
            let tool = all.remove("tool").unwrap_or_default();
            let mut result = place.result(&tool, None, line.number, metrics);
            result.test = Some(test.clone());
            result.setup = all;
            out.result(result);
        }
        true
    }
}

/// Takes the labels of a row.
fn remember(columns: &Columns, labels: &mut [String], cells: &[String]) {
    for ((column, label), cell) in columns.0.iter().zip(labels).zip(cells) {
        if matches!(column, Column::Label(_)) && !cell.is_empty() {
            label.clone_from(cell);
        }
    }
}

fn is_blank(cell: &str) -> bool {
    matches!(cell, "" | "-" | "–" | "n/a" | "N/A")
}

/// Words, a unit joined with the number in front of it.
fn glue(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let is_unit = word.ends_with("/s") && word.starts_with(|c: char| c.is_alphabetic());
        match words.last_mut().filter(|last| is_unit && Decimal::parse(last).is_some()) {
            Some(last) => *last = format!("{last} {word}"),
            None => words.push(word.to_string()),
        }
    }
    words
}

/// A number of a cell.
struct Number {
    decimal: Decimal,
    unit: String,
    raw: String,
}

/// The numbers of a cell; none when one of them is none.
fn numbers(cell: &str, unit: &str) -> Vec<Number> {
    let at = cell.find(|c: char| c.is_alphabetic() || c == '%').unwrap_or(cell.len());
    let (values, own) = cell.split_at(at);
    let own = own.trim();
    let unit = if own.is_empty() { unit } else { own };
    let read = |value: &str| {
        let value = value.trim();
        // "1,234" is a thousand or one and a bit: nobody can say.
        let is_ambiguous = value.split_once(',').is_some_and(|(_, tail)| tail.len() == 3);
        let decimal = Decimal::parse(value).filter(|_| !is_ambiguous)?;
        Some(Number { decimal, unit: unit.to_string(), raw: format!("{value} {unit}") })
    };
    values.split('/').map(read).collect::<Option<Vec<_>>>().unwrap_or_default()
}

impl Number {
    fn give(&self, line: u64, metrics: &mut Metrics) {
        let known = known_unit(&self.unit);
        let (factor, unit) = known.unwrap_or((1, ""));
        let name = match unit {
            "bytes/s" => "throughput",
            "1/s" => "rate",
            "ns" => "time",
            _ => "value",
        };
        match self.decimal.times(factor).filter(|_| matches!(unit, "ns" | "bytes" | "count")) {
            Some(value) => metrics.whole(name, value, unit, &self.raw, line),
            None => {
                let value = self.decimal.value() * factor as f64;
                metrics.real(name, value, unit, &self.raw, line);
            }
        }
        if let (None, Some(last)) = (known, metrics.0.last_mut()) {
            last.unit = self.unit.clone().into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Finder;

    fn read(columns: &str, text: &str) -> Vec<String> {
        let imported = Finder::of_columns(columns.parse().unwrap()).tap(text);
        let mut lines: Vec<String> = imported
            .results
            .iter()
            .map(|r| {
                let setup: Vec<_> = r.setup.values().map(String::as_str).collect();
                let (m, test) = (&r.metrics[0], r.test.as_deref().unwrap_or(""));
                format!("{} {test} {} {}", setup.join("+"), m.value.as_f64(), m.unit)
            })
            .collect();
        lines.extend(imported.unread.iter().map(|u| format!("{}: {}", u.first_line, u.why)));
        lines
    }

    impl Finder {
        fn tap(mut self, text: &str) -> crate::import::Imported {
            self.push(text.as_bytes());
            self.finish()
        }
    }

    #[test]
    fn two_numbers_in_a_cell_and_blanks_carried_down() {
        let columns =
            "host,device,write/read MB/s filesystem=ext4,write/read MB/s filesystem=btrfs";
        let text = "| | | ext4 | btrfs |\n|---|---|---|---|\n\
            | laptop | disk | 104/124 | 96,5/82.2 |\n| | stick | 27.1/159 MiB/s | - |\n\
            | | card | 1,234/5 | 3/4 |\n";
        let expected = [
            "disk+ext4+laptop write 104000000 bytes/s",
            "disk+ext4+laptop read 124000000 bytes/s",
            "disk+btrfs+laptop write 96500000 bytes/s",
            "disk+btrfs+laptop read 82200000 bytes/s",
            "stick+ext4+laptop write 28416409.6 bytes/s",
            "stick+ext4+laptop read 166723584 bytes/s",
            "5: a row with a cell that is no number, or that was cut",
        ];
        assert_eq!(read(columns, text), expected);
    }

    #[test]
    fn fixed_width_rows_wrapped_over_two_lines() {
        let columns = "block_size_bytes,write MiB/s filesystem=ext2,write MiB/s filesystem=vfat";
        let text = "bs    ext2   vfat\n8     0.2    0.8\n1M    20.9\n16.9\n64 2.5 Mib/s 3.1\nThe end of it\n";
        let expected = [
            "8+ext2 write 209715.2 bytes/s",
            "8+vfat write 838860.8 bytes/s",
            "1M+ext2 write 21915238.4 bytes/s",
            "1M+vfat write 17720934.4 bytes/s",
            "64+ext2 write 2.5 Mib/s",
            "64+vfat write 3250585.6 bytes/s",
        ];
        assert_eq!(read(columns, text), expected);
    }

    #[test]
    fn rows_without_a_number_are_listed_and_their_labels_count() {
        let text = "| host | fs | speed |\n|---|---|---|\n| pi | ext4 | fast |\n\
            | pi | xfs | 7 |\n| laptop | ext4 | - |\n| | f2fs | 5 |\n| | vfat | 1,234 |\n\
            \nbars | elsewhere | here\n";
        let expected = [
            "xfs+pi write 7000000 bytes/s",
            "f2fs+laptop write 5000000 bytes/s",
            "3: a row with a cell that is no number, or that was cut",
            "7: a row with a cell that is no number, or that was cut",
        ];
        assert_eq!(read("host,filesystem,write MB/s", text), expected);
    }

    #[test]
    fn text_below_a_row_of_fixed_width_is_listed() {
        let text = "usb  sequential  31 MiB/s\n     write\n\n  Thanks for reading\n";
        let read = read("device,test,write MB/s", text);
        assert_eq!(read.len(), 2, "{read:?}");
        assert!(read[1].starts_with("2: text below a row"), "{read:?}");
    }

    #[test]
    fn a_list_that_makes_no_sense_says_what_would() {
        for text in
            ["", "device", "colour,write MB/s", "write", "write MB/s colour=red", "//x MB/s"]
        {
            assert!(text.parse::<Columns>().is_err(), "{text}");
        }
    }
}
