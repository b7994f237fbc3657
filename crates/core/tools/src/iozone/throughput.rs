//! Throughput mode (`-t N`): a block of six lines a test, from the view of parent and children.

use crate::scan::decimal::Decimal;
use crate::scan::finder::Line;
use crate::scan::result::Metrics;

const MIXED: &str = "two throughput runs of iozone are mixed";
/// Most blocks of one run, and processes of one block that are looked at.
const BLOCKS: usize = 200;
const PROCESSES: usize = 1000;

#[derive(Debug)]
pub struct Block {
    /// As iozone calls it: `initial writers`, `re-readers`.
    pub test: String,
    pub first_line: u64,
    pub last_line: u64,
    pub metrics: Metrics,
    children: f64,
    processes: f64,
    /// Lines so far; what says no test of its own may be another's where one is missing above.
    lines: usize,
    /// What each process moved, in bytes, and its rate (`-C`).
    each: Vec<(f64, f64)>,
}

#[derive(Debug, Default)]
pub struct Throughput {
    blocks: Vec<Block>,
    /// Lines below a block whose line above them is missing.
    strays: Vec<u64>,
    wrong: Option<(u64, &'static str)>,
}

/// The lines of a block after its first and the parent's, and what they are; a line about the CPU
/// may follow.
const LINES: [(&str, &str); 4] = [
    ("Min throughput per process", "min_throughput_per_process"),
    ("Max throughput per process", "max_throughput_per_process"),
    ("Avg throughput per process", "avg_throughput_per_process"),
    ("Min xfer", "min_transferred"),
];

impl Throughput {
    pub fn line(&mut self, line: &Line<'_>, text: &str) -> bool {
        if let Some(rest) = text.strip_prefix("Children see throughput for") {
            self.begin(line, rest);
            return true;
        }
        if text.starts_with("Child[") && text.contains("xfer count") {
            self.child(line, text);
            return true;
        }
        if let Some(rest) = cpu(text) {
            return self.cpu(line, rest);
        }
        let parent = text.strip_prefix("Parent sees throughput for");
        let named = (2..).zip(LINES).find(|(_, (label, _))| text.starts_with(label));
        let (place, name, rest) = match (parent, named) {
            (Some(rest), _) => (1, "parent_throughput", rest),
            (None, Some((place, (label, name)))) => (place, name, &text[label.len()..]),
            (None, None) => return false,
        };
        let Some(block) = self.blocks.last_mut() else { return false };
        let is_twice = block.metrics.get(name).is_some() || !block.each.is_empty();
        let is_other = parent.is_some_and(|rest| test(rest).is_none_or(|t| t.1 != block.test));
        if is_twice || is_other {
            self.wrong.get_or_insert((line.number, MIXED));
            return true;
        }
        let is_next = block.follows(place);
        if !is_next && parent.is_none() {
            self.strays.push(line.number);
        } else if let Some((value, unit, raw)) = figure(rest) {
            let is_size = name == "min_transferred";
            match is_size {
                true => block.metrics.real(name, value, "bytes", (raw, line.number)),
                false => block.metrics.real(name, value, unit, (raw, line.number)),
            }
        }
        block.last_line = line.number;
        true
    }

    /// `Child[0] xfer count = 512.00 kB, Throughput = 4927617.00 kB/sec`
    fn child(&mut self, line: &Line<'_>, text: &str) {
        let Some(block) = self.blocks.last_mut() else { return };
        let Some((moved, rate)) = text.split_once(", Throughput") else { return };
        if let (Some((moved, ..)), Some((rate, ..))) = (figure(moved), figure(rate))
            && block.each.len() < PROCESSES
        {
            block.each.push((moved, rate));
        }
        block.last_line = line.number;
    }

    /// The CPU utilisation of the last block, in percent of its wall time; a zero says nothing.
    fn cpu(&mut self, line: &Line<'_>, rest: &str) -> bool {
        let Some(block) = self.blocks.last_mut() else { return false };
        if block.metrics.get("cpu").is_some() {
            self.wrong.get_or_insert((line.number, MIXED));
            return true;
        }
        if !block.follows(LINES.len() + 2) {
            self.strays.push(line.number);
            return true;
        }
        let raw = rest.trim();
        let percent = raw.strip_suffix('%').and_then(|number| Decimal::parse(number.trim()));
        if let Some(percent) = percent.map(|number| number.value()).filter(|value| *value > 0.0) {
            block.metrics.real("cpu", percent, "percent", (raw, line.number));
        }
        block.last_line = line.number;
        true
    }

