//! A foreign tool's figures as a measurement: what it told, and nothing that it did not.
//!
//! Counts, bytes and times come from the tool's raw counts. Latencies only where the tool gives
//! them for one kind of operation (fio, as completion latencies); the figures that it prints stand
//! beside them in its own words. The wall time is the tool's own.

use super::foreign::ParseError;
use super::parts;
use crate::model::finding::Finding;
use crate::model::job::{Job, Rw};
use crate::model::measurement::{Figure, Latency, Measurement, OpStats, SCHEMA, Tool};
use crate::model::workload::{DriverName, Workload};
use crate::profiles;
use crate::scan::Metric;

/// Figures by name.
#[derive(Clone, Copy)]
pub(super) struct Figures<'a> {
    pub(super) tool: &'static str,
    pub(super) metrics: &'a [Metric],
}

impl Figures<'_> {
    pub(super) fn find(self, name: &str) -> Option<f64> {
        self.metrics.iter().find(|m| m.name == name).map(|m| m.value.as_f64())
    }

    pub(super) fn get(self, name: &str) -> Result<f64, ParseError> {
        self.find(name).ok_or_else(|| self.missing(name))
    }

    /// The error for a figure that is not there.
    pub(super) fn missing(self, name: &str) -> ParseError {
        ParseError::Figure { tool: self.tool, figure: name.to_string() }
    }

    /// A time or a count that is more than nothing.
    pub(super) fn above_zero(self, name: &str) -> Result<u64, ParseError> {
        let found = self.find(name).filter(|value| *value >= 0.5);
        found.map(whole).ok_or_else(|| self.missing(name))
    }
}

/// To the nearest whole; figures are finite and not negative.
pub(super) fn whole(value: f64) -> u64 {
    libm::round(value) as u64
}

/// One kind of operation, before it is known over which time it counts.
#[derive(Clone, Default)]
pub(super) struct Done {
    ios: u64,
    bytes: u64,
    latency: Latency,
}

