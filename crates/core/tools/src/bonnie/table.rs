//! bonnie++'s tables: two blocks of five lines, with fixed columns, some of them blank.

use super::{Cells, cell};
use crate::scan::finder::Line;
use crate::scan::lines::words;
use crate::scan::result::Place;

const BROKEN: &str = "a bonnie++ table is incomplete, or two are mixed";
const NAMES: &str = "the names in the two parts of a bonnie++ table contradict each other";
const COLUMNS: &str = "the values of a bonnie++ table do not fit its columns";
/// Characters of a share of the CPU, with the blank in front of it.
const CPU_WIDTH: usize = 4;

/// The version, which the second block of 1.03 does not name, and whether the block is that one.
pub fn header(text: &str) -> Option<(Option<String>, bool)> {
    let is_create = text.contains("------Sequential Create------");
    if !is_create && !text.contains("------Sequential Output------") {
        return None;
    }
    let version = text.split_once("Version ").and_then(|(_, rest)| rest.split_whitespace().next());
    let is_number = |version: &&str| version.starts_with(|c: char| c.is_ascii_digit());
    Some((version.filter(is_number).map(str::to_string), is_create))
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Next {
    Groups,
    Titles,
    Row,
    Latencies,
    #[default]
    Nothing,
}

#[derive(Debug, Default)]
pub struct BonnieTable {
    pub place: Place,
    pub last_line: u64,
    pub cells: Cells,
    pub wrong: Option<&'static str>,
    /// The row with rates that 1.98 and later print wrongly.
    pub leftover_line: Option<u64>,
    is_create: bool,
    next: Next,
    /// Where the columns of rates and CPU shares end.
    ends: Vec<usize>,
    /// Whether the row has every cell, so that its order tells the tests.
    is_whole: bool,
}

impl BonnieTable {
    pub fn new(place: Place, version: String, is_create: bool) -> BonnieTable {
        let cells = Cells { version, ..Cells::default() };
        BonnieTable { place, cells, is_create, ..BonnieTable::default() }
    }

    /// Whether a block is the second one of this run.
    pub fn goes_on(&mut self, version: &Option<String>, is_create: bool) -> bool {
        let is_version = version.as_ref().is_none_or(|version| *version == self.cells.version);
        let goes_on = is_create && !self.is_create && is_version;
        self.is_create |= goes_on;
        goes_on
    }

    pub fn begin(&mut self, line: u64) {
        self.expect(Next::Nothing);
        (self.next, self.last_line) = (Next::Groups, line);
    }

    /// The block is over in front of a line that it needs.
    fn expect(&mut self, next: Next) {
        if ![Next::Nothing, Next::Latencies].contains(&self.next) {
            self.wrong = Some(BROKEN);
        }
        self.next = next;
    }

    pub fn line(&mut self, line: &Line<'_>) -> bool {
        let is_latency = line.text.trim_start().starts_with("Latency");
        let is_next = line.number == self.last_line + 1;
        match self.next {
            Next::Groups if is_next => self.groups(line.text, line.number),
            Next::Titles if is_next && line.text.contains("%CP") => {
                let words = words(line.text);
                let columns = &words[words.len().saturating_sub(12)..];
                if columns.iter().skip(1).step_by(2).any(|(_, word)| word != "%CP") {
                    self.wrong = Some(BROKEN);
                }
                self.ends = columns.iter().map(|(end, _)| *end).collect();
                self.next = Next::Row;
            }
            Next::Row if is_next => self.row(line),
            Next::Latencies if is_next && is_latency => self.latencies(line),
            _ => {
                self.expect(Next::Nothing);
                if is_latency || line.text.contains("%CP") {
                    self.wrong = Some(BROKEN);
                }
                return false;
            }
        }
        self.last_line = line.number;
        true
    }

    fn groups(&mut self, text: &str, line: u64) {
        self.next = Next::Titles;
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or("");
        if name == "Concurrency" {
            self.cells.settings[0] = cell(words.next().unwrap_or(""), line);
        } else if self.is_create && !name.starts_with('-') {
            let known = &self.cells.name;
            if !known.starts_with(name) && !name.starts_with(known.as_str()) {
                self.wrong = Some(NAMES);
            } else if known.len() < name.len() {
                self.cells.name = name.to_string();
            }
        }
    }

    fn first_test(&self) -> usize {
        if self.is_create { 6 } else { 0 }
    }

    fn row(&mut self, line: &Line<'_>) {
        self.next = Next::Latencies;
        let words = words(line.text);
        let Some((head, mut cells)) = whole(&words).or_else(|| by_columns(&words, &self.ends))
        else {
            self.wrong = Some(COLUMNS);
            return;
        };
        self.is_whole = words.len() == head + 12;
        let [.., (rate, _), (cpu, _)] = &words[..] else { return };
        if !line.is_ended {
            (cells[10], cells[11]) = ("", "");
        } else if line.text.contains("  ") && *cpu < *rate + CPU_WIDTH {
            // A terminal cut the row that a large rate pushed out of it.
            cells[11] = "";
        }
        self.head(&words[..head], line.number);
        let is_leftover = self.is_create && self.cells.version.as_str() >= "1.98";
        let first = self.first_test();
        for (test, pair) in self.cells.tests[first..].iter_mut().zip(cells.chunks(2)) {
            let mut rate = pair[0];
            if is_leftover && !rate.is_empty() && !rate.starts_with('+') {
                self.leftover_line = Some(line.number);
                rate = "";
            }
            test[0] = cell(rate, line.number);
            test[1] = cell(pair[1], line.number);
        }
    }

    fn head(&mut self, words: &[(usize, String)], line: u64) {
        let Some(((_, last), name)) = words.split_last() else { return };
        let mut parts = last.split([':', '/']);
        if self.is_create {
            self.cells.settings[3] = cell(parts.next().unwrap_or(""), line);
            return;
        }
        let name: Vec<&str> = name.iter().map(|(_, word)| word.as_str()).collect();
        self.cells.name = name.join(" ");
        let mut size = || {
            let text = parts.next().filter(|text| text.ends_with(['M', 'G', 'k']))?;
            cell(text, line)
        };
        (self.cells.settings[1], self.cells.settings[2]) = (size(), size());
    }

    /// A latency ends below the share of the CPU of its test, two characters before it does.
    fn latencies(&mut self, line: &Line<'_>) {
        self.next = Next::Nothing;
        let first = self.first_test();
        let words = words(line.text);
        for (at, (end, word)) in words[1..].iter().enumerate() {
            let column = if self.is_whole && words.len() == 7 {
                Some(at)
            } else {
                self.ends.chunks(2).position(|pair| pair[0] < *end && *end < pair[1])
            };
            match column {
                Some(at) => self.cells.tests[first + at][2] = cell(word, line.number),
                None => self.wrong = Some(COLUMNS),
            }
        }
    }
}

/// A row as the number of words in front of its cells, and the cells.
type Row<'t> = (usize, [&'t str; 12]);

