//! fio's JSON and JSON+, with whatever was printed in front of it.

use super::paths::{Scalar, scalars};
use super::{Job, Volume};
use crate::import::decimal::Decimal;
use crate::import::finder::{Line, Reader};
use crate::import::result::{Metrics, Out, Place, short};

/// The longest JSON that is read; every bucket of sixteen jobs stays below.
const JSON_LIMIT_BYTES: usize = 16 << 20;
/// Most scalars of one JSON.
const SCALARS: usize = 400_000;
/// Most brackets that are open at a time; serde_json refuses more.
const BRACKETS: usize = 128;
/// A percentile is the middle of its bucket, which is a 64th of its value wide.
const BEYOND: f64 = 1.02;
/// Most jobs of one JSON.
const JOBS: u64 = 1000;

/// A JSON object while its lines come in.
#[derive(Debug)]
struct Open {
    place: Place,
    last_line: u64,
    text: String,
    depth: i64,
    is_in_string: bool,
    is_fio: bool,
    /// Whether the innermost brackets that are open are square, and what is open around them.
    brackets: Vec<u8>,
    /// Where the last object of a job, or of what it did in one direction, ended: the length of
    /// the text, its line, and what was open then.
    whole: Option<(usize, u64, Vec<u8>)>,
    /// Whether the end is missing.
    is_cut: bool,
    /// The last line with nothing but a brace, which may be the head of another JSON.
    brace: Option<u64>,
}

/// Reads fio's JSON.
#[derive(Debug, Default)]
pub struct Json {
    open: Option<Open>,
}

impl Reader for Json {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) -> bool {
        let text = line.text.trim();
        let is_first_key = text.contains("\"fio version\"");
        let begins = text == "{" || (text.starts_with('{') && is_first_key);
        // A second head inside one: the first was cut.
        let is_second = self.open.as_ref().is_some_and(|o| o.is_fio && is_first_key);
        let has_foreign_head = self.open.as_ref().is_some_and(|o| !o.is_fio && begins);
        if is_second || has_foreign_head {
            let brace = self.open.as_ref().and_then(|open| open.brace).filter(|_| !begins);
            self.drop_open(out);
            if let Some(number) = brace.filter(|number| number + 1 == line.number) {
                let head = Line { number, text: "{", ..*line };
                self.open.insert(Open::new(&head)).add(&head);
            }
        }
        if self.open.is_none() {
            // The head that was cut off in front of its first key is not known to be there.
            if !begins {
                return false;
            }
            self.open = Some(Open::new(line));
        }
        let Some(open) = &mut self.open else { return false };
        open.is_fio |= is_first_key;
        if !open.is_fio && line.number > open.place.first_line + 1 {
            self.open = None;
            return false;
        }
        open.add(line);
        if text == "{" {
            open.brace = Some(line.number);
        }
        let (is_fio, is_over) = (open.is_fio, open.depth <= 0);
        let is_too_long = open.text.len() > JSON_LIMIT_BYTES;
        if is_over && is_fio {
            if let Some(open) = self.open.take() {
                open.give(out);
            }
        } else if is_over || is_too_long {
            self.drop_open(out);
        }
        is_fio
    }

    fn finish(&mut self, out: &mut Out) {
        self.drop_open(out);
    }
}

impl Json {
    fn drop_open(&mut self, out: &mut Out) {
        let Some(open) = self.open.take().filter(|open| open.is_fio) else { return };
        let (first, last) = (open.place.first_line, open.last_line);
        match open.cut() {
            Some(open) => {
                let why = "fio's JSON ends before its last brace; what came before this was read";
                let rest = (open.last_line + 1).min(last);
                open.give(out);
                out.unread(rest, last, why);
            }
            None => {
                let why =
                    "fio's JSON is not whole: its last brace is missing, or other text is in it";
                out.unread(first, last, why);
            }
        }
    }
}

impl Open {
    fn new(line: &Line<'_>) -> Open {
        Open {
            place: line.place("fio"),
            last_line: line.number,
            text: String::new(),
            depth: 0,
            is_in_string: false,
            is_fio: false,
            brackets: Vec::new(),
            whole: None,
            is_cut: false,
            brace: None,
        }
    }

