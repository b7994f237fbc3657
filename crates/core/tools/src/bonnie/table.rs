//! bonnie++'s tables: two blocks with fixed columns, some of them blank.

use super::cells::{Cell, Cells, TESTS, figure, is_pluses, latency, size};
use super::row::{CELL_WIDTH, NAME_WIDTH, bulk, is_last_cut, row, whole};
use crate::scan::decimal::Decimal;
use crate::scan::finder::Line;
use crate::scan::lines::words;
use crate::scan::result::Place;

const MIXED: &str = "two tables of bonnie++ are mixed";
const DIFFERENT_NAMES: &str =
    "the names in the two parts of a bonnie++ table contradict each other";

/// The first line of a block.
#[derive(Clone, Debug)]
pub struct BonnieHeader {
    version: String,
    is_create: bool,
    /// Characters that something else put in front of every line.
    shift: usize,
}

pub fn header(text: &str) -> Option<BonnieHeader> {
    let at = text.find("Version ")?;
    let is_create = text.contains("Sequential Create");
    if !is_create && !text.contains("Sequential Output") {
        return None;
    }
    let version = text[at + "Version ".len()..].split_whitespace().next()?;
    if !version.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let shift = text[..at].chars().count();
    Some(BonnieHeader { version: version.to_string(), is_create, shift })
}

/// The first line of the second block in version 1.03, which repeats no version.
fn is_create_of_1_03(text: &str) -> bool {
    text.trim().starts_with("------Sequential Create------")
}

#[derive(Debug, Default, PartialEq)]
enum Expect {
    #[default]
    Nothing,
    Titles,
    Data,
    Latency,
}

#[derive(Debug, Default)]
pub struct BonnieTable {
    pub place: Place,
    pub last_line: u64,
    cells: Cells,
    has_output: bool,
    has_create: bool,
    is_create: bool,
    shift: usize,
    expect: Expect,
    /// The row that has a latency without its unit.
    pub cut_line: Option<u64>,
    wrong: Option<String>,
    /// Whether nothing is left out of the row, so that its order tells the tests.
    is_whole: bool,
    /// Titles seen since the block began: the line of groups, the line of units.
    titles: [bool; 2],
    pub leftover_line: Option<u64>,
}

impl BonnieTable {
    pub fn new(place: Place, header: &BonnieHeader) -> BonnieTable {
        let cells = Cells { version: header.version.clone(), ..Cells::default() };
        BonnieTable { last_line: place.first_line, place, cells, ..BonnieTable::default() }
    }

    /// Whether the block is the second one of this run.
    pub fn goes_on_with(&self, header: &BonnieHeader) -> bool {
        let is_next = header.is_create && !self.has_create && self.has_output;
        is_next && header.version == self.cells.version
    }

    /// The header of the second block of version 1.03, which does not name the version again.
    pub fn second_header(&self, text: &str) -> Option<BonnieHeader> {
        let is_next = self.has_output && !self.has_create && is_create_of_1_03(text);
        let version = self.cells.version.clone();
        is_next.then_some(BonnieHeader { version, is_create: true, shift: self.shift })
    }

    pub fn begin(&mut self, header: BonnieHeader, line: u64) {
        if self.expect == Expect::Data || self.expect == Expect::Titles {
            self.wrong = Some(MIXED.to_string());
        }
        self.is_create = header.is_create;
        self.has_create |= header.is_create;
        self.has_output |= !header.is_create;
        self.shift = header.shift;
        self.expect = Expect::Titles;
        self.titles = [false; 2];
        self.last_line = line;
    }

    /// Whether the CSV line's name is this table's, which may have been cut.
    pub fn is_named(&self, name: &str) -> bool {
        self.cells.name.is_empty() || name.starts_with(&self.cells.name)
    }

    pub fn line(&mut self, line: &Line<'_>) -> bool {
        let text: String = line.text.chars().skip(self.shift).collect();
        let is_near = line.number <= self.last_line + 3;
        if self.is_rest_of_row(&text, line.number) {
            let why = "a row of a bonnie++ table was wrapped, and its pieces do not fit together";
            self.wrong = Some(why.to_string());
        }
        let is_own = is_near
            && match self.expect {
                Expect::Nothing => false,
                Expect::Titles => self.titles(&text, line.number),
                Expect::Data => !text.trim().is_empty() && self.data(&text, line),
                Expect::Latency => {
                    let is_latency = text.trim_start().starts_with("Latency");
                    if is_latency {
                        self.latencies(&text, line);
                    }
                    is_latency
                }
            };
        if is_own {
            self.last_line = line.number;
        } else if self.is_of_another(&text) {
            self.wrong = Some(MIXED.to_string());
        }
        is_own
    }

    /// Whether a line below a row has the end of it: its last number may have been cut in two.
    fn is_rest_of_row(&self, text: &str, number: u64) -> bool {
        let is_number = |word: &str| word.bytes().all(|b| b.is_ascii_digit() || b"+.".contains(&b));
        let is_next = self.expect == Expect::Latency && number == self.last_line + 1;
        is_next && !text.trim().is_empty() && text.split_whitespace().all(is_number)
    }

    fn is_of_another(&self, text: &str) -> bool {
        let is_latency = text.starts_with("Latency") && text.contains("us");
        let is_data = self.expect != Expect::Titles
            && row(text).is_some_and(|(_, cells)| {
                let is_value = |cell: &&String| is_pluses(cell) || Decimal::parse(cell).is_some();
                cells.iter().filter(is_value).count() > 3
            });
        is_latency || is_data || text.contains("%CP")
    }

