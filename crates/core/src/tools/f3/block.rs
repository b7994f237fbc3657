//! The figures of one f3read or f3probe, held against each other.

use super::TOOL;
use crate::evidence::cell::fake_capacity;
use crate::evidence::of_result;
use crate::model::finding::Finding;
use crate::scan::finder::Line;
use crate::scan::quantity::{Quantity, Span};
use crate::scan::result::{Metrics, Out, Place};

const SECTOR_BYTES: u64 = 512;
/// Its MB are 2^20 bytes.
const UNITS: [(&str, u64); 7] = [
    ("Byte", 1),
    ("Bytes", 1),
    ("KB", 1 << 10),
    ("MB", 1 << 20),
    ("GB", 1 << 30),
    ("TB", 1 << 40),
    ("PB", 1 << 50),
];

/// The figures of one f3read or f3probe.
#[derive(Debug, Default)]
pub struct Block {
    /// The program.
    pub test: &'static str,
    /// Where it began.
    pub place: Place,
    /// Its last line so far.
    pub last_line: u64,
    /// In the order of their lines.
    pub sizes: Vec<Size>,
    metrics: Metrics,
    /// Whether it has lines of another run.
    pub is_mixed: bool,
    /// Whether it may have them.
    pub is_suspect: bool,
    /// What limits it.
    pub findings: Vec<Finding>,
}

/// `38.99 MB (79851 sectors)`
#[derive(Debug)]
pub struct Size {
    /// Of what it is the size.
    pub name: &'static str,
    line: u64,
    raw: String,
    printed: Quantity,
    amount: Amount,
}

#[derive(Clone, Copy, Debug)]
enum Amount {
    Sectors(u64),
    Blocks(u64),
    Bytes(u64),
}

impl Block {
    /// One that begins on that line.
    pub fn new(line: &Line<'_>, test: &'static str) -> Block {
        let (place, last_line) = (line.place(TOOL.name), line.number);
        Block { test, place, last_line, ..Block::default() }
    }

    /// `9.85 MB/s`, or `420.34 MB/s (77824 sectors / 90.4ms)` of version 10.
    pub fn speed(&mut self, name: &str, value: &str, out: &mut Out) {
        let line = self.last_line;
        let (rate, rest) = value.split_once(" (").unwrap_or((value, ""));
        let rate = rate.strip_suffix("/s").and_then(|rate| Quantity::parse(rate, &UNITS));
        let parts = rest.strip_suffix(')').and_then(|rest| rest.split_once(" / "));
        let parts = parts.and_then(|(count, time)| {
            let (count, unit) = count.split_once(' ')?;
            let count: u64 = count.parse().ok().filter(|_| !unit.is_empty())?;
            Some((count.checked_mul(SECTOR_BYTES)?, unit.starts_with("sector"), time))
        });
        let (Some(rate), true, false) = (rate, rest.is_empty() || parts.is_some(), self.is_mixed)
        else {
            let why = "a speed of f3 is incomplete or is among those of another run";
            return out.unread(line, line, why);
        };
        if let Some((bytes, true, time)) = parts {
            let elapsed = elapsed(time);
            let moved = Span::exactly(bytes as f64 * 1e9);
            if elapsed.as_ref().is_some_and(|ns| !ns.span().times(rate.span()).meets(moved)) {
                let why = "the sectors, the time and the speed of f3 contradict each other";
                return out.unread(line, line, why);
            }
            self.metrics.whole(&format!("{name}.bytes"), bytes, "bytes", (rest, line));
            if let Some(elapsed) = elapsed {
                elapsed.give_whole(&format!("{name}.elapsed"), "ns", line, &mut self.metrics);
            }
        }
        rate.give_real(&format!("{name}.throughput"), "bytes/s", line, &mut self.metrics);
    }

    /// Gives what was read, unless it is nothing.
    pub fn give(
        mut self,
        version: Option<String>,
        news: Option<(u64, String, bool)>,
        out: &mut Out,
    ) {
        let block_bytes = self.find("block_size").and_then(|size| size.bytes(None));
        let mut metrics = Metrics::default();
        self.drop_wrong_sum(out);
        for size in &self.sizes {
            if let Some(bytes) = size.bytes(block_bytes) {
                metrics.whole(size.name, bytes, "bytes", (&size.raw, size.line));
            } else {
                size.printed.give_whole(size.name, "bytes", size.line, &mut metrics);
            }
        }
        if let Some(evidence) = lie(&metrics) {
            let advice = "do not use the card, or only its usable part";
            self.findings.push(of_result(&fake_capacity::RULE, evidence, advice));
        } else if let Some((_, _, true)) = news {
            let evidence = "f3probe calls the device damaged or a counterfeit".to_string();
            let advice = "do not use the device";
            self.findings.push(of_result(&fake_capacity::RULE, evidence, advice));
        }
        metrics.0.append(&mut self.metrics.0);
        if metrics.0.is_empty() {
            return;
        }
        if let Some((first_line, device, _)) = news {
            (self.place.first_line, self.place.context) = (first_line, device);
        }
        let result = self.place.result(TOOL.name, version, self.last_line, metrics);
        let mut result = result.of_test(self.test);
        result.findings = self.findings;
        out.result(result);
    }

