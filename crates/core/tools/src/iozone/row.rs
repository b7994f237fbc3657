//! A row of iozone's table: values under their columns, blanks for tests that were not run.

use crate::scan::finder::Line;
use crate::scan::lines::words;
use crate::scan::quantity::Quantity;
use crate::scan::result::Metrics;

/// What the values of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Kib,
    /// Operations per second (`-O`).
    Operations,
    /// Microseconds per operation (`-N`).
    Microseconds,
}

/// The columns in their order; the last four come with `-E`.
const TESTS: [&str; 17] = [
    "write",
    "rewrite",
    "read",
    "reread",
    "random_read",
    "random_write",
    "backward_read",
    "record_rewrite",
    "stride_read",
    "fwrite",
    "frewrite",
    "fread",
    "freread",
    "pwrite",
    "repwrite",
    "pread",
    "repread",
];
/// Which columns `-i N` fills; 0 to 7 are what a run without `-i` does, 9 and 10 come with `-E`.
const OF_TEST: [&[usize]; 11] =
    [&[0, 1], &[2, 3], &[4, 5], &[6], &[7], &[8], &[9, 10], &[11, 12], &[], &[13, 14], &[15, 16]];

/// Widths of the file size, the record size and the tests; since 3.465, and 3.414.
const WIDTHS: [usize; 19] = [16, 8, 9, 9, 9, 9, 9, 9, 9, 10, 10, 9, 9, 9, 9, 8, 9, 8, 9];
const OLD_WIDTHS: [usize; 19] = [16, 8, 8, 8, 8, 9, 8, 8, 8, 9, 9, 9, 9, 9, 9, 8, 9, 8, 9];

pub fn unit(text: &str) -> Option<Unit> {
    if text.starts_with("OPS Mode") {
        return Some(Unit::Operations);
    }
    if text.starts_with("Microseconds/op Mode") {
        return Some(Unit::Microseconds);
    }
    let is_kib = ["Output is in kBytes/sec", "Output is in Kbytes/sec"].contains(&text);
    is_kib.then_some(Unit::Kib)
}

pub fn unit_of_command(command: &str) -> Unit {
    let has = |flag: &str| command.split_whitespace().any(|word| word == flag);
    match (has("-O"), has("-N")) {
        (true, _) => Unit::Operations,
        (_, true) => Unit::Microseconds,
        _ => Unit::Kib,
    }
}

/// Words with the columns that they end in.
type Words = [(usize, String)];

#[derive(Debug)]
pub struct Row {
    pub line: u64,
    /// The sizes of the file and of a record, and the values with their tests.
    sizes: [Quantity; 2],
    values: Vec<(usize, String)>,
}

#[derive(Debug)]
pub struct Layout {
    widths: [usize; 19],
    /// Where the first column ends.
    start: usize,
    tests: usize,
}

impl Row {
    /// A zero is no figure: in microseconds it is less than one, or a test that was not run.
    pub fn metrics(&self, unit: Unit) -> Metrics {
        let mut metrics = Metrics::default();
        for (name, size) in ["file_size", "record_size"].into_iter().zip(&self.sizes) {
            size.give_whole(name, "bytes", self.line, &mut metrics);
        }
        let (what, unit, worth) = match unit {
            Unit::Kib => ("throughput", "bytes/s", 1024),
            Unit::Operations => ("rate", "1/s", 1),
            Unit::Microseconds => ("time_per_operation", "ns", 1000),
        };
        for (test, raw) in &self.values {
            let figure = Quantity::with_unit(raw, worth).filter(|figure| figure.value() != 0.0);
            if let Some(figure) = figure {
                figure.give(&format!("{}.{what}", TESTS[*test]), unit, self.line, &mut metrics);
            }
        }
        metrics
    }
}

impl Layout {
    pub fn from_titles(text: &str) -> Option<Layout> {
        let mut words = text.split_whitespace();
        let unit = words.next().filter(|unit| matches!(*unit, "kB" | "KB"))?;
        if words.next() != Some("reclen") {
            return None;
        }
        let start = text[..text.find(unit)?].chars().count() + 2;
        let widths = if unit == "KB" { OLD_WIDTHS } else { WIDTHS };
        Some(Layout { widths, start, tests: if text.contains("repwrite") { 17 } else { 13 } })
    }

