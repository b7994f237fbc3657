//! The figures of one bonnie++ run, wherever they were printed.

use crate::scan::decimal::Decimal;
use crate::scan::result::Metrics;

/// One of the twelve phases.
#[derive(Debug)]
pub struct Test {
    /// Its name in our words.
    pub name: &'static str,
    /// Whether its rate is KiB/s; else operations per second.
    pub is_bulk: bool,
}

const fn test(name: &'static str, is_bulk: bool) -> Test {
    Test { name, is_bulk }
}

/// The phases in the order of the CSV line.
pub const TESTS: [Test; 12] = [
    test("sequential_output_per_chr", true),
    test("sequential_output_block", true),
    test("sequential_output_rewrite", true),
    test("sequential_input_per_chr", true),
    test("sequential_input_block", true),
    test("random_seeks", false),
    test("sequential_create", false),
    test("sequential_read", false),
    test("sequential_delete", false),
    test("random_create", false),
    test("random_read", false),
    test("random_delete", false),
];

/// A figure: bytes per second, operations per second, percent or nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The value.
    pub value: f64,
    /// One unit of its last digit.
    pub slack: f64,
    /// The text.
    pub raw: String,
    /// The line.
    pub line: u64,
}

/// What was printed of a phase.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// Its rate.
    pub rate: Option<Figure>,
    /// CPU share.
    pub cpu: Option<Figure>,
    /// The longest operation.
    pub latency: Option<Figure>,
    /// `+++++` was printed.
    pub is_too_short: bool,
}

/// One run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    /// Version of the program.
    pub version: String,
    /// The machine's name or label.
    pub name: String,
    /// Concurrency, a label: it starts no more workers.
    pub concurrency: Option<Figure>,
    /// Bytes of the file.
    pub file_size: Option<Figure>,
    /// Bytes of a chunk.
    pub chunk_size: Option<Figure>,
    /// Number of small files.
    pub files: Option<Figure>,
    /// The phases, in the order of [`TESTS`].
    pub tests: [Cell; 12],
}

/// A number with its rounding, times a factor.
pub fn figure(text: &str, factor: f64, line: u64) -> Option<Figure> {
    let number = Decimal::parse(text.trim())?;
    let (value, slack) = (number.value() * factor, number.last_digit() * factor);
    Some(Figure { value, slack, raw: text.trim().to_string(), line })
}

/// A size as bonnie++ writes it: `8M`, `1G`, `64k`, `8192`.
pub fn size(text: &str, line: u64) -> Option<Figure> {
    let text = text.trim();
    let (number, factor) = match text.chars().next_back()? {
        'k' | 'K' => (&text[..text.len() - 1], 1024.0),
        'm' | 'M' => (&text[..text.len() - 1], 1048576.0),
        'g' | 'G' => (&text[..text.len() - 1], 1073741824.0),
        _ => (text, 1.0),
    };
    let mut figure = figure(number, factor, line)?;
    figure.raw = text.to_string();
    Some(figure)
}

/// A latency: an integer with `us`, `ms` or `s`. Without its unit it was cut.
pub fn latency(text: &str, line: u64) -> Option<Figure> {
    let text = text.trim();
    let units = [("us", 1e3), ("ms", 1e6), ("s", 1e9)];
    let (number, factor) =
        units.iter().find_map(|(unit, ns)| Some((text.strip_suffix(unit)?, *ns)))?;
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut figure = figure(number, factor, line)?;
    figure.raw = text.to_string();
    Some(figure)
}

/// Whether a cell says that its phase was too short.
pub fn is_pluses(text: &str) -> bool {
    let text = text.trim();
    text.len() >= 3 && text.bytes().all(|byte| byte == b'+')
}

impl Cell {
    /// Puts what is known of the phase among the metrics.
    pub fn give(&self, test: &Test, metrics: &mut Metrics) {
        let mut put = |figure: &Option<Figure>, what: &str, unit, is_whole: bool| {
            let Some(figure) = figure else { return };
            let name = format!("{}.{what}", test.name);
            match is_whole {
                true => metrics.whole(&name, figure.value as u64, unit, (&figure.raw, figure.line)),
                false => metrics.real(&name, figure.value, unit, (&figure.raw, figure.line)),
            }
        };
        match test.is_bulk {
            true => put(&self.rate, "throughput", "bytes/s", false),
            false => put(&self.rate, "rate", "1/s", false),
        }
        put(&self.cpu, "cpu", "percent", false);
        put(&self.latency, "latency_max", "ns", true);
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
            if let Some(figure) = figure {
                metrics.whole(name, figure.value as u64, unit, (&figure.raw, figure.line));
            }
        }
    }

    /// Whether one figure of the two says another thing than the other.
    pub fn disagrees_with(&self, other: &Cells) -> bool {
        let differ = |a: &Option<Figure>, b: &Option<Figure>| match (a, b) {
            (Some(a), Some(b)) => (a.value - b.value).abs() > a.slack.max(b.slack) * 1.01,
            _ => false,
        };
        self.tests.iter().zip(&other.tests).any(|(a, b)| {
            differ(&a.rate, &b.rate) || differ(&a.cpu, &b.cpu) || differ(&a.latency, &b.latency)
        })
    }
}
