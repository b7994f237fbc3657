//! The figures of one bonnie++ run, wherever they were printed.

use crate::scan::quantity::Quantity;
use crate::scan::result::Metrics;

#[derive(Debug)]
pub struct BonnieTest {
    pub title: &'static str,
    /// Whether its rate is KiB/s; else operations per second.
    pub is_bulk: bool,
}

impl BonnieTest {
    pub fn name(&self) -> String {
        self.title.to_lowercase().replace(' ', "_")
    }

    /// The name of its rate among the metrics, and the unit.
    pub fn rate(&self) -> (String, &'static str) {
        if self.is_bulk {
            (format!("{}.throughput", self.name()), "bytes/s")
        } else {
            (format!("{}.rate", self.name()), "1/s")
        }
    }

    pub fn unit(&self) -> u64 {
        if self.is_bulk { 1024 } else { 1 }
    }
}

const fn test(title: &'static str, is_bulk: bool) -> BonnieTest {
    BonnieTest { title, is_bulk }
}

/// The phases in the order of the CSV line, which is that of the profile's parts.
pub static TESTS: [BonnieTest; 12] = [
    test("Sequential Output Per Chr", true),
    test("Sequential Output Block", true),
    test("Sequential Output Rewrite", true),
    test("Sequential Input Per Chr", true),
    test("Sequential Input Block", true),
    test("Random Seeks", false),
    test("Sequential Create", false),
    test("Sequential Read", false),
    test("Sequential Delete", false),
    test("Random Create", false),
    test("Random Read", false),
    test("Random Delete", false),
];

/// Suffixes of sizes: `8M`, `1G`, `64k`, `8192`.
const SIZES: [(&str, u64); 7] = [
    ("k", 1 << 10),
    ("K", 1 << 10),
    ("m", 1 << 20),
    ("M", 1 << 20),
    ("g", 1 << 30),
    ("G", 1 << 30),
    ("", 1),
];
const TIMES: [(&str, u64); 3] = [("us", 1000), ("ms", 1_000_000), ("s", 1_000_000_000)];

pub type Figure = (Quantity, u64);

/// What was printed of a phase.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    pub rate: Option<Figure>,
    pub cpu: Option<Figure>,
    pub latency: Option<Figure>,
    pub is_too_short: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    pub version: String,
    pub name: String,
    pub concurrency: Option<Figure>,
    pub file_size: Option<Figure>,
    pub chunk_size: Option<Figure>,
    pub files: Option<Figure>,
    /// The phases, in the order of [`TESTS`].
    pub tests: [Cell; 12],
}

/// A number of which one is worth `unit`.
pub fn figure(text: &str, unit: u64, line: u64) -> Option<Figure> {
    Some((Quantity::with_unit(text.trim(), unit)?, line))
}

pub fn size(text: &str, line: u64) -> Option<Figure> {
    Some((Quantity::suffixed(text, &SIZES)?, line))
}

/// A latency: an integer with its unit. Without that it was cut.
pub fn latency(text: &str, line: u64) -> Option<Figure> {
    let latency = Quantity::suffixed(text, &TIMES).filter(Quantity::is_whole)?;
    Some((latency, line))
}

pub fn is_pluses(text: &str) -> bool {
    let text = text.trim();
    text.len() >= 3 && text.bytes().all(|byte| byte == b'+')
}

impl Cells {
    /// The figures with their names and units, in the order of the CSV line.
    fn figures(&self) -> Vec<(String, &'static str, &Figure)> {
        let settings = [
            ("concurrency".to_string(), "count", &self.concurrency),
            ("file_size".to_string(), "bytes", &self.file_size),
            ("chunk_size".to_string(), "bytes", &self.chunk_size),
            ("files".to_string(), "count", &self.files),
        ];
        let tests = TESTS.iter().zip(&self.tests).flat_map(|(test, cell)| {
            let (name, (rate, unit)) = (test.name(), test.rate());
            [
                (rate, unit, &cell.rate),
                (format!("{name}.cpu"), "percent", &cell.cpu),
                (format!("{name}.latency_max"), "ns", &cell.latency),
            ]
        });
        let all = settings.into_iter().chain(tests);
        all.filter_map(|(name, unit, figure)| Some((name, unit, figure.as_ref()?))).collect()
    }

    pub fn metrics(&self) -> Metrics {
        let mut metrics = Metrics::default();
        for (name, unit, (quantity, line)) in self.figures() {
            quantity.give(&name, unit, *line, &mut metrics);
        }
        metrics
    }

    /// Whether one figure of a test says another thing than the other's.
    pub fn disagrees_with(&self, other: &Cells) -> bool {
        let theirs = other.figures();
        let differs = |(name, _, (a, _)): &(String, &'static str, &Figure)| {
            let of_other = theirs.iter().find(|(known, ..)| known == name && name.contains('.'));
            of_other.is_some_and(|(.., (b, _))| {
                (a.value() - b.value()).abs() > a.slack().max(b.slack()) * 1.01
            })
        };
        self.figures().iter().any(differs)
    }
}