    fn add(&mut self, line: &Line<'_>) {
        for _ in self.last_line + 1..line.number {
            self.text.push('\n');
        }
        if !self.text.is_empty() {
            // A carriage return inside a line starts no other line.
            self.text.push(if line.number == self.last_line { ' ' } else { '\n' });
        }
        let begins_at = self.text.len();
        self.text.push_str(line.text);
        self.last_line = line.number;
        let mut is_escaped = false;
        for (at, byte) in line.text.bytes().enumerate() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if self.is_in_string => is_escaped = true,
                b'"' => self.is_in_string = !self.is_in_string,
                b'{' | b'[' if !self.is_in_string => self.open_bracket(byte),
                b'}' | b']' if !self.is_in_string => {
                    self.close_bracket(byte, begins_at + at + 1);
                }
                _ => {}
            }
        }
        // JSON has no line feed inside a string: a quotation mark was lost.
        self.is_in_string = false;
    }

    fn open_bracket(&mut self, byte: u8) {
        self.depth += i64::from(byte == b'{');
        if self.brackets.len() < BRACKETS {
            self.brackets.push(byte);
        }
    }

    fn close_bracket(&mut self, byte: u8, end: usize) {
        self.depth -= i64::from(byte == b'}');
        self.brackets.pop();
        // A job lies in the list of the outermost object, a direction in a job.
        let is_job = self.brackets == *b"{[" || self.brackets == *b"{[{";
        if byte == b'}' && is_job {
            self.whole = Some((end, self.last_line, self.brackets.clone()));
        }
    }

    /// What is whole of a JSON that was cut, with the brackets that it lacks.
    fn cut(mut self) -> Option<Open> {
        let (end, line, open) = self.whole.take()?;
        self.text.truncate(end);
        for bracket in open.iter().rev() {
            self.text.push(if *bracket == b'{' { '}' } else { ']' });
        }
        (self.last_line, self.is_cut) = (line, true);
        Some(self)
    }

    fn give(self, out: &mut Out) {
        let (first, last) = (self.place.first_line, self.last_line);
        // serde_json refuses what is nested too deep; the last brace may have text behind it.
        if let Err(error) = serde_json::from_str::<serde_json::Value>(&self.text) {
            let why = format!("fio's JSON is not whole or other text is in it: {error}");
            return out.unread(first, last, why);
        }
        let Some(found) = scalars(&self.text, SCALARS) else {
            return out.unread(first, last, "fio's JSON has more values than are read");
        };
        let mut known = Known { scalars: found, first };
        if let Some(path) = known.sort() {
            let why = format!("{path} stands twice in fio's JSON: two outputs are mixed up");
            return out.unread(first, last, why);
        }
        let version = known.text("fio version").map(|v| v.trim_start_matches("fio-").to_string());
        let mut is_any = false;
        for at in 0..JOBS {
            let name = known.text(&format!("jobs/{at}/jobname"));
            let Some(name) = name.map(short) else { break };
            is_any = true;
            match known.job(at) {
                // What it did stands in the part that is missing.
                Ok(metrics) if metrics.0.is_empty() && self.is_cut => {}
                Ok(metrics) => {
                    let error = known.whole(&format!("jobs/{at}/error")).unwrap_or(0);
                    let place = self.place.clone();
                    let version = version.clone();
                    Job { place, last_line: last, version, name, error, metrics }.give(out);
                }
                Err(why) => out.unread(first, last, why),
            }
        }
        if !is_any && !self.is_cut {
            out.unread(first, last, "fio's JSON has no jobs");
        }
    }
}

/// The scalars of one JSON, by path.
struct Known {
    scalars: Vec<Scalar>,
    first: u64,
}

impl Known {
    /// Sorts by path; a path that stands twice comes back.
    fn sort(&mut self) -> Option<String> {
        self.scalars.sort_by(|a, b| a.path.cmp(&b.path));
        let twice = self.scalars.windows(2).find(|pair| {
            let path = &pair[0].path;
            // Version 3.0 and older print one latency table twice.
            *path == pair[1].path && path.starts_with("jobs/") && !path.contains("/latency_")
        });
        twice.map(|pair| pair[0].path.clone())
    }