/// A row with nothing left out: its order tells the tests, wherever a page, an indent or another
/// name moved its columns.
fn whole(words: &[(usize, String)]) -> Option<Row<'_>> {
    let head = words.len().checked_sub(12).filter(|head| (1..=3).contains(head))?;
    let size = words[head - 1].1.split([':', '/']).next().unwrap_or("");
    let digits = size.trim_end_matches(['M', 'G', 'k']);
    let is_size = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let cells = std::array::from_fn(|at| words[head + at].1.as_str());
    let is_pair = |pair: &[&str]| pair[0].starts_with('+') == pair[1].starts_with('+');
    (is_size && cells.chunks(2).all(is_pair)).then_some((head, cells))
}

/// A row with blank cells. A value wider than its column pushes the rest to the right: then all of
/// them must be there.
fn by_columns<'t>(words: &'t [(usize, String)], ends: &[usize]) -> Option<Row<'t>> {
    const RATE_WIDTH: usize = 6;
    if ends.len() != 12 {
        return None;
    }
    let head = words.iter().position(|(end, _)| *end + RATE_WIDTH > ends[0])?;
    let mut cells = [""; 12];
    let mut next = 0;
    for (at, (end, word)) in words.iter().enumerate().skip(head) {
        let column = ends.iter().position(|known| known == end).filter(|column| *column >= next);
        let column = column.or((words.len() - at == 12 - next).then_some(next))?;
        cells[column] = word;
        next = column + 1;
    }
    let is_pair = |pair: &[&str]| pair[0].is_empty() == pair[1].is_empty();
    cells.chunks(2).all(is_pair).then_some((head, cells))
}
