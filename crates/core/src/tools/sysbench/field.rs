//! One line of a sysbench report as its figures, each with the text it was read from.

use crate::scan::finder::Line;
use crate::scan::quantity::Quantity;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Threads,
    FileCount,
    TotalFileSize,
    BlockSize,
    MergedSize,
    FsyncEvery,
    FsyncEachWrite,
    Mode,
    TimeLimit,
    Reads,
    Writes,
    Other,
    TotalOperations,
    ReadVolume,
    WrittenVolume,
    TotalVolume,
    Throughput,
    Requests,
    ReadsPerSecond,
    WritesPerSecond,
    FsyncsPerSecond,
    ReadThroughput,
    WrittenThroughput,
    TotalTime,
    Events,
    EventTime,
    LatencyMin,
    LatencyAvg,
    LatencyMax,
    /// The percentile, as its rank.
    LatencyRank(u8),
    LatencySum,
    NoPercentile,
    FairnessEvents,
    FairnessTime,
    PreparedBytes,
    PreparedRate,
    PreparedSeconds,
}

impl Key {
    /// Whether a report without a head can open with it: only a report has such a line.
    pub fn opens(self) -> bool {
        use Key::*;
        matches!(self, Threads | FileCount | TotalFileSize | Reads | ReadsPerSecond | PreparedBytes)
    }

    /// What a figure of latency is called; `None` for what is no latency of an event.
    pub fn latency_name(self) -> Option<String> {
        if let Key::LatencyRank(rank) = self {
            return Some(format!("latency_p{rank}"));
        }
        let names = [
            (Key::LatencyMin, "latency_min"),
            (Key::LatencyAvg, "latency_avg"),
            (Key::LatencyMax, "latency_max"),
            (Key::LatencySum, "latency_sum"),
        ];
        names.into_iter().find(|(key, _)| *key == self).map(|(_, name)| name.to_string())
    }

    /// Its place in the order in which every version prints.
    pub fn rank(self) -> u8 {
        use Key::*;
        match self {
            Threads => 0,
            FileCount | TotalFileSize | BlockSize | MergedSize => 1,
            FsyncEvery | FsyncEachWrite => 2,
            Mode => 3,
            TimeLimit => 4,
            Reads | Writes | Other | TotalOperations => 5,
            ReadVolume | WrittenVolume | TotalVolume | Throughput => 6,
            Requests => 7,
            ReadsPerSecond | WritesPerSecond | FsyncsPerSecond => 7,
            // The development version prints both on one line.
            ReadThroughput | WrittenThroughput => 7,
            TotalTime => 8,
            Events => 9,
            EventTime => 10,
            LatencyMin => 11,
            LatencyAvg => 12,
            LatencyMax => 13,
            LatencyRank(_) | NoPercentile => 14,
            LatencySum => 15,
            FairnessEvents => 16,
            FairnessTime => 17,
            PreparedBytes | PreparedRate | PreparedSeconds => 18,
        }
    }

    /// Whether it says how the run was made, or why it ended.
    pub fn is_setting(self) -> bool {
        self.rank() <= Key::TimeLimit.rank()
    }

    pub fn is_latency(self) -> bool {
        use Key::*;
        matches!(self, Events | EventTime | WrittenThroughput | FsyncsPerSecond)
            || matches!(self, LatencyMin | LatencyAvg | LatencyMax | LatencyRank(_) | LatencySum)
            || self == NoPercentile
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub key: Key,
    /// The number with its unit: bytes, nanoseconds, or 1.
    pub quantity: Quantity,
    pub line: u64,
}

/// Words that say the access pattern, in the order of [`MODES`].
const MODE_WORDS: [&str; 6] = [
    "sequential write (creation)",
    "sequential rewrite",
    "sequential read",
    "random read",
    "random write",
    "random r/w",
];
/// The tool's own names of the patterns.
pub const MODES: [&str; 6] = ["seqwr", "seqrewr", "seqrd", "rndrd", "rndwr", "rndrw"];

/// Collects the figures of one line.
struct Reading<'a> {
    line: &'a Line<'a>,
    fields: Vec<Field>,
}

/// Units of sizes and rates, all powers of 1024.
const SIZES: [(&str, u64); 10] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("Kb", 1 << 10),
    ("Mb", 1 << 20),
    ("Gb", 1 << 30),
    ("Tb", 1 << 40),
    ("B", 1),
    ("b", 1),
];

