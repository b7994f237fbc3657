//! A foreign tool's figures as a measurement: what it told, and nothing that it did not.
//!
//! Counts, bytes and times come from the tool's raw counts. Latencies only where the tool gives
//! them for one kind of operation (fio, as completion latencies); the figures that it prints stand
//! beside them in its own words. The wall time is the tool's own.

use super::driver::driver;
use crate::scan::FoundMetric;
use bakeoff_model::finding::Finding;
use bakeoff_model::job::Rw;
use bakeoff_model::measurement::{Figure, Latency, Measurement, OpStats, SCHEMA, Tool};
use bakeoff_model::workload::Workload;

#[derive(Clone, Copy, Debug)]
pub struct Figures<'a> {
    pub tool: &'static str,
    pub metrics: &'a [FoundMetric],
}

impl Figures<'_> {
    pub fn find(self, name: &str) -> Option<f64> {
        self.metrics.iter().find(|m| m.name == name).map(|m| m.value.as_f64())
    }

    pub fn get(self, name: &str) -> Result<f64, String> {
        self.find(name).ok_or_else(|| self.missing(name))
    }

    pub fn missing(self, name: &str) -> String {
        format!("{} printed no {name}", self.tool)
    }

    pub fn above_zero(self, name: &str) -> Result<u64, String> {
        let found = self.find(name).filter(|value| *value >= 0.5);
        found.map(whole).ok_or_else(|| self.missing(name))
    }
}

/// To the nearest whole; figures are finite and not negative.
pub fn whole(value: f64) -> u64 {
    libm::round(value) as u64
}

/// One kind of operation, before it is known over which time it counts.
#[derive(Clone, Debug, Default)]
pub struct Done {
    pub ios: u64,
    pub bytes: u64,
    pub latency: Latency,
}

impl Done {
    pub fn without_latency(ios: u64, bytes: u64) -> Done {
        Done { ios, bytes, latency: Latency::default() }
    }

    fn stats(self, elapsed_ns: u64) -> Option<OpStats> {
        let seconds = elapsed_ns as f64 / 1e9;
        (self.ios > 0).then(|| OpStats {
            total_ios: self.ios,
            io_bytes: self.bytes,
            iops: self.ios as f64 / seconds,
            bw_bytes_per_s: self.bytes as f64 / seconds,
            lat_ns: self.latency,
            histogram: Default::default(),
        })
    }
}

#[derive(Clone, Debug, Default)]
pub struct Work {
    pub elapsed_ns: u64,
    pub read: Done,
    pub write: Done,
    pub flush: Done,
    pub flush_ns: u64,
    pub cpu_ns: [u64; 2],
}

/// The measurement of one workload.
pub fn measurement(
    workload: &Workload,
    tool: Tool,
    metrics: &[FoundMetric],
    findings: Vec<Finding>,
) -> Result<Measurement, String> {
    let figures = Figures { tool: tool.driver.name(), metrics };
    let job = &workload.job;
    let driver = driver(tool.driver).ok_or_else(|| figures.missing("figures of a tool"))?;
    let work = driver.work(job.rw, figures)?;
    Ok(Measurement {
        schema: SCHEMA.to_string(),
        job: job.clone(),
        engine: job.engine,
        elapsed_ns: work.elapsed_ns,
        flush_ns: work.flush_ns,
        read: work.read.stats(work.elapsed_ns),
        write: work.write.stats(work.elapsed_ns),
        flush: work.flush.stats(work.elapsed_ns),
        usr_cpu_ns: work.cpu_ns[0],
        sys_cpu_ns: work.cpu_ns[1],
        figures: printed(metrics),
        tool: Some(tool),
        findings,
        ..Measurement::default()
    })
}

fn printed(metrics: &[FoundMetric]) -> Vec<Figure> {
    let is_result = |m: &&FoundMetric| {
        ["throughput", "iops", "per_second", "rate"].iter().any(|part| m.name.ends_with(part))
            || m.name.contains("latency")
    };
    let figure = |m: &FoundMetric| {
        let (name, unit) = (m.name.clone(), m.unit.to_string());
        Figure { name, value: m.value.as_f64(), unit }
    };
    metrics.iter().filter(is_result).map(figure).collect()
}

/// The work of a tool that goes through a file once: bytes and block as it names them, and the rate,
/// where it prints no time.
pub fn of_file(
    rw: Rw,
    figures: Figures<'_>,
    (bytes, block): (&str, &str),
    rate: Option<&str>,
) -> Result<Work, String> {
    let bytes = figures.above_zero(bytes)?;
    let elapsed_ns = match rate {
        None => figures.above_zero("elapsed")?,
        Some(name) => {
            let rate = Some(figures.get(name)?).filter(|rate| *rate > 0.0);
            rate.map_or(0, |rate| whole(bytes as f64 / rate * 1e9))
        }
    };
    if elapsed_ns == 0 {
        return Err(figures.missing("rate"));
    }
    // bonnie++ tells its chunks only where they are not its usual 8 KiB.
    let block = figures.find(block).map_or(8192, whole).max(1);
    let done = Done::without_latency(bytes.div_ceil(block), bytes);
    let (read, write) = if rw.reads() { (done, Done::default()) } else { (Done::default(), done) };
    Ok(Work { elapsed_ns, read, write, ..Work::default() })
}
