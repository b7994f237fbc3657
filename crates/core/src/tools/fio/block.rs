//! One job's block of fio's text: a part for each direction, then CPU and requests issued.

use super::direction::{self, is_direction, issued};
use super::order;
use super::scalar::{Rounded, count, is_rate, unit_ns, value};
use super::{Job, Volume};
use crate::scan::finder::Line;
use crate::scan::result::{Metrics, Out, Place, short};

/// Percentiles that fio prints in a row, but for the last.
const PERCENTILES_A_ROW: u32 = 4;
/// How far a percentile may be beyond the exact ends: fio's buckets are a 64th of their value wide.
const BUCKET: f64 = 0.02;

/// One direction of a job.
#[derive(Debug)]
struct Direction {
    name: &'static str,
    line: u64,
    rate_raw: String,
    iops: Option<(f64, String)>,
    bytes: Option<(Rounded, String)>,
    runtime_ms: Option<(u64, String)>,
    latencies: Metrics,
    wrong: Option<String>,
}

/// One job's block while its lines come in.
#[derive(Debug, Default)]
pub struct Open {
    place: Place,
    /// Its last line so far.
    pub last_line: u64,
    /// The job's name.
    pub name: String,
    error: u64,
    directions: Vec<Direction>,
    /// Where in the block its last line stands.
    at: order::Place,
    /// Requests issued: read, write, trim, flush.
    issued: Option<([u64; 4], String, u64)>,
    cpu: Option<(f64, f64, String, u64)>,
    /// The unit of the percentile lines that follow, in nanoseconds; and whether they are clat's.
    percentiles: Option<(f64, bool)>,
    /// Rank and nanoseconds of the last of them.
    last_percentile: (f64, f64),
    /// Percentiles of the row in hand, and its line where more should follow in it.
    row: (u32, Option<u64>),
    /// Rows that are not whole.
    short_rows: Vec<u64>,
    is_twice: bool,
    /// Figures that contradict each other.
    contradiction: Option<String>,
}

impl Open {
    /// A block that begins there, of a job that ended with that error.
    pub fn new(place: Place, name: String, error: u64) -> Open {
        Open { last_line: place.first_line, place, name, error, ..Open::default() }
    }

    /// Takes a line; true when it is one of the block.
    pub fn line(&mut self, line: &Line<'_>, text: &str) -> bool {
        let is_own = self.own(line, text);
        if let Some(place) = order::place(text, self.at).filter(|_| is_own) {
            if place < self.at || place.0 == 0 {
                self.contradict(line, "it stands in another order than fio prints");
            }
            self.at = place;
        }
        is_own
    }

    /// Whether rows of percentiles follow.
    pub fn is_among_percentiles(&self) -> bool {
        self.percentiles.is_some()
    }

    fn own(&mut self, line: &Line<'_>, text: &str) -> bool {
        for name in ["read", "write", "trim"] {
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
            self.end_row();
            return self.percentile_line(rest, line);
        }
        // A mail breaks a row of them between two.
        if self.percentiles.is_some() && text.contains("th=[") {
            return self.percentile_line(text, line);
        }
        if let Some((label, rest)) = text.split_once(':') {
            return self.labelled(label.trim(), rest, line);
        }
        false
    }

    fn begin(&mut self, name: &'static str, line: u64) -> &mut Direction {
        self.percentiles = None;
        self.is_twice |= self.directions.iter().any(|direction| direction.name == name);
        // More than the four there are means that outputs are mixed up; keep no more.
        if self.directions.len() > 4 {
            self.directions.pop();
        }
        self.directions.push(Direction {
            name,
            line,
            rate_raw: String::new(),
            iops: None,
            bytes: None,
            runtime_ms: None,
            latencies: Metrics::default(),
            wrong: None,
        });
        let last = self.directions.len() - 1;
        &mut self.directions[last]
    }