    /// The row that a line of numbers is; `None` where they do not fit the columns.
    pub fn row(&self, line: &Line<'_>, command: Option<&str>) -> Option<Row> {
        let words = words(line.text);
        let tests = self.aligned(&words).or_else(|| asked_for(&words, self.tests, command))?;
        // A line that was cut inside a column may have lost digits.
        let last = words.last().filter(|_| !line.is_ended && self.aligned(&words).is_none());
        let values = words.get(2..)?.iter().zip(tests).filter(|(word, _)| Some(*word) != last);
        let values = values.map(|((_, word), test)| (test, word.clone())).collect();
        let size = |at: usize| Quantity::with_unit(&words.get(at)?.1, 1024);
        Some(Row { line: line.number, sizes: [size(0)?, size(1)?], values })
    }

    /// The tests of the values when every word ends where a column ends. Values that fill their
    /// columns touch, and are one word that is longer than its column.
    fn aligned(&self, words: &Words) -> Option<Vec<usize>> {
        let mut columns = Vec::new();
        for (end, word) in words {
            let mut column_end = self.start;
            let mut column = 0;
            while column_end < *end && column < self.tests + 1 {
                column += 1;
                column_end += self.widths[column];
            }
            if column_end != *end || word.len() > self.widths[column] {
                return None;
            }
            columns.push(column);
        }
        let tests = columns.get(2..).filter(|_| columns[..2] == [0, 1])?;
        Some(tests.iter().map(|column| column - 2).collect())
    }
}

/// The tests that a command line asks for, in the order of their columns.
fn asked(columns: usize, command: Option<&str>) -> Vec<usize> {
    let flags: Vec<&str> = command.unwrap_or("").split_whitespace().collect();
    // `-i 0` or `-i0`.
    let test = |(at, flag): (usize, &&str)| match flag.strip_prefix("-i")? {
        "" => flags.get(at + 1)?.parse().ok(),
        number => number.parse().ok(),
    };
    let tests: Vec<usize> = flags.iter().enumerate().filter_map(test).collect();
    if tests.is_empty() {
        return (0..columns).collect();
    }
    let of_tests = tests.iter().filter_map(|test| OF_TEST.get(*test));
    let mut asked: Vec<usize> = of_tests.flat_map(|columns| columns.iter().copied()).collect();
    asked.sort_unstable();
    asked
}

/// The tests of the values when there are as many as the command line asked for.
fn asked_for(words: &Words, columns: usize, command: Option<&str>) -> Option<Vec<usize>> {
    let asked = asked(columns, command);
    // Few numbers in a line are no proof that it is a row.
    let size = |at: usize| words.get(at).and_then(|(_, word)| word.parse::<u64>().ok());
    let is_row = words.len() > 3 && size(0) >= size(1);
    (is_row && words.len() == asked.len() + 2).then_some(asked)
}

pub fn is_numbers(text: &str) -> bool {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    !text.trim().is_empty() && text.split_whitespace().all(is_number)
}

#[cfg(test)]
mod tests {
    use crate as tools;

    fn values(row: &str) -> Vec<f64> {
        let titles =
            "\tOutput is in kBytes/sec\n              kB  reclen    write  rewrite    read";
        let text = format!("{titles}    reread\n{row}\n");
        let found = tools::read(text.as_bytes());
        let metrics = found.results.into_iter().flat_map(|result| result.metrics);
        metrics.map(|metric| metric.value.as_f64() / 1024.0).collect()
    }

    /// iozone 3.489 on files in memory: 68779377 and 111715537 were read as one number.
    #[test]
    fn values_that_touch_or_are_too_wide_give_no_number() {
        let row = "             128     128  5122535 18637664 68779377 11715537";
        assert_eq!(values(row).len(), 6);
        for row in [
            "             128     128  5122535 18637664 68779377111715537",
            "             128     128  5122535 18637664 687793771117155370",
        ] {
            assert_eq!(values(row), Vec::<f64>::new());
        }
    }
}