    /// Lists all but the first line.
    pub fn keep_first(&mut self, out: &mut Out) {
        self.sizes.truncate(1);
        self.metrics = Metrics::default();
        let first_line = self.sizes.first().map_or(self.place.first_line, |size| size.line + 1);
        if first_line <= self.last_line {
            out.unread(first_line, self.last_line, "lines of two runs of f3 are mixed");
        }
    }

    fn find(&self, name: &str) -> Option<&Size> {
        self.sizes.iter().find(|size| size.name == name)
    }

    /// The lost sectors are the sum of three kinds.
    fn drop_wrong_sum(&mut self, out: &mut Out) {
        let bytes = |name: &str| self.find(name).and_then(|size| size.bytes(None));
        let kinds = ["corrupted", "slightly_changed", "overwritten"].map(bytes);
        let sum = kinds.iter().try_fold(0u64, |sum, kind| sum.checked_add((*kind)?));
        if let (Some(lost), Some(sum)) = (self.find("data_lost"), sum)
            && lost.bytes(None) != Some(sum)
        {
            let why = "the sum of their kinds does not equal the lost sectors of f3read";
            out.unread(lost.line, lost.line + 3, why);
            self.sizes.retain(|size| size.name == "data_ok");
        }
    }
}

/// What the figures say of the capacity, where they say that it is false.
fn lie(metrics: &Metrics) -> Option<String> {
    let of = |name| metrics.get(name);
    if let Some(lost) = of("data_lost").filter(|lost| *lost > 0.0) {
        return Some(format!(
            "f3read could not read back {lost} of the bytes that f3write had written"
        ));
    }
    let (usable, announced) = (of("usable_size")?, of("announced_size")?);
    let evidence = format!("the device announces {announced} bytes, but only {usable} are usable");
    (usable < announced).then_some(evidence)
}

impl Size {
    /// Reads what stands behind a label.
    pub fn parse(name: &'static str, value: &str, line: u64) -> Option<Size> {
        let (printed, rest) = value.split_once(" (")?;
        let (amount, rest) = rest.split_once(')')?;
        let is_end = rest.is_empty() || rest.starts_with(", need-reset=");
        let words: Vec<&str> = amount.split(' ').collect();
        let amount = match words.as_slice() {
            [count, "sectors" | "sector"] => Amount::Sectors(count.parse().ok()?),
            [count, "blocks" | "block"] => Amount::Blocks(count.parse().ok()?),
            [power, "Bytes" | "Byte"] => {
                let power: u32 = power.strip_prefix("2^")?.parse().ok()?;
                Amount::Bytes(1u64.checked_shl(power).filter(|_| power < 64)?)
            }
            _ => return None,
        };
        let printed = Quantity::parse(printed, &UNITS)?;
        is_end.then(|| Size { name, line, raw: value.to_string(), printed, amount })
    }

    fn bytes(&self, block_bytes: Option<u64>) -> Option<u64> {
        match self.amount {
            Amount::Sectors(count) => count.checked_mul(SECTOR_BYTES),
            Amount::Blocks(count) => {
                let bytes = count.checked_mul(block_bytes?)?;
                self.printed.span().meets(Span::exactly(bytes as f64)).then_some(bytes)
            }
            Amount::Bytes(bytes) => Some(bytes),
        }
    }

    /// Whether the rounded size is that of the sectors or bytes.
    pub fn is_whole(&self) -> bool {
        let is_same = |bytes| self.printed.span().meets(Span::exactly(bytes as f64));
        matches!(self.amount, Amount::Blocks(_)) || self.bytes(None).is_some_and(is_same)
    }
}

/// `90.4ms`, `3.07s`, `2'05"` or `1:02:05`; whole seconds from a minute on.
pub fn elapsed(text: &str) -> Option<Quantity> {
    let known = [("ms", 1_000_000), ("us", 1000), ("ns", 1), ("s", 1_000_000_000)];
    let unit = known.iter().find_map(|(name, ns)| Some((text.strip_suffix(name)?, *ns)));
    if let Some((number, ns)) = unit {
        return Quantity::with_unit(number, ns);
    }
    let parts = text.strip_suffix('"').unwrap_or(text).split([':', '\'']);
    let parts: Vec<u64> = parts.map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let is_time = matches!(parts.len(), 2 | 3) && parts[1..].iter().all(|part| *part < 60);
    let add = |sum: u64, part: &u64| sum.checked_mul(60)?.checked_add(*part);
    let seconds = parts.iter().try_fold(0, add).filter(|_| is_time)?;
    let mut quantity = Quantity::with_unit(&seconds.to_string(), 1_000_000_000)?;
    quantity.raw = text.to_string();
    Some(quantity)
}
