//! The lists of latencies that `-Q` writes into wol.dat, rwol.dat, rol.dat and rrol.dat: offset in
//! KiB, microseconds and bytes of every operation, one after the other through the file.
//!
//! A list is whole when it begins at offset 0, leaves nothing out, has the line with the times
//! behind it, and goes as far as those of most tests with records of the same size: all go through
//! one file. Of anything else nothing is said. The resolution of the clock is taken off each
//! latency, so 0, -0 and -1 are below it and count as 0. Source: iozone 3.489, `iozone.c`.

use std::collections::BTreeSet;

use crate::scan::ToolResult;
use crate::scan::finder::{Line, Reader};
use crate::scan::result::{Metrics, Out, Place};

/// Most operations of one list: 4 MiB of latencies.
const OPERATIONS: usize = 1 << 20;
const LISTS: usize = 1000;
const TITLE: [&str; 10] =
    ["Offset", "in", "kBytes", "Latency", "in", "microseconds", "Transfer", "size", "in", "bytes"];
const FILES: [(&str, &str); 4] =
    [("rwol.dat", "rewrite"), ("wol.dat", "write"), ("rrol.dat", "reread"), ("rol.dat", "read")];
const UNKNOWN: &str = "latencies";
const INCOMPLETE: &str = "a list of latencies (-Q) of iozone is incomplete";
/// Quantiles that are given where ten operations lie beyond them.
const QUANTILES: [(f64, &str); 4] = [(0.5, "p50"), (0.95, "p95"), (0.99, "p99"), (0.999, "p99.9")];

#[derive(Debug, Default)]
struct List {
    place: Place,
    last_line: u64,
    /// Bytes of each operation, with the text and line of the first.
    bytes: Option<(u64, String, u64)>,
    latencies_us: Vec<u32>,
    longest: (u32, String, u64),
    is_wrong: bool,
}

#[derive(Debug, Default)]
pub struct IozoneLatencies {
    open: Option<List>,
    ended: Vec<ToolResult>,
}

impl Reader for IozoneLatencies {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text.trim();
        if text.split_whitespace().eq(TITLE) {
            self.close(false, out);
            self.open = Some(List::new(line));
            return true;
        }
        let Some(list) = &mut self.open else { return false };
        // The line with the times stands behind one blank line.
        if text.is_empty() && line.number == list.last_line + 1 {
            return false;
        }
        let is_end = text.starts_with("System time ") && text.ends_with("(seconds)");
        if is_end && line.number <= list.last_line + 2 {
            list.last_line = line.number;
            self.close(true, out);
            return true;
        }
        if line.number != list.last_line + 1 || !list.operation(text, line) {
            self.close(false, out);
            return false;
        }
        list.last_line = line.number;
        true
    }

    fn finish(&mut self, out: &mut Out) {
        self.close(false, out);
        let ended = std::mem::take(&mut self.ended);
        let end = |result: &ToolResult| (extent(result), result.test.clone());
        let ends: BTreeSet<((u64, u64), Option<String>)> = ended.iter().map(end).collect();
        for result in ended {
            let (record, total) = extent(&result);
            let alike = || ends.iter().filter(|((known, _), _)| *known == record);
            let tests: BTreeSet<&Option<String>> = alike().map(|(_, test)| test).collect();
            let as_far = alike().filter(|((_, known), _)| *known == total).count();
            if as_far * 2 > tests.len() {
                out.result(result);
            } else {
                out.unread(result.first_line, result.last_line, INCOMPLETE);
            }
        }
    }
}

fn extent(list: &ToolResult) -> (u64, u64) {
    let whole = |name| list.figure(&[name]).map_or(0, |value| value as u64);
    (whole("record_size"), whole("record_size").saturating_mul(whole("ios")))
}

impl IozoneLatencies {
    fn close(&mut self, is_ended: bool, out: &mut Out) {
        let Some(list) = self.open.take() else { return };
        if !is_ended || list.is_wrong || list.latencies_us.is_empty() {
            return out.unread(list.place.first_line, list.last_line, INCOMPLETE);
        }
        match self.ended.len() < LISTS {
            true => self.ended.extend(list.end().map(|list| self.named(list))),
            false => {
                let why =
                    format!("the text has more than {LISTS} lists of latencies: split the text");
                out.unread(list.place.first_line, list.last_line, why);
            }
        }
    }

    /// A second list below one heading, as long as the first, is of another file.
    fn named(&self, list: ToolResult) -> ToolResult {
        let is_of =
            |known: &ToolResult| extent(known) == extent(&list) && known.context == list.context;
        match self.ended.iter().any(is_of) {
            true => list.of_test(UNKNOWN),
            false => list,
        }
    }
}

impl List {
    fn new(line: &Line<'_>) -> List {
        List { place: line.place("iozone"), last_line: line.number, ..List::default() }
    }

    /// Takes the line of an operation; false when it is none.
    fn operation(&mut self, text: &str, line: &Line<'_>) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [offset, latency, bytes] = words[..] else { return false };
        let latency_us =
            if latency == "-1" { Ok(0) } else { latency.trim_start_matches('-').parse() };
        let (Ok(offset_kib), Ok(latency_us), Ok(count)) =
            (offset.parse::<u64>(), latency_us, bytes.parse::<u64>())
        else {
            return false;
        };
        let size = self.bytes.get_or_insert_with(|| (count, bytes.to_string(), line.number)).0;
        let due = (self.latencies_us.len() as u64).checked_mul(size).map(|bytes| bytes >> 10);
        let is_negative = latency.starts_with('-') && latency_us > 0u32;
        self.is_wrong |= count != size || due != Some(offset_kib) || is_negative;
        if self.latencies_us.len() >= OPERATIONS {
            self.is_wrong = true;
            return true;
        }
        if self.longest.2 == 0 || latency_us > self.longest.0 {
            self.longest = (latency_us, latency.to_string(), line.number);
        }
        self.latencies_us.push(latency_us);
        true
    }

    fn end(mut self) -> Option<ToolResult> {
        let (size, raw, line) = self.bytes.take()?;
        let count = self.latencies_us.len() as u64;
        let mut metrics = Metrics::default();
        metrics.whole("record_size", size, "bytes", (&raw, line));
        // A count, a mean and a quantile are no text of iozone's: they are of all its lines.
        metrics.whole("ios", count, "count", ("", self.last_line));
        let sum: u64 = self.latencies_us.iter().map(|us| u64::from(*us)).sum();
        metrics.real("latency_avg", sum as f64 * 1000.0 / count as f64, "ns", ("", self.last_line));
        self.latencies_us.sort_unstable();
        for (quantile, name) in QUANTILES {
            let at = libm::ceil(quantile * count as f64) as usize;
            let is_supported = count as f64 * (1.0 - quantile) >= 10.0 - 1e-6;
            if let Some(us) = self.latencies_us.get(at.saturating_sub(1)).filter(|_| is_supported) {
                let name = format!("latency_{name}");
                metrics.whole(&name, u64::from(*us) * 1000, "ns", ("", self.last_line));
            }
        }
        let (longest_us, raw, line) = self.longest;
        metrics.whole("latency_max", u64::from(longest_us) * 1000, "ns", (&raw, line));
        let context = self.place.context.clone();
        let test = FILES.iter().find(|(file, _)| context.ends_with(file));
        let result = self.place.result("iozone", None, self.last_line, metrics);
        Some(result.of_test(test.map_or(UNKNOWN, |(_, test)| test)))
    }
}