    /// `IOPS=51.2k, BW=200MiB/s (210MB/s)(8192KiB/40msec)`, and how version 2 puts it.
    fn direction(&mut self, name: &'static str, rest: &str, line: &Line<'_>) -> bool {
        if !is_direction(rest) {
            return false;
        }
        let direction = self.begin(name, line.number);
        let Some(parts) = direction::parts(rest) else {
            direction.wrong = Some(format!("line {}: its figures are not whole", line.number));
            return true;
        };
        let (bytes, ms) = (parts.bytes.0, parts.runtime_ms.0 as f64);
        if !parts.rates.iter().any(|rate| is_rate(bytes, ms, *rate)) {
            let why = "bytes, runtime and rate contradict each other";
            direction.wrong = Some(format!("line {}: {why}", line.number));
        }
        direction.rate_raw = parts.rate_raw;
        direction.iops = parts.iops;
        direction.bytes = Some(parts.bytes);
        direction.runtime_ms = Some(parts.runtime_ms);
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
                self.row = (0, None);
                true
            }
            "cpu" => {
                let share = |key| value(rest, key)?.strip_suffix('%')?.parse::<f64>().ok();
                if let (Some(user), Some(system)) = (share("usr"), share("sys")) {
                    self.is_twice |= self.cpu.is_some();
                    self.cpu = Some((user, system, short(rest), line.number));
                }
                true
            }
            "issued rwts" | "issued rwt" | "issued" => {
                self.is_twice |= self.issued.is_some();
                self.issued = issued(rest).map(|counts| (counts, short(rest), line.number));
                true
            }
            "bw" | "iops" | "IO depths" | "submit" | "complete" | "latency" | "lat" => true,
            _ => false,
        }
    }

    fn latency(&mut self, what: &str, unit: &str, rest: &str, line: &Line<'_>) {
        let wanted = if what == "sync" { "sync" } else { "clat" };
        let (Some(ns), Some(direction)) = (unit_ns(unit), self.directions.last_mut()) else {
            return;
        };
        // The deviation stands last: without it the line was cut, perhaps inside a number.
        let is_whole = value(rest, "stdev").is_some();
        if !is_whole || what != wanted || (what == "sync") != (direction.name == "sync") {
            return;
        }
        let figure = |key| count(value(rest, key)?);
        let (Some(min), Some(max), Some(avg)) = (figure("min"), figure("max"), figure("avg"))
        else {
            self.contradict(line, "its latencies are no numbers");
            return;
        };
        if min.value > avg.value + avg.slack || avg.value > max.value + max.slack {
            self.contradict(line, "its mean latency is not between the least and the largest");
            return;
        }
        for (key, figure) in [("min", min), ("max", max), ("avg", avg)] {
            let name = format!("{}.latency_{key}", direction.name);
            let raw = value(rest, key).unwrap_or_default();
            self.is_twice |= direction.latencies.get(&name).is_some();
            let value = libm::round(figure.value * ns) as u64;
            direction.latencies.whole(&name, value, "ns", raw, line.number);
        }
    }

    /// `|  1.00th=[  212],  5.00th=[  326],`
    fn percentile_line(&mut self, rest: &str, line: &Line<'_>) -> bool {
        if !rest.contains("th=[") {
            return false;
        }
        self.row.0 += rest.matches("th=[").count() as u32;
        self.row.1 = rest.trim_end().ends_with(',').then_some(line.number);
        let (Some((ns, true)), Some(direction)) = (self.percentiles, self.directions.last_mut())
        else {
            return true;
        };
        for part in rest.split("],").flat_map(|part| part.split(']')) {
            let Some((rank, raw)) = part.split_once("th=[") else { continue };
            // The bracket behind it says that the number is whole.
            let is_closed = rest.contains(&format!("[{raw}]"));
            let rank = rank.trim_matches([' ', ',']).trim_end_matches('0').trim_end_matches('.');
            let Some(figure) = count(raw.trim_start_matches('>')).filter(|_| is_closed) else {
                continue;
            };
            let name = format!("{}.latency_p{rank}", direction.name);
            let (last_rank, last_value) = self.last_percentile;
            let place = rank.parse::<f64>().unwrap_or(f64::NAN);
            // Also where the rank is no number.
            let rises = place > last_rank && place <= 100.0 && figure.value >= last_value;
            if !rises {
                self.contradict(line, "its percentiles fall");
                return true;
            }
            let ns_of =
                |what| direction.latencies.get(&format!("{}.latency_{what}", direction.name));
            let least = ns_of("min").unwrap_or(0.0) * (1.0 - BUCKET) - ns;
            let most = ns_of("max").unwrap_or(f64::INFINITY) * (1.0 + BUCKET) + ns;
            if !(least..=most).contains(&(figure.value * ns)) {
                self.contradict(line, "a percentile is not between the least and the largest");
                return true;
            }
            self.last_percentile = (place, figure.value);
            self.is_twice |= direction.latencies.get(&name).is_some();
            let value = libm::round(figure.value * ns) as u64;
            direction.latencies.whole(&name, value, "ns", raw, line.number);
        }
        true
    }

    /// A row below the one in hand: that one had four, or was the last.
    fn end_row(&mut self) {
        if let (true, Some(line)) = (self.row.0 < PERCENTILES_A_ROW, self.row.1) {
            self.short_rows.push(line);
        }
        self.row = (0, None);
    }

    fn contradict(&mut self, line: &Line<'_>, what: &str) {
        let why =
            format!("line {}: {what}: digits are missing, or outputs are mixed up", line.number);
        self.contradiction.get_or_insert(why);
    }

    /// Gives what was read, `blocks` being the block sizes of its reads, writes and trims.
    pub fn give(self, version: Option<String>, blocks: &[Option<u64>; 3], out: &mut Out) {
        let (first, last) = (self.place.first_line, self.last_line);
        if self.is_twice {
            return out.unread(first, last, "figures stand twice: two outputs of fio are mixed up");
        }
        for line in &self.short_rows {
            out.unread(*line, *line, "a row of fio's percentiles that was cut");
        }
        if let Some(why) = self.contradiction {
            return out.unread(first, last, why);
        }
        if let Some(name) = self.missing() {
            let why = format!("fio issued {name} requests, and the line that says of them is gone");
            return out.unread(first, last, why);
        }
        let mut metrics = Metrics::default();
        for direction in &self.directions {
            let wrong = direction.wrong.clone().map_or(Ok(()), Err);
            if let Err(why) =
                wrong.and_then(|()| self.give_direction(direction, blocks, &mut metrics))
            {
                return out.unread(first, last, why);
            }
        }
        if let (Some((user, system, raw, line)), false) = (&self.cpu, metrics.0.is_empty()) {
            metrics.real("user_cpu", *user, "percent", raw, *line);
            metrics.real("system_cpu", *system, "percent", raw, *line);
        }
        let Open { place, name, error, .. } = self;
        Job { place, last_line: last, version, name, error, metrics }.give(out);
    }

    /// A direction that something was done in and whose line is not here: latencies of it would
    /// be another's.
    fn missing(&self) -> Option<&'static str> {
        let (issued, ..) = self.issued.as_ref()?;
        let is_there = |name: &str| self.directions.iter().any(|direction| direction.name == name);
        let mut of = ["read", "write", "trim", "sync"].into_iter().zip(issued);
        of.find(|(name, count)| **count > 0 && !is_there(name)).map(|(name, _)| name)
    }

    fn give_direction(
        &self,
        direction: &Direction,
        blocks: &[Option<u64>; 3],
        metrics: &mut Metrics,
    ) -> Result<(), String> {
        let Some((bytes, raw)) = &direction.bytes else {
            metrics.0.extend(direction.latencies.0.iter().cloned());
            return Ok(());
        };
        let at = ["read", "write", "trim"].iter().position(|name| *name == direction.name);
        let issued = self.issued.as_ref().zip(at).map(|(issued, at)| (issued, issued.0[at], at));
        let mut volume = Volume {
            bytes: Some((libm::round(bytes.value) as u64, raw.clone(), direction.line)),
            runtime_ms: direction.runtime_ms.clone().map(|(ms, raw)| (ms, raw, direction.line)),
        };
        if let Some((issued, total, at)) = issued {
            if (total == 0) != (bytes.value == 0.0) {
                return Err("the requests issued are of another job than the bytes".into());
            }
            metrics.whole(&format!("{}.ios", direction.name), total, "count", &issued.1, issued.2);
            if let Some(exact) = blocks[at].and_then(|block| block.checked_mul(total)) {
                // A request may have been short, the last one at the file's end.
                let slack = bytes.slack * 1.01 + blocks[at].unwrap_or(0) as f64;
                if (exact as f64 - bytes.value).abs() > slack {
                    return Err("requests times block size is not what fio says it moved".into());
                }
                let is_within = (exact as f64 - bytes.value).abs() <= bytes.slack * 1.01;
                if is_within {
                    volume.bytes = Some((exact, issued.1.clone(), issued.2));
                }
            }
        }
        volume.give(direction.name, &direction.rate_raw, direction.line, metrics);
        if let Some((iops, raw)) = &direction.iops {
            metrics.real(&format!("{}.iops", direction.name), *iops, "1/s", raw, direction.line);
        }
        metrics.0.extend(direction.latencies.0.iter().cloned());
        Ok(())
    }
}
