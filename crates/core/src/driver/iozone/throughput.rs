//! Throughput mode (`-t N`): a block of six lines a test, from the view of parent and children.

use crate::import::decimal::Decimal;
use crate::import::finder::Line;
use crate::import::result::Metrics;

/// Most blocks of one run.
const BLOCKS: usize = 200;

/// One test.
#[derive(Debug)]
pub struct Block {
    /// As iozone calls it: `initial writers`, `re-readers`.
    pub test: String,
    /// First line.
    pub first_line: u64,
    /// Last line.
    pub last_line: u64,
    /// The figures.
    pub metrics: Metrics,
    children: f64,
    processes: f64,
}

/// The blocks of one run.
#[derive(Debug, Default)]
pub struct Throughput {
    blocks: Vec<Block>,
    wrong: Option<(u64, String)>,
}

/// The lines of a block after its first, and what they are.
const LINES: [(&str, &str); 4] = [
    ("Min throughput per process", "min_throughput_per_process"),
    ("Max throughput per process", "max_throughput_per_process"),
    ("Avg throughput per process", "avg_throughput_per_process"),
    ("Min xfer", "min_transferred"),
];

impl Throughput {
    /// Takes a line.
    pub fn line(&mut self, line: &Line<'_>, text: &str) -> bool {
        if let Some(rest) = text.strip_prefix("Children see throughput for") {
            self.begin(line, rest);
            return true;
        }
        if text.starts_with("Child[") && text.contains("xfer count") {
            return true;
        }
        if let Some(rest) = cpu(text) {
            return self.cpu(line, rest);
        }
        let parent = text.strip_prefix("Parent sees throughput for");
        let named = LINES.iter().find(|(label, _)| text.starts_with(label));
        let (name, rest) = match (parent, named) {
            (Some(rest), _) => ("parent_throughput", rest),
            (None, Some((label, name))) => (*name, &text[label.len()..]),
            (None, None) => return false,
        };
        let Some(block) = self.blocks.last_mut() else { return false };
        let is_twice = block.metrics.get(name).is_some();
        let is_other = parent.is_some_and(|rest| test(rest).is_none_or(|t| t.1 != block.test));
        if is_twice || is_other {
            let why = "two throughput runs of iozone are mixed up".to_string();
            self.wrong.get_or_insert((line.number, why));
            return true;
        }
        if let Some((value, unit, raw)) = figure(rest) {
            let is_size = name == "min_transferred";
            match is_size {
                true => block.metrics.real(name, value, "bytes", raw, line.number),
                false => block.metrics.real(name, value, unit, raw, line.number),
            }
        }
        block.last_line = line.number;
        true
    }

    /// The CPU utilisation of the last block, in percent of its wall time; a zero says nothing.
    fn cpu(&mut self, line: &Line<'_>, rest: &str) -> bool {
        let Some(block) = self.blocks.last_mut() else { return false };
        if block.metrics.get("cpu").is_some() {
            let why = "two throughput runs of iozone are mixed up".to_string();
            self.wrong.get_or_insert((line.number, why));
            return true;
        }
        let raw = rest.trim();
        let percent = raw.strip_suffix('%').and_then(|number| Decimal::parse(number.trim()));
        if let Some(percent) = percent.map(|number| number.value()).filter(|value| *value > 0.0) {
            block.metrics.real("cpu", percent, "percent", raw, line.number);
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
            let why = "two throughput runs of iozone are mixed up".to_string();
            self.wrong.get_or_insert((line.number, why));
            return;
        }
        let mut metrics = Metrics::default();
        let label = rest.trim().split(' ').next().unwrap_or("");
        metrics.real("processes", processes, "count", label, line.number);
        metrics.real("children_throughput", value, unit, raw, line.number);
        let (first_line, last_line) = (line.number, line.number);
        let block = Block { test, first_line, last_line, metrics, children: value, processes };
        self.blocks.push(block);
    }

    /// The blocks, or where and why they cannot be told apart.
    pub fn finish(&mut self) -> Result<Vec<Block>, (u64, String)> {
        if let Some(wrong) = self.wrong.take() {
            return Err(wrong);
        }
        for block in &self.blocks {
            let Some(average) = block.metrics.get("avg_throughput_per_process") else { continue };
            // Each is rounded to a hundredth of a KiB, and the sum is a single-precision one.
            let slack = block.children.abs() * 1e-5 + 1024.0 * block.processes;
            if (average * block.processes - block.children).abs() > slack {
                let why = "the average of the processes is not their sum divided by them";
                return Err((block.first_line, why.to_string()));
            }
        }
        Ok(std::mem::take(&mut self.blocks))
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
