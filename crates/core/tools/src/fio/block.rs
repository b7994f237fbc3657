//! One job's block of fio's text: a part for each direction, then CPU and requests issued.

mod latency;

use super::JobReader;
use super::direction::{self, is_direction, issued};
use super::order;
use super::scalar::{unit_ns, value};
use crate::scan::finder::Line;
use crate::scan::result::{Metrics, Out, Place, short};

const DOUBTS: usize = 16;
const CUT: &str = "the line was cut, or a page broke it";

#[derive(Debug, Default)]
struct Direction {
    name: &'static str,
    line: u64,
    parts: Option<direction::DirectionFigures>,
    latencies: Metrics,
}

/// One job's block while its lines come in.
#[derive(Debug, Default)]
pub struct OpenBlock {
    place: Place,
    pub last_line: u64,
    pub name: String,
    error: u64,
    directions: Vec<Direction>,
    at: order::Place,
    /// Requests issued: read, write, trim, flush.
    issued: Option<([u64; 4], String, u64)>,
    cpu: Option<(f64, f64, String, u64)>,
    /// The unit of the percentile lines that follow, in nanoseconds; and whether they are clat's.
    percentiles: Option<(f64, bool)>,
    last_percentile: (f64, f64),
    is_twice: bool,
    has_wrong_latencies: bool,
    /// A line that fio prints elsewhere: other figures may be another output's too.
    misplaced: Option<u64>,
    doubts: Vec<(u64, String)>,
}

impl OpenBlock {
    pub fn new(place: Place, name: String, error: u64) -> OpenBlock {
        OpenBlock { last_line: place.first_line, place, name, error, ..OpenBlock::default() }
    }

    pub fn is_headless(&self) -> bool {
        self.name.is_empty()
    }

    pub fn has_direction_of(&self, text: &str) -> bool {
        self.directions.iter().any(|direction| text.starts_with(direction.name))
    }

    pub fn is_below_another(&self, line: &Line<'_>) -> bool {
        let command = line.place("fio").command;
        !command.is_empty() && command != self.place.command
    }

    pub fn line(&mut self, line: &Line<'_>, text: &str) -> bool {
        let is_own = self.own(line, text);
        if let Some(place) = order::place(text, self.at).filter(|_| is_own) {
            if place < self.at || place.0 == 0 {
                self.misplaced.get_or_insert(line.number);
            }
            self.at = place;
        }
        is_own
    }

    fn own(&mut self, line: &Line<'_>, text: &str) -> bool {
        for name in direction::NAMES {
            let rest = text.strip_prefix(name).map(str::trim_start);
            if let Some(rest) = rest.and_then(|rest| rest.strip_prefix(':')) {
                return self.direction(name, rest, line);
            }
        }
        if text.starts_with("fsync/fdatasync/sync_file_range:") {
            self.begin("sync", line.number);
            return true;
        }
        if let Some(rest) = text.strip_prefix('|') {
            return self.percentile_line(rest, line);
        }
        if self.percentiles.is_some() && text.contains("th=[") {
            self.doubt(line, CUT);
            return true;
        }
        if let Some((label, rest)) = text.split_once(':') {
            return self.labelled(label.trim(), rest, line);
        }
        false
    }

    fn begin(&mut self, name: &'static str, line: u64) {
        self.percentiles = None;
        self.is_twice |= self.directions.iter().any(|direction| direction.name == name);
        // More than the four there are means that outputs are mixed up; keep no more.
        if self.directions.len() > 5 {
            self.directions.pop();
        }
        self.directions.push(Direction { name, line, ..Direction::default() });
    }

    /// `IOPS=51.2k, BW=200MiB/s (210MB/s)(8192KiB/40msec)`, and how version 2 puts it.
    fn direction(&mut self, name: &'static str, rest: &str, line: &Line<'_>) -> bool {
        if !is_direction(rest) {
            return false;
        }
        self.begin(name, line.number);
        let Some(parts) = direction::parts(rest) else {
            self.doubt(line, "the figures of this line are incomplete");
            return true;
        };
        if !parts.agree() {
            self.doubt(line, "bytes, runtime and rate contradict each other");
        } else if let Some(direction) = self.directions.last_mut() {
            direction.parts = Some(parts);
        }
        true
    }

    fn labelled(&mut self, label: &str, rest: &str, line: &Line<'_>) -> bool {
        let (what, unit) = match label.split_once('(') {
            Some((what, unit)) => (what.trim(), unit.trim_end_matches(')').trim()),
            None => (label, ""),
        };
        match what {
            "clat" | "slat" | "lat" | "sync" if rest.contains("min=") => {
                self.latency(what, unit, rest, line);
                true
            }
            "clat percentiles" | "lat percentiles" | "sync percentiles" => {
                let is_main = what != "lat percentiles";
                self.percentiles = unit_ns(unit).map(|ns| (ns, is_main));
                self.last_percentile = (0.0, 0.0);
                true
            }
            "cpu" => {
                let share = |key| value(rest, key)?.strip_suffix('%')?.parse::<f64>().ok();
                if let (Some(user), Some(system)) = (share("usr"), share("sys")) {
                    self.is_twice |= self.cpu.is_some();
                    self.cpu = Some((user, system, short(rest), line.number));
                } else {
                    self.doubt(line, CUT);
                }
                true
            }
            "issued rwts" | "issued rwt" | "issued" => {
                self.is_twice |= self.issued.is_some();
                self.issued = issued(rest).map(|counts| (counts, short(rest), line.number));
                if self.issued.is_none() {
                    self.doubt(line, CUT);
                }
                true
            }
            "bw" | "iops" | "IO depths" | "submit" | "complete" | "latency" | "lat" => true,
            _ => false,
        }
    }

