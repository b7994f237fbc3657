//! What stands in fio's JSON: the figures of each job, held against each other.

use crate::fio::DirectionVolume;
use crate::fio::paths::Scalar;
use crate::fio::scalar::{Rounded, is_rate};
use crate::scan::decimal::Decimal;
use crate::scan::result::Metrics;

/// A percentile is the middle of its bucket, which is a 64th of its value wide.
const BEYOND: f64 = 1.02;

pub struct KnownFigures {
    /// Sorted by [`Known::sort`].
    pub scalars: Vec<Scalar>,
    pub first: u64,
}

impl KnownFigures {
    /// Sorts by path; a path that stands twice comes back.
    pub fn sort(&mut self) -> Option<String> {
        self.scalars.sort_by(|a, b| a.path.cmp(&b.path));
        let twice = self.scalars.windows(2).find(|pair| {
            let path = &pair[0].path;
            // Version 3.0 and older print one latency table twice.
            let is_job = path.starts_with(&format!("{}/", self.list()));
            // An option may be given twice; the last one counts.
            // Places without a percentile are filled with `"0.00" : 0`.
            let is_figure = ["/latency_", "/job options/", "/percentile/0.00"]
                .iter()
                .all(|part| !path.contains(part));
            *path == pair[1].path && is_job && is_figure
        });
        twice.map(|pair| pair[0].path.clone())
    }

    /// Where the jobs are: on a client of `fio --server` in another list.
    pub fn list(&self) -> &'static str {
        let has_clients = self.scalars.iter().any(|s| s.path.starts_with("client_stats/"));
        if has_clients { "client_stats" } else { "jobs" }
    }

    fn find(&self, path: &str) -> Option<&Scalar> {
        let at = self.scalars.binary_search_by(|scalar| scalar.path.as_str().cmp(path)).ok()?;
        self.scalars.get(at)
    }

    pub fn text(&self, path: &str) -> Option<&str> {
        self.find(path).map(|scalar| scalar.text.as_str())
    }

    pub fn whole(&self, path: &str) -> Option<u64> {
        self.text(path)?.parse().ok()
    }

    fn number(&self, path: &str) -> Option<f64> {
        Some(Decimal::parse(self.text(path)?)?.value())
    }

    pub fn job(&self, job: &str) -> Result<Metrics, String> {
        let mut metrics = Metrics::default();
        for direction in ["read", "write", "trim", "mixed"] {
            self.direction(&format!("{job}/{direction}"), direction, &mut metrics)?;
        }
        let sync = format!("{job}/sync/lat_ns");
        // The count beside it was seen to be 0 in version 3.33 when there were some.
        if self.whole(&format!("{sync}/N")).is_some_and(|count| count > 0) {
            self.put(&mut metrics, &format!("{sync}/N"), "sync.ios", (1, "count"));
            self.latency(&mut metrics, &sync, "sync", 1)?;
        }
        for (key, name) in [("usr_cpu", "user_cpu"), ("sys_cpu", "system_cpu")] {
            let Some(scalar) = self.find(&format!("{job}/{key}")) else { continue };
            if let (Some(value), false) = (Decimal::parse(&scalar.text), metrics.0.is_empty()) {
                let line = self.first + scalar.line;
                metrics.real(name, value.value(), "percent", (&scalar.text, line));
            }
        }
        Ok(metrics)
    }

    fn direction(&self, at: &str, name: &'static str, metrics: &mut Metrics) -> Result<(), String> {
        let Some(bytes) = self.find(&format!("{at}/io_bytes")) else { return Ok(()) };
        let amount: u64 = bytes.text.parse().unwrap_or(0);
        if amount == 0 {
            return Ok(());
        }
        let runtime = self.find(&format!("{at}/runtime"));
        let rate = self.find(&format!("{at}/bw_bytes")).or(self.find(&format!("{at}/bw")));
        if self.whole(&format!("{at}/total_ios")) == Some(0) {
            return Err(format!("fio's {name} transferred bytes without a request"));
        }
        let factor = self.factor(at, amount)?;
        let entry =
            |scalar: &Scalar, value: u64| (value, scalar.text.clone(), self.first + scalar.line);
        let volume = DirectionVolume {
            bytes: entry(bytes, amount.saturating_mul(factor)),
            runtime_ms: runtime.and_then(|s| Some(entry(s, s.text.parse().ok()?))),
            rate: None,
        };
        let (raw, line) = rate.map_or(("", 0), |rate| (rate.text.as_str(), rate.line));
        volume.give(name, raw, self.first + line, metrics);
        self.put(metrics, &format!("{at}/total_ios"), &format!("{name}.ios"), (1, "count"));
        if let (Some(scalar), Some(iops)) =
            (self.find(&format!("{at}/iops")), self.number(&format!("{at}/iops")))
        {
            let line = self.first + scalar.line;
            metrics.real(&format!("{name}.iops"), iops, "1/s", (&scalar.text, line));
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
            return Err("a direction of fio's JSON has no runtime or rate".to_string());
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
        let rate = Rounded { value: kib_per_s * 1024.0, slack: 1024.0 };
        let fits = |bytes: f64| is_rate(Rounded { value: bytes, slack: 0.0 }, ms, rate);
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
        name: &'static str,
        factor: u64,
    ) -> Result<(), String> {
        for (key, label) in [("min", "min"), ("max", "max"), ("mean", "avg")] {
            let label = format!("{name}.latency_{label}");
            self.put(metrics, &format!("{at}/{key}"), &label, (factor, "ns"));
        }
        let [min, max, mean] =
            ["min", "max", "mean"].map(|key| self.number(&format!("{at}/{key}")));
        if factor == 1 && min == Some(0.0) {
            return Err(format!("the minimum latency of {name} is zero"));
        }
        let is_between = |low: Option<f64>, high: Option<f64>| low <= high || high.is_none();
        // The mean is rounded to six decimals.
        if !is_between(min, mean.map(|m| m + 1.0)) || !is_between(mean.map(|m| m - 1.0), max) {
            return Err(format!(
                "the mean latency of {name} is not between its minimum and maximum"
            ));
        }
        let mut last = 0.0;
        for (rank, scalar) in self.percentiles(at)? {
            let Some(value) = Decimal::parse(&scalar.text).map(Decimal::value) else { continue };
            if value < last || max.is_some_and(|max| value > max * BEYOND) {
                return Err(format!("the percentiles of {name} decrease, or exceed the maximum"));
            }
            last = value;
            let label = format!("{name}.latency_p{rank}");
            self.put(metrics, &scalar.path, &label, (factor, "ns"));
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
                let text = rank.to_string();
                return Err(format!("'{text}' is not a percentile of fio"));
            };
            if value > 0.0 {
                let rank = rank.trim_end_matches('0').trim_end_matches('.');
                ranks.push((value, rank, scalar));
            }
        }
        ranks.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(ranks.into_iter().map(|(_, rank, scalar)| (rank, scalar)).collect())
    }

    /// A figure that fio prints in `factor` units.
    fn put(&self, to: &mut Metrics, path: &str, name: &str, (factor, unit): (u64, &'static str)) {
        let Some(scalar) = self.find(path) else { return };
        if let Some(value) = Decimal::parse(&scalar.text).and_then(|number| number.times(factor)) {
            to.whole(name, value, unit, (&scalar.text, self.first + scalar.line));
        }
    }
}