    fn titles(&mut self, text: &str, line: u64) -> bool {
        let other = if self.is_create { "-Per Chr-" } else { "-Create--" };
        if text.contains(other) {
            self.wrong = Some("two title lines of bonnie++ contradict each other".to_string());
        }
        if let Some(rest) = text.trim_start().strip_prefix("Concurrency") {
            let number = rest.split_whitespace().next().unwrap_or("");
            self.cells.concurrency = figure(number, 1, line);
            return true;
        }
        if text.contains("%CP") {
            self.expect = Expect::Data;
            return !std::mem::replace(&mut self.titles[1], true);
        }
        if text.contains("-Per Chr-") || text.contains("-Create--") {
            if self.is_create {
                self.create_name(text.split_whitespace().next().unwrap_or(""));
            }
            let is_twice = std::mem::replace(&mut self.titles[0], true);
            if is_twice {
                self.wrong = Some(MIXED.to_string());
            }
            return true;
        }
        false
    }

    /// The second block repeats the name, which the first may have cut.
    fn create_name(&mut self, name: &str) {
        // 1.03 repeats no name.
        if name.starts_with('-') {
            return;
        }
        let known = &self.cells.name;
        if !known.starts_with(name) && !name.starts_with(known.as_str()) {
            self.wrong = Some(DIFFERENT_NAMES.to_string());
        }
        if known.len() < name.len() {
            self.cells.name = name.to_string();
        }
    }

    fn data(&mut self, text: &str, line: &Line<'_>) -> bool {
        self.expect = Expect::Latency;
        let Some((head, values)) = row(text) else {
            self.wrong = Some("the values of a bonnie++ table do not fit its columns".to_string());
            return true;
        };
        self.is_whole = whole(text).is_some();
        self.head(&head, line.number);
        let has_columns = text.contains("  ");
        let is_cut = has_columns && is_last_cut(text);
        let first = if self.is_create { 6 } else { 0 };
        for at in 0..6 {
            let test = &TESTS[first + at];
            let cell = &mut self.cells.tests[first + at];
            let (rate, cpu) = (values[2 * at].as_str(), values[2 * at + 1].as_str());
            cell.is_too_short = is_pluses(rate);
            // See the module above: 1.98 and later print something else there.
            let is_leftover = self.is_create && is_1_98_or_later(&self.cells.version);
            if is_leftover && !rate.is_empty() && !cell.is_too_short {
                self.leftover_line = Some(line.number);
            }
            if !cell.is_too_short && !is_leftover {
                cell.rate = if test.is_bulk {
                    bulk(rate, line.number)
                } else {
                    figure(rate, 1, line.number)
                };
            }
            cell.cpu = figure(cpu, 1, line.number).filter(|_| !is_pluses(cpu));
            let is_number = rate.is_empty() || cell.is_too_short || is_leftover;
            if !is_number && cell.rate.is_none() {
                self.wrong = Some(format!("'{rate}' is not a rate of bonnie++"));
            }
            // The line was cut inside this number, and nothing marks its end.
            if !line.is_ended && at == 5 || cpu.is_empty() && !rate.is_empty() {
                *cell = Cell::default();
            }
            if at == 5 && is_cut {
                cell.cpu = None;
            }
        }
        true
    }

    fn head(&mut self, head: &str, line: u64) {
        if self.is_create {
            let count = head.split_whitespace().next().unwrap_or("").split([':', '/']).next();
            self.cells.files = count.and_then(|count| figure(count, 1024, line));
            return;
        }
        let mut words = head.split_whitespace();
        let last = words.next_back().unwrap_or("");
        self.cells.name = words.collect::<Vec<_>>().join(" ");
        let mut parts = last.split(':');
        let has_unit = |text: &&str| text.ends_with(['M', 'G', 'k']);
        self.cells.file_size = parts.next().filter(has_unit).and_then(|text| size(text, line));
        self.cells.chunk_size = parts.next().filter(has_unit).and_then(|text| size(text, line));
    }

    fn latencies(&mut self, text: &str, line: &Line<'_>) {
        self.expect = Expect::Nothing;
        let first = if self.is_create { 6 } else { 0 };
        let all: Vec<&str> = text.split_whitespace().skip(1).collect();
        if self.is_whole && all.len() == 6 && line.is_ended {
            for (at, word) in all.into_iter().enumerate() {
                let read = latency(word, line.number);
                self.cut_line = self.cut_line.or(read.is_none().then_some(line.number));
                self.cells.tests[first + at].latency = read;
            }
            return;
        }
        // Each ends where its cell ends, two characters before the CPU does.
        for (end, word) in words(text).into_iter().skip(1) {
            let column = end.checked_sub(NAME_WIDTH - 2).filter(|end| end % CELL_WIDTH == 0);
            let at = column.map(|end| end / CELL_WIDTH).filter(|at| (1..=6).contains(at));
            match at.and_then(|at| Some((at, latency(&word, line.number)?))) {
                Some((at, figure)) => self.cells.tests[first + at - 1].latency = Some(figure),
                None if !line.is_ended => {}
                None => {
                    let why = "the latencies of a bonnie++ table do not fit its columns";
                    self.wrong = Some(why.to_string());
                }
            }
        }
    }

    pub fn cells(self) -> Result<Cells, String> {
        match (self.wrong, self.expect) {
            (Some(why), _) => Err(why),
            (None, Expect::Titles | Expect::Data) => {
                Err("a bonnie++ table has no figures".to_string())
            }
            (None, _) => Ok(self.cells),
        }
    }
}

fn is_1_98_or_later(version: &str) -> bool {
    let number: String = version.chars().filter(|c| c.is_ascii_digit()).take(3).collect();
    number.parse::<u32>().is_ok_and(|number| number >= 198)
}