impl Reading<'_> {
    fn put(&mut self, key: Key, text: &str, unit: u64) {
        self.put_as(key, text, unit, text);
    }

    /// As `put`, for a number whose unit was taken off `raw`.
    fn put_as(&mut self, key: Key, text: &str, unit: u64, raw: &str) {
        if let Some(mut quantity) = Quantity::with_unit(text.trim(), unit) {
            quantity.raw = raw.trim().to_string();
            self.add(key, quantity);
        }
    }

    /// A size or rate like `2.414Mb` or `16KiB`.
    fn size(&mut self, key: Key, text: &str) {
        if let Some(quantity) = Quantity::suffixed(text, &SIZES) {
            self.add(key, quantity);
        }
    }

    fn mark(&mut self, key: Key, number: &str) {
        self.put_as(key, number, 1, self.line.text);
    }

    fn add(&mut self, key: Key, quantity: Quantity) {
        self.fields.push(Field { key, quantity, line: self.line.number });
    }
}

fn after<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    text.find(label).map(|at| &text[at + label.len()..])
}

/// The figures of a line. `in_latency` says that words as common as `min:` are sysbench's here.
pub fn read(line: &Line<'_>, in_latency: bool) -> Vec<Field> {
    let mut reading = Reading { line, fields: Vec::new() };
    let text = line.text;
    settings(&mut reading, text);
    old(&mut reading, text);
    new(&mut reading, text);
    both(&mut reading, text);
    if in_latency {
        latency(&mut reading, text.trim());
    }
    reading.fields
}

fn settings(to: &mut Reading<'_>, text: &str) {
    let text = text.trim();
    if let Some(rest) = after(text, "Number of threads: ") {
        to.put(Key::Threads, rest, 1);
    } else if let Some((count, _)) = text.split_once(" files, ").filter(|_| text.contains(" each"))
    {
        to.put(Key::FileCount, count, 1);
    } else if let Some(size) = text.strip_suffix(" total file size") {
        to.size(Key::TotalFileSize, size);
    } else if let Some(rest) = after(text, "Block size ") {
        to.size(Key::BlockSize, rest);
    } else if let Some(rest) = after(text, "Merging requests up to ") {
        to.size(Key::MergedSize, rest.split(' ').next().unwrap_or(""));
    } else if let Some(rest) = after(text, "calling fsync() each ") {
        to.put(Key::FsyncEvery, rest.split(' ').next().unwrap_or(""), 1);
    } else if text.starts_with("Calling fsync() after each write") {
        to.mark(Key::FsyncEachWrite, "1");
    } else if text.starts_with("Time limit exceeded") {
        to.mark(Key::TimeLimit, "1");
    } else if let Some(rest) = text.strip_prefix("Doing ").and_then(|r| r.strip_suffix(" test")) {
        if let Some(at) = MODE_WORDS.iter().position(|words| *words == rest) {
            to.mark(Key::Mode, &at.to_string());
        }
    } else if let Some((bytes, rest)) = text.split_once(" bytes written in ") {
        to.put(Key::PreparedBytes, bytes, 1);
        to.put(Key::PreparedSeconds, rest.split(' ').next().unwrap_or(""), 1);
        let rate = after(rest, "(").and_then(|rest| rest.split_once(' '));
        let is_binary = rest.ends_with("iB/sec).") || rest.ends_with("MB/sec).");
        if let Some((rate, _)) = rate.filter(|_| is_binary) {
            to.put(Key::PreparedRate, rate, 1 << 20);
        }
    }
}

/// Lines of 0.4 and 0.5.
fn old(to: &mut Reading<'_>, text: &str) {
    if let Some(rest) = after(text, "Operations performed:") {
        let (parts, total) = rest.split_once('=').unwrap_or((rest, ""));
        for part in parts.split(',') {
            let mut words = part.split_whitespace();
            let (Some(count), Some(what)) = (words.next(), words.next()) else { continue };
            let key = match what.to_ascii_lowercase().trim_end_matches('s') {
                "read" => Key::Reads,
                "write" => Key::Writes,
                "other" => Key::Other,
                _ => continue,
            };
            to.put(key, count, 1);
        }
        if let Some(total) = total.trim().strip_suffix("Total") {
            to.put(Key::TotalOperations, total, 1);
        }
    }
    if text.contains("Total transferred ") {
        let words: Vec<&str> = text.split_whitespace().collect();
        for (pair, key) in words.windows(2).flat_map(|pair| {
            let key = match pair[0] {
                "Read" => Some(Key::ReadVolume),
                "Written" => Some(Key::WrittenVolume),
                "transferred" => Some(Key::TotalVolume),
                _ => None,
            };
            key.map(|key| (pair, key))
        }) {
            to.size(key, pair[1]);
        }
        if let Some(rate) = after(text, "(").and_then(|rest| rest.split_once("/sec)")) {
            to.size(Key::Throughput, rate.0);
        }
    }
    if let Some(rate) = text.trim().strip_suffix(" Requests/sec executed") {
        to.put(Key::Requests, rate, 1);
    }
    if let Some(rest) = after(text, "total time taken by event execution:") {
        // Only four decimals say that the number was not cut.
        let number = rest.trim().trim_end_matches('s');
        if number.rsplit_once('.').is_some_and(|(_, decimals)| decimals.len() == 4) {
            to.put_as(Key::EventTime, number, 1, rest);
        }
    }
}

