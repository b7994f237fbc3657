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

#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    pub test: usize,
    pub number: Quantity,
    pub line: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub file_size: Quantity,
    pub record_size: Quantity,
    pub values: Vec<Value>,
    pub line: u64,
}

#[derive(Debug, PartialEq)]
pub struct Layout {
    widths: [usize; 19],
    /// Characters in front of every line that are not the table's.
    shift: isize,
    is_extended: bool,
}

/// What a line below the titles is.
#[derive(Debug, PartialEq)]
pub enum Found {
    None,
    Row(Row),
    Wrong,
}

impl Value {
    pub fn new(test: usize, raw: &str, line: u64) -> Option<Value> {
        Some(Value { test, number: Quantity::with_unit(raw, 1)?, line })
    }

    /// Puts the value among the metrics. A zero is none: in microseconds it is less than one, or a
    /// test that was not run.
    pub fn give(&self, unit: Unit, metrics: &mut Metrics) {
        let (what, unit, worth) = match unit {
            Unit::Kib => ("throughput", "bytes/s", 1024),
            Unit::Operations => ("rate", "1/s", 1),
            Unit::Microseconds => ("time_per_operation", "ns", 1000),
        };
        let figure = Quantity::with_unit(&self.number.raw, worth);
        if let Some(figure) = figure.filter(|figure| figure.value() != 0.0) {
            figure.give(&format!("{}.{what}", TESTS[self.test]), unit, self.line, metrics);
        }
    }
}

impl Layout {
    pub fn from_titles(text: &str) -> Option<Layout> {
        let mut words = text.split_whitespace();
        let unit = words.next().filter(|unit| matches!(*unit, "kB" | "KB"))?;
        if words.next() != Some("reclen") {
            return None;
        }
        let end = text[..text.find(unit)?].chars().count() + 2;
        let widths = if unit == "KB" { OLD_WIDTHS } else { WIDTHS };
        let is_extended = text.contains("repwrite");
        Some(Layout { widths, shift: end as isize - 16, is_extended })
    }

    pub fn row(&self, line: &Line<'_>, command: Option<&str>) -> Found {
        let words = self.parted(words(line.text));
        if words.len() < 2 || !is_numbers(line.text) {
            return Found::None;
        }
        let columns = if self.is_extended { 17 } else { 13 };
        let Some(places) = self.aligned(&words).or_else(|| selected(&words, columns, command))
        else {
            return Found::Wrong;
        };
        let mut values = Vec::new();
        for ((end, word), column) in words[2..].iter().zip(places) {
            let is_last = *end == line.text.chars().count();
            let ends = self.end(column + 2);
            // A line that was cut may have lost digits, unless its column is full.
            if is_last && !line.is_ended && *end as isize != ends {
                continue;
            }
            let Some(value) = Value::new(column, word, line.number) else { return Found::Wrong };
            values.push(value);
        }
        let [file_size, record_size] = [0, 1].map(|at| Quantity::with_unit(&words[at].1, 1024));
        match (file_size, record_size) {
            (Some(file_size), Some(record_size)) => {
                Found::Row(Row { file_size, record_size, values, line: line.number })
            }
            _ => Found::Wrong,
        }
    }

    fn end(&self, column: usize) -> isize {
        let width: usize = self.widths.iter().take(column + 1).sum();
        width as isize + self.shift
    }

    /// Values that fill their columns touch: they are parted where the columns are. One that is
    /// too wide pushes the rest to the right, so that its word ends where no column does.
    fn parted(&self, words: Vec<(usize, String)>) -> Vec<(usize, String)> {
        let mut parted = Vec::with_capacity(words.len());
        for (end, word) in words {
            let mut rest: Vec<char> = word.chars().collect();
            let mut of_word: Vec<(usize, String)> = Vec::new();
            let mut first_end = end;
            let mut at = (0..19).find(|column| self.end(*column) == end as isize);
            while let Some(column) = at.filter(|at| rest.len() > self.widths[*at]) {
                let value = rest.split_off(rest.len() - self.widths[column]);
                of_word.push((first_end, value.into_iter().collect()));
                first_end -= self.widths[column];
                at = column.checked_sub(1);
            }
            parted.push((first_end, rest.into_iter().collect()));
            parted.extend(of_word.into_iter().rev());
        }
        parted
    }

    /// Whether a line begins with sizes in their columns, as a row does and the rest of one does not.
    pub fn begins_row(&self, text: &str) -> bool {
        let words = self.parted(words(text));
        words.get(..2).is_some_and(|sizes| self.aligned(sizes).is_some())
    }

    /// The tests of the values when every word ends where a column ends.
    fn aligned(&self, words: &[(usize, String)]) -> Option<Vec<usize>> {
        let mut places = Vec::new();
        for (at, (end, _)) in words.iter().enumerate() {
            let column = (0..19).find(|column| self.end(*column) == *end as isize)?;
            match at {
                0 | 1 if column == at => {}
                0 | 1 => return None,
                _ => places.push(column.checked_sub(2)?),
            }
        }
        Some(places)
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
fn selected(
    words: &[(usize, String)],
    columns: usize,
    command: Option<&str>,
) -> Option<Vec<usize>> {
    let asked = asked(columns, command);
    // Few numbers in a line are no proof that it is a row.
    let size = |at: usize| words.get(at).and_then(|(_, word)| word.parse::<u64>().ok());
    let is_row = words.len() > 3 && size(0) >= size(1);
    (is_row && words.len() == asked.len() + 2).then_some(asked)
}

/// Whether a line has the words that stand above the titles of a table, some of them in columns.
pub fn is_upper_title(text: &str) -> bool {
    let is_title = |word| ["random", "bkwd", "record", "stride"].contains(&word);
    text.starts_with("random ") && text.split_whitespace().all(is_title)
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
    fn values_that_touch_are_two() {
        let row = "             128     128  5122535 18637664 68779377111715537";
        assert_eq!(values(row), [128.0, 128.0, 5122535.0, 18637664.0, 68779377.0, 111715537.0]);
        let row = "             128     128123456789123456789 68779377111715537";
        assert_eq!(values(row)[2..4], [123456789.0, 123456789.0]);
    }

    #[test]
    fn a_value_too_wide_for_its_column_gives_no_number() {
        let row = "             128     128  5122535 18637664 687793771117155370";
        assert_eq!(values(row), Vec::<f64>::new());
    }
}