    fn begin(&mut self, line: &Line<'_>, rest: &str) {
        let Some(((processes, test), (value, unit, raw))) = test(rest).zip(figure(rest)) else {
            return;
        };
        let is_twice = self.blocks.iter().any(|block| block.test == test);
        if is_twice || self.blocks.len() >= BLOCKS {
            self.wrong.get_or_insert((line.number, MIXED));
            return;
        }
        let mut metrics = Metrics::default();
        let label = rest.trim().split(' ').next().unwrap_or("");
        metrics.real("processes", processes, "count", (label, line.number));
        metrics.real("children_throughput", value, unit, (raw, line.number));
        let (first_line, last_line) = (line.number, line.number);
        let (children, each) = (value, Vec::new());
        let lines = 1;
        let block =
            Block { test, first_line, last_line, metrics, children, processes, lines, each };
        self.blocks.push(block);
    }

    pub fn strays(&self) -> &[u64] {
        &self.strays
    }

    /// The blocks, or where and why they cannot be told apart.
    pub fn finish(&mut self) -> Result<Vec<Block>, (u64, &'static str)> {
        if let Some(wrong) = self.wrong.take() {
            return Err(wrong);
        }
        for block in &self.blocks {
            if let Some(why) = block.contradiction() {
                return Err((block.first_line, why));
            }
        }
        Ok(std::mem::take(&mut self.blocks))
    }
}

impl Block {
    /// Whether the line of that place comes next.
    fn follows(&mut self, place: usize) -> bool {
        let is_next = self.lines == place;
        self.lines = if is_next { place + 1 } else { usize::MAX };
        is_next
    }

    /// Why the lines cannot be of one test.
    fn contradiction(&self) -> Option<&'static str> {
        let of = |name: &str| self.metrics.get(&format!("{name}_throughput_per_process"));
        // Each is rounded to a hundredth of a KiB, and the sum is a single-precision one.
        let slack = self.children.abs() * 1e-5 + 1024.0 * self.processes;
        let is = |a: f64, b: f64| (a - b).abs() <= slack;
        if of("avg").is_some_and(|average| !is(average * self.processes, self.children)) {
            return Some(
                "the sum of the processes divided by their number does not equal their average",
            );
        }
        // The slowest may be the slowest of those that did something.
        let (low, high) = (of("min"), of("max"));
        let most = low.zip(high).map(|(low, high)| low + (self.processes - 1.0) * high + slack);
        let is_too_much = most.is_some_and(|most| most < self.children);
        if is_too_much || high.is_some_and(|high| high > self.children + slack) {
            return Some(
                "the slowest, the fastest and the sum of all processes contradict each other",
            );
        }
        if self.each.len() as f64 != self.processes {
            return None;
        }
        let sum: f64 = self.each.iter().map(|(_, rate)| rate).sum();
        let has = |rate: Option<f64>| rate.is_none_or(|r| self.each.iter().any(|(_, x)| is(r, *x)));
        let moved = self.metrics.get("min_transferred");
        let has_moved = moved.is_none_or(|bytes| self.each.iter().any(|(x, _)| *x == bytes));
        (!is(sum, self.children) || !has(low) || !has(high) || !has_moved)
            .then_some("the lines of single processes and their sum contradict each other")
    }
}

/// What stands behind the last words of `CPU Utilization: Wall time 0.001 CPU time 0.001 CPU
/// utilization 89.35 %`; the first of a run has the capital.
fn cpu(text: &str) -> Option<&str> {
    let is_cpu = text.starts_with("CPU Utilization: Wall time")
        || text.starts_with("CPU utilization: Wall time");
    text.rsplit_once("CPU utilization ").filter(|_| is_cpu).map(|(_, rest)| rest)
}

/// The number of processes and the test of `  2 initial writers  = 3.0 kB/sec`.
fn test(rest: &str) -> Option<(f64, String)> {
    let (label, _) = rest.split_once('=')?;
    let (count, test) = label.trim().split_once(' ')?;
    Some((Decimal::parse(count)?.value(), test.trim().to_string()))
}

/// The value behind the `=`, its unit and its text.
fn figure(rest: &str) -> Option<(f64, &'static str, &str)> {
    let (_, raw) = rest.split_once('=')?;
    let raw = raw.trim();
    let (number, unit) = raw.split_once(' ')?;
    let number = Decimal::parse(number)?.value();
    match unit.trim() {
        "kB/sec" | "KB/sec" | "kB" | "KB" => Some((number * 1024.0, "bytes/s", raw)),
        "ops/sec" | "ops" => Some((number, "1/s", raw)),
        _ => None,
    }
}