impl Done {
    /// Operations and their bytes, of which no latency is told.
    pub(super) fn of(ios: u64, bytes: u64) -> Done {
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

/// What a tool did, over which time.
#[derive(Clone, Default)]
pub(super) struct Work {
    pub(super) elapsed_ns: u64,
    pub(super) read: Done,
    pub(super) write: Done,
    pub(super) create: Done,
    pub(super) stat: Done,
    pub(super) unlink: Done,
    pub(super) flush: Done,
    pub(super) flush_ns: u64,
    pub(super) cpu_ns: [u64; 2],
}

/// The measurement of one workload in words, or of one part of the tool's own profile.
pub fn measurement(
    workload: &Workload,
    tool: Tool,
    metrics: &[Metric],
    findings: Vec<Finding>,
) -> Result<Measurement, ParseError> {
    let figures = Figures { tool: tool.driver.name(), metrics };
    let job = &workload.job;
    let part = workload.profile;
    let rw = part.and_then(profiles::part_spec).map_or(job.rw, |spec| spec.rw);
    let work = match (tool.driver, part) {
        (DriverName::Bonnie | DriverName::Iozone, Some(part)) => {
            parts::work(part, rw, job, figures)?
        }
        (DriverName::Fio, _) => fio(figures)?,
        (DriverName::Dd, _) => dd(figures, rw)?,
        (DriverName::Sysbench, _) => sysbench(figures)?,
        (DriverName::Iozone, None) => iozone(figures, rw)?,
        (DriverName::Bonnie | DriverName::Native, _) => {
            return Err(figures.missing(&format!("figure for {}", rw.name())));
        }
    };
    Ok(Measurement {
        schema: SCHEMA.to_string(),
        job: Job { rw, ..job.clone() },
        engine: job.engine,
        elapsed_ns: work.elapsed_ns,
        monotonic_ns: None,
        data_ns: 0,
        flush_ns: work.flush_ns,
        close_ns: 0,
        read: work.read.stats(work.elapsed_ns),
        write: work.write.stats(work.elapsed_ns),
        flush: work.flush.stats(work.elapsed_ns),
        create: work.create.stats(work.elapsed_ns),
        stat: work.stat.stats(work.elapsed_ns),
        unlink: work.unlink.stats(work.elapsed_ns),
        commit: None,
        usr_cpu_ns: work.cpu_ns[0],
        sys_cpu_ns: work.cpu_ns[1],
        waited_ns: None,
        windows: Vec::new(),
        tool_ns: 0,
        clock: None,
        mem: String::new(),
        pooled_ios: 0,
        verified_bytes: None,
        backlog: None,
        figures: printed(metrics),
        tool: Some(tool),
        findings,
    })
}

/// The rates and latencies as the tool gives them, by its names.
fn printed(metrics: &[Metric]) -> Vec<Figure> {
    let is_result = |m: &&Metric| {
        ["throughput", "iops", "per_second", "rate"].iter().any(|part| m.name.ends_with(part))
            || m.name.contains("latency")
    };
    let figure = |m: &Metric| {
        let (name, unit) = (m.name.clone(), m.unit.to_string());
        Figure { name, value: m.value.as_f64(), unit }
    };
    metrics.iter().filter(is_result).map(figure).collect()
}

fn fio(figures: Figures) -> Result<Work, ParseError> {
    let of = |name: &str| Done {
        ios: figures.find(&format!("{name}.ios")).map_or(0, whole),
        bytes: figures.find(&format!("{name}.bytes")).map_or(0, whole),
        latency: latency(figures, name),
    };
    let (read, write, flush) = (of("read"), of("write"), of("sync"));
    let elapsed = ["read.elapsed", "write.elapsed"].map(|name| figures.find(name).unwrap_or(0.0));
    let elapsed_ns = whole(elapsed[0].max(elapsed[1]));
    if elapsed_ns == 0 {
        return Err(figures.missing("time of a millisecond"));
    }
    let share = |name: &str| {
        let percent = figures.find(name).unwrap_or(0.0);
        whole(percent / 100.0 * elapsed_ns as f64)
    };
    let cpu_ns = [share("user_cpu"), share("system_cpu")];
    let flush_ns = whole(flush.latency.mean * flush.ios as f64);
    Ok(Work { elapsed_ns, read, write, flush, flush_ns, cpu_ns, ..Work::default() })
}

/// fio's completion latencies of one kind of operation; unknown unless it gives all of minimum,
/// mean and maximum.
fn latency(figures: Figures, name: &str) -> Latency {
    let of = |what: &str| figures.find(&format!("{name}.latency_{what}"));
    let (Some(min), Some(mean), Some(max)) = (of("min"), of("avg"), of("max")) else {
        return Latency::default();
    };
    let ios = figures.find(&format!("{name}.ios")).unwrap_or(0.0);
    // fio gives every quantile however few the operations; a handful would set it.
    let quantile = |what: &str, q: f64| {
        let is_supported = ios >= 10.0 / (1.0 - q) - 1e-6;
        of(what).filter(|_| is_supported).map(whole)
    };
    Latency {
        min: whole(min),
        mean,
        max: whole(max),
        p50: quantile("p50", 0.5),
        p90: quantile("p90", 0.9),
        p95: quantile("p95", 0.95),
        p99: quantile("p99", 0.99),
        p99_9: quantile("p99.9", 0.999),
        p99_99: quantile("p99.99", 0.9999),
    }
}

/// What was read and what was written, where all of it was one of them.
pub(super) fn side(rw: Rw, done: Done) -> (Done, Done) {
    match rw {
        Rw::Read | Rw::RandRead => (done, Done::default()),
        Rw::Write | Rw::RandWrite | Rw::ReadWrite | Rw::RandRw | Rw::SmallFiles => {
            (Done::default(), done)
        }
    }
}

fn dd(figures: Figures, rw: Rw) -> Result<Work, ParseError> {
    let bytes = figures.above_zero("bytes")?;
    let block = figures.above_zero("block_size")?;
    let elapsed_ns = figures.above_zero("elapsed")?;
    let done = Done::of(bytes.div_ceil(block), bytes);
    let (read, write) = side(rw, done);
    Ok(Work { elapsed_ns, read, write, ..Work::default() })
}

/// How much later than the time it prints the one that 1.0's rates are of may end: by two
/// milliseconds, or by this share on a busy machine.
const LATER: (f64, f64) = (0.002, 0.03);

/// 0.4 and 0.5 print counts; 1.0 prints rates, which over their time come to whole counts.
fn sysbench(figures: Figures) -> Result<Work, ParseError> {
    let printed_ns = figures.above_zero("total_time")?;
    let elapsed_ns = time_of_rates(figures, printed_ns).unwrap_or(printed_ns);
    let block = figures.above_zero("block_size")?;
    let count = |total: &str, rate: &str| {
        let seconds = elapsed_ns as f64 / 1e9;
        let by_rate = || figures.find(rate).map(|rate| rate * seconds);
        figures.find(total).or_else(by_rate).map_or(0, whole)
    };
    let data = |ios: u64| Done::of(ios, ios.saturating_mul(block));
    let (reads, writes) =
        (count("reads", "reads_per_second"), count("writes", "writes_per_second"));
    let flush = Done::of(count("fsyncs", "fsyncs_per_second"), 0);
    if reads + writes == 0 {
        return Err(figures.missing("reads or writes"));
    }
    Ok(Work { elapsed_ns, read: data(reads), write: data(writes), flush, ..Work::default() })
}

/// The time that 1.0's rates are of: all that was done over all rates. Events are reads, writes and
/// the flushes between them; those at the end, of each file by each thread, count in the rate
/// alone.
fn time_of_rates(figures: Figures, printed_ns: u64) -> Option<u64> {
    let rate = |name| figures.find(name).unwrap_or(0.0);
    let (data, flushes) =
        (rate("reads_per_second") + rate("writes_per_second"), rate("fsyncs_per_second"));
    let has_bursts = flushes > 0.0 && figures.find("fsync_every").is_some();
    let at_end = figures.find("threads")? * figures.find("file_count")?;
    let events = figures.find("events").filter(|_| data > 0.0)?;
    let seconds = match has_bursts {
        true => (events + at_end) / (data + flushes),
        false => events / data,
    };
    let printed = printed_ns as f64 / 1e9;
    let latest = printed + LATER.0.max(printed * LATER.1);
    (printed - LATER.0..=latest).contains(&seconds).then(|| whole(seconds * 1e9))
}

fn iozone(figures: Figures, rw: Rw) -> Result<Work, ParseError> {
    let name = match rw {
        Rw::Read => "read.throughput",
        Rw::RandRead => "random_read.throughput",
        Rw::RandWrite => "random_write.throughput",
        Rw::Write | Rw::ReadWrite | Rw::RandRw | Rw::SmallFiles => "write.throughput",
    };
    let rate = figures.get(name)?;
    let bytes = figures.above_zero("file_size")?;
    let record = figures.above_zero("record_size")?;
    if rate <= 0.0 {
        return Err(figures.missing(name));
    }
    let elapsed_ns = whole(bytes as f64 / rate * 1e9).max(1);
    let (read, write) = side(rw, Done::of(bytes.div_ceil(record), bytes));
    Ok(Work { elapsed_ns, read, write, ..Work::default() })
}