    fn doubt(&mut self, line: &Line<'_>, why: impl Into<String>) {
        if self.doubts.len() < DOUBTS {
            self.doubts.push((line.number, why.into()));
        }
    }

    /// Gives what was read, `blocks` being the block sizes of its reads, writes and trims.
    pub fn give(mut self, version: Option<String>, blocks: &[Option<u64>; 3], out: &mut Out) {
        let (first, last) = (self.place.first_line, self.last_line);
        if self.is_twice {
            let why = "figures appear twice: two outputs of fio are mixed up";
            return out.unread(first, last, why);
        }
        if let Some(line) = self.misplaced {
            let why = "is not in the order in which fio prints: outputs are mixed up";
            return out.unread(first, last, format!("line {line} {why}"));
        }
        if let Some(name) = self.missing() {
            let why =
                format!("fio issued {name} requests, but the line that reports them is missing");
            return out.unread(first, last, why);
        }
        if self.has_wrong_latencies {
            self.directions.iter_mut().for_each(|direction| direction.latencies.0.clear());
        }
        let (mut metrics, mut doubts) = (Metrics::default(), self.doubts.clone());
        for direction in &self.directions {
            let given = self.give_direction(direction, blocks, &mut metrics, &mut doubts);
            if let Err(why) = given {
                return out.unread(first, last, why);
            }
        }
        for (line, why) in &doubts {
            out.unread(
                *line,
                *line,
                format!("{why}: digits are missing; the job's other figures are given"),
            );
        }
        if let (Some((user, system, raw, line)), false) = (&self.cpu, metrics.0.is_empty()) {
            metrics.real("user_cpu", *user, "percent", (raw, *line));
            metrics.real("system_cpu", *system, "percent", (raw, *line));
        }
        let OpenBlock { place, name, error, .. } = self;
        if metrics.0.is_empty() && !doubts.is_empty() {
            return;
        }
        JobReader { place, last_line: last, version, name, error, metrics }.give(out);
    }

    /// A direction that something was done in and whose line is not here: latencies of it would
    /// be another's.
    fn missing(&self) -> Option<&'static str> {
        let (issued, ..) = self.issued.as_ref()?;
        let has = |name: &str| self.directions.iter().any(|direction| direction.name == name);
        let is_there = |name: &str| has(name) || (has("mixed") && name != "sync");
        let mut of = ["read", "write", "trim", "sync"].into_iter().zip(issued);
        of.find(|(name, count)| **count > 0 && !is_there(name)).map(|(name, _)| name)
    }

    /// Requests of a direction and the size of each, with the line that counts them. Of `mixed` fio
    /// counts all requests as reads, or each beside its own direction.
    fn issued_of(
        &self,
        name: &str,
        blocks: &[Option<u64>; 3],
    ) -> Option<(u64, Option<u64>, &str, u64)> {
        let (counts, raw, line) = self.issued.as_ref()?;
        if name == "mixed" {
            let block = blocks[0].filter(|_| blocks[0] == blocks[1]);
            return Some((counts[..3].iter().sum(), block, raw, *line));
        }
        let at = direction::NAMES.iter().position(|known| *known == name)?;
        Some((counts[at], blocks[at], raw, *line))
    }

    fn give_direction(
        &self,
        direction: &Direction,
        blocks: &[Option<u64>; 3],
        metrics: &mut Metrics,
        unread: &mut Vec<(u64, String)>,
    ) -> Result<(), &'static str> {
        let latencies = direction.latencies.0.iter().cloned();
        let is_given = |parts: &&direction::DirectionFigures| {
            parts.bytes.0.value != 0.0 || direction.name != "mixed"
        };
        let Some(parts) = direction.parts.as_ref().filter(is_given) else {
            metrics.0.extend(latencies);
            return Ok(());
        };
        let (bytes, raw) = &parts.bytes;
        let mut volume = parts.volume(direction.line);
        if let Some((total, block, issued_raw, line)) = self.issued_of(direction.name, blocks) {
            if (total == 0) != (bytes.value == 0.0) {
                return Err("the issued requests and the bytes belong to different jobs");
            }
            match direction::exact(total, block, *bytes, raw) {
                Ok(exact) => {
                    let name = format!("{}.ios", direction.name);
                    metrics.whole(&name, total, "count", (issued_raw, line));
                    if let Some(exact) = exact {
                        volume.bytes = (exact, issued_raw.to_string(), line);
                        volume.rate = None;
                    }
                }
                Err(why) => unread.push((line, why.to_string())),
            }
        }
        volume.give(direction.name, &parts.rate_raw, direction.line, metrics);
        if let Some((iops, raw)) = &parts.iops {
            metrics.real(&format!("{}.iops", direction.name), *iops, "1/s", (raw, direction.line));
        }
        metrics.0.extend(latencies);
        Ok(())
    }
}
