//! The figures of one bonnie++ run, wherever they were printed.

use crate::scan::quantity::Quantity;
use crate::scan::result::Metrics;

#[derive(Debug)]
pub struct Test {
    /// What bonnie++ calls it: the title of its columns with that of their group.
    pub title: &'static str,
    /// Whether its rate is KiB/s; else operations per second.
    pub is_bulk: bool,
}

impl Test {
    pub fn name(&self) -> String {
        self.title.to_lowercase().replace(' ', "_")
    }

    /// The name of its rate among the metrics, and the unit.
    pub fn rate(&self) -> (String, &'static str) {
        match self.is_bulk {
            true => (format!("{}.throughput", self.name()), "bytes/s"),
            false => (format!("{}.rate", self.name()), "1/s"),
        }
    }

    /// What one unit of its rate is worth.
    pub fn unit(&self) -> u64 {
        if self.is_bulk { 1024 } else { 1 }
    }
}

const fn test(title: &'static str, is_bulk: bool) -> Test {
    Test { title, is_bulk }
}

/// The phases in the order of the CSV line, which is that of the profile's parts.
pub static TESTS: [Test; 12] = [
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
    /// The machine's name or label.
    pub name: String,
    /// Concurrency, a label: it starts no more workers.
    pub concurrency: Option<Figure>,
    /// Bytes of the file.
    pub file_size: Option<Figure>,
    /// Bytes of a chunk.
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

/// Whether a cell says that its phase was too short.
pub fn is_pluses(text: &str) -> bool {
    let text = text.trim();
    text.len() >= 3 && text.bytes().all(|byte| byte == b'+')
}

impl Cell {
    /// Puts what is known of the phase among the metrics.
    pub fn give(&self, test: &Test, metrics: &mut Metrics) {
        if let Some((rate, line)) = &self.rate {
            let (name, unit) = test.rate();
            rate.give_real(&name, unit, *line, metrics);
        }
        if let Some((cpu, line)) = &self.cpu {
            cpu.give_real(&format!("{}.cpu", test.name()), "percent", *line, metrics);
        }
        if let Some((latency, line)) = &self.latency {
            latency.give_whole(&format!("{}.latency_max", test.name()), "ns", *line, metrics);
        }
    }
}

impl Cells {
    /// What is known of the run's settings.
    pub fn settings(&self, metrics: &mut Metrics) {
        for (figure, name, unit) in [
            (&self.concurrency, "concurrency", "count"),
            (&self.file_size, "file_size", "bytes"),
            (&self.chunk_size, "chunk_size", "bytes"),
            (&self.files, "files", "count"),
        ] {
            if let Some((figure, line)) = figure {
                figure.give_whole(name, unit, *line, metrics);
            }
        }
    }

    /// Whether one figure of the two says another thing than the other.
    pub fn disagrees_with(&self, other: &Cells) -> bool {
        let differ = |a: &Option<Figure>, b: &Option<Figure>| match (a, b) {
            (Some((a, _)), Some((b, _))) => {
                (a.value() - b.value()).abs() > a.slack().max(b.slack()) * 1.01
            }
            _ => false,
        };
        self.tests.iter().zip(&other.tests).any(|(a, b)| {
            differ(&a.rate, &b.rate) || differ(&a.cpu, &b.cpu) || differ(&a.latency, &b.latency)
        })
    }
}