/// Lines of 1.0 and 1.1.
fn new(to: &mut Reading<'_>, text: &str) {
    const RATES: [(&str, Key, u64); 5] = [
        ("reads/s:", Key::ReadsPerSecond, 1),
        ("writes/s:", Key::WritesPerSecond, 1),
        ("fsyncs/s:", Key::FsyncsPerSecond, 1),
        ("read, MiB/s:", Key::ReadThroughput, 1 << 20),
        ("written, MiB/s:", Key::WrittenThroughput, 1 << 20),
    ];
    for (label, key, unit) in RATES {
        let Some(rest) = after(text, label) else { continue };
        if has_decimals(rest) {
            to.put(key, rest, unit);
        }
    }
    if text.contains("BW=") {
        return;
    }
    const NEWEST: [(&str, Key, Option<Key>); 3] = [
        ("read:", Key::ReadsPerSecond, Some(Key::ReadThroughput)),
        ("write:", Key::WritesPerSecond, Some(Key::WrittenThroughput)),
        ("fsync:", Key::FsyncsPerSecond, None),
    ];
    for (label, rate, volume) in NEWEST {
        let Some(rest) = text.trim().strip_prefix(label) else { continue };
        let mut words = rest.split_whitespace();
        let Some(iops) = words.next().and_then(|word| word.strip_prefix("IOPS=")) else { continue };
        let Some(volume) = volume else {
            if has_decimals(iops) {
                to.put(rate, iops, 1);
            }
            continue;
        };
        if let (Some(size), Some("MiB/s")) = (words.next(), words.next()) {
            to.put(rate, iops, 1);
            to.put(volume, size, 1 << 20);
        }
    }
}

fn both(to: &mut Reading<'_>, text: &str) {
    if let Some(rest) = after(text, "total time: ") {
        if let Some(seconds) = rest.trim().strip_suffix('s') {
            to.put_as(Key::TotalTime, seconds, 1, rest);
        }
    } else if let Some(rest) = after(text, "total number of events: ") {
        // A whole number has no mark of its end but the end of its line.
        if to.line.is_ended {
            to.put(Key::Events, rest, 1);
        }
    } else if let Some(rest) = after(text, "events (avg/stddev):") {
        to.put(Key::FairnessEvents, rest.split('/').next().unwrap_or(""), 1);
    } else if let Some(rest) = after(text, "execution time (avg/stddev):") {
        to.put(Key::FairnessTime, rest.split('/').next().unwrap_or(""), 1);
    }
}

fn latency(to: &mut Reading<'_>, text: &str) {
    if text.starts_with("percentile stats:") {
        to.mark(Key::NoPercentile, "1");
        return;
    }
    let Some((label, value)) = text.split_once(':') else { return };
    let key = match label.trim() {
        "min" => Key::LatencyMin,
        "avg" => Key::LatencyAvg,
        "max" => Key::LatencyMax,
        "sum" => Key::LatencySum,
        other => {
            let Some(rank) = other.strip_suffix("percentile") else { return };
            let digits = rank.trim().trim_start_matches("approx.").trim().trim_end_matches("th");
            let Ok(rank) = digits.trim().parse::<u8>() else { return };
            Key::LatencyRank(rank)
        }
    };
    let value = value.trim();
    match value.strip_suffix("ms") {
        Some(milliseconds) => to.put_as(key, milliseconds, 1_000_000, value),
        None if has_decimals(value) => to.put(key, value, 1_000_000),
        None => {}
    }
}

/// Whether a number has the two decimals it is printed with: a cut one has fewer.
fn has_decimals(text: &str) -> bool {
    text.trim().rsplit_once('.').is_some_and(|(_, decimals)| decimals.len() == 2)
}