    fn find(&self, path: &str) -> Option<&Scalar> {
        let at = self.scalars.binary_search_by(|scalar| scalar.path.as_str().cmp(path)).ok()?;
        self.scalars.get(at)
    }

    fn text(&self, path: &str) -> Option<&str> {
        self.find(path).map(|scalar| scalar.text.as_str())
    }

    fn whole(&self, path: &str) -> Option<u64> {
        self.text(path)?.parse().ok()
    }

    fn number(&self, path: &str) -> Option<f64> {
        Some(Decimal::parse(self.text(path)?)?.value())
    }

    fn job(&self, at: u64) -> Result<Metrics, String> {
        let mut metrics = Metrics::default();
        for direction in ["read", "write", "trim", "mixed"] {
            self.direction(&format!("jobs/{at}/{direction}"), direction, &mut metrics)?;
        }
        let sync = format!("jobs/{at}/sync/lat_ns");
        // The count beside it was seen to be 0 in version 3.33 when there were some.
        if self.whole(&format!("{sync}/N")).is_some_and(|count| count > 0) {
            self.put(&mut metrics, &format!("{sync}/N"), "sync.ios", 1, "count");
            self.latency(&mut metrics, &sync, "sync", 1)?;
        }
        for (key, name) in [("usr_cpu", "user_cpu"), ("sys_cpu", "system_cpu")] {
            let Some(scalar) = self.find(&format!("jobs/{at}/{key}")) else { continue };
            if let (Some(value), false) = (Decimal::parse(&scalar.text), metrics.0.is_empty()) {
                let line = self.first + scalar.line;
                metrics.real(name, value.value(), "percent", &scalar.text, line);
            }
        }
        Ok(metrics)
    }

    fn direction(&self, at: &str, name: &str, metrics: &mut Metrics) -> Result<(), String> {
        let Some(bytes) = self.find(&format!("{at}/io_bytes")) else { return Ok(()) };
        let amount: u64 = bytes.text.parse().unwrap_or(0);
        if amount == 0 {
            return Ok(());
        }
        let runtime = self.find(&format!("{at}/runtime"));
        let rate = self.find(&format!("{at}/bw_bytes")).or(self.find(&format!("{at}/bw")));
        if self.whole(&format!("{at}/total_ios")) == Some(0) {
            return Err(format!("fio's {name} moved bytes in no request"));
        }
        let factor = self.factor(at, amount)?;
        let entry =
            |scalar: &Scalar, value: u64| (value, scalar.text.clone(), self.first + scalar.line);
        let volume = Volume {
            bytes: Some(entry(bytes, amount.saturating_mul(factor))),
            runtime_ms: runtime.and_then(|s| Some(entry(s, s.text.parse().ok()?))),
        };
        let (raw, line) = rate.map_or(("", 0), |rate| (rate.text.as_str(), rate.line));
        volume.give(name, raw, self.first + line, metrics);
        self.put(metrics, &format!("{at}/total_ios"), &format!("{name}.ios"), 1, "count");
        if let (Some(scalar), Some(iops)) =
            (self.find(&format!("{at}/iops")), self.number(&format!("{at}/iops")))
        {
            let line = self.first + scalar.line;
            metrics.real(&format!("{name}.iops"), iops, "1/s", &scalar.text, line);
        }
        for (key, factor) in [("clat_ns", 1), ("clat", 1000)] {
            if self.whole(&format!("{at}/{key}/max")).is_some_and(|max| max > 0) {
                self.latency(metrics, &format!("{at}/{key}"), name, factor)?;
            }
        }
        Ok(())
    }

    /// Bytes of one unit of `io_bytes`: version 2 counts KiB there. Its own rate decides.
    fn factor(&self, at: &str, amount: u64) -> Result<u64, String> {
        let runtime = self.number(&format!("{at}/runtime"));
        let (Some(ms), Some(kib_per_s)) = (runtime, self.number(&format!("{at}/bw"))) else {
            return Err("a direction of fio's JSON without runtime or rate".to_string());
        };
        if let Some(kib) = self.whole(&format!("{at}/io_kbytes"))
            && kib != amount >> 10
        {
            return Err("io_bytes and io_kbytes contradict each other".to_string());
        }
        if ms == 0.0 {
            return Ok(1);
        }
        // The runtime is whole milliseconds, the rate whole KiB/s.
        let fits = |bytes: f64| {
            let low = bytes * 1000.0 / (ms + 1.0) / 1024.0 - 1.0;
            let high = bytes * 1000.0 / (ms - 1.0).max(0.5) / 1024.0 + 1.0;
            kib_per_s >= low && kib_per_s <= high
        };
        match (fits(amount as f64), fits(amount as f64 * 1024.0)) {
            (true, _) => Ok(1),
            (false, true) => Ok(1024),
            (false, false) => {
                Err("fio's bytes, runtime and rate contradict each other".to_string())
            }
        }
    }

    fn latency(
        &self,
        metrics: &mut Metrics,
        at: &str,
        name: &str,
        factor: u64,
    ) -> Result<(), String> {
        for (key, label) in [("min", "min"), ("max", "max"), ("mean", "avg")] {
            let label = format!("{name}.latency_{label}");
            self.put(metrics, &format!("{at}/{key}"), &label, factor, "ns");
        }
        let [min, max, mean] =
            ["min", "max", "mean"].map(|key| self.number(&format!("{at}/{key}")));
        if factor == 1 && min == Some(0.0) {
            return Err(format!("the least latency of {name} is no time at all"));
        }
        let is_between = |low: Option<f64>, high: Option<f64>| low <= high || high.is_none();
        // The mean is rounded to six decimals.
        if !is_between(min, mean.map(|m| m + 1.0)) || !is_between(mean.map(|m| m - 1.0), max) {
            return Err(format!("the mean latency of {name} is not between its least and largest"));
        }
        let mut last = 0.0;
        for (rank, scalar) in self.percentiles(at)? {
            let Some(value) = Decimal::parse(&scalar.text).map(Decimal::value) else { continue };
            if value < last || max.is_some_and(|max| value > max * BEYOND) {
                return Err(format!("the percentiles of {name} fall, or are above the largest"));
            }
            last = value;
            let label = format!("{name}.latency_p{rank}");
            self.put(metrics, &scalar.path, &label, factor, "ns");
        }
        Ok(())
    }

    /// The percentiles below a path in their order: `95.000000` stands for 95. What else stands
    /// there, buckets or shares, lost the brace above it.
    fn percentiles(&self, at: &str) -> Result<Vec<(&str, &Scalar)>, String> {
        let prefix = format!("{at}/percentile/");
        let start = self.scalars.partition_point(|scalar| scalar.path < prefix);
        let found = self.scalars[start..].iter().take_while(|s| s.path.starts_with(&prefix));
        let mut ranks: Vec<(f64, &str, &Scalar)> = Vec::new();
        for scalar in found.take(64) {
            let rank = &scalar.path[prefix.len()..];
            let value = Decimal::parse(rank).filter(|_| rank.contains('.')).map(Decimal::value);
            let Some(value) = value.filter(|value| *value <= 100.0) else {
                return Err(format!("'{rank}' is no percentile of fio's"));
            };
            if value > 0.0 {
                let rank = rank.trim_end_matches('0').trim_end_matches('.');
                ranks.push((value, rank, scalar));
            }
        }
        ranks.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(ranks.into_iter().map(|(_, rank, scalar)| (rank, scalar)).collect())
    }

    fn put(&self, to: &mut Metrics, path: &str, name: &str, factor: u64, unit: &'static str) {
        let Some(scalar) = self.find(path) else { return };
        if let Some(value) = Decimal::parse(&scalar.text).and_then(|number| number.times(factor)) {
            to.whole(name, value, unit, &scalar.text, self.first + scalar.line);
        }
    }
}

#[cfg(test)]
mod tests;
