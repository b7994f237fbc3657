//! What rules ask of a measurement, whoever made it: a cell of ours, what a plan asks for, or a
//! result of another tool.
//!
//! One check with one threshold judges all of them. What is not known is absent here, and no rule
//! speaks of it.

use super::rule::Hit;
use bakeoff_model::design::Design;
use bakeoff_model::event::Cell;
use bakeoff_model::job::{Data, Rw};
use bakeoff_model::slice_length::Least;
use bakeoff_model::workload::{DriverName, Workload};
use bakeoff_tools::scan::ToolResult;

/// Whose measurement it is: advice names options of the tool that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Ours,
    Others,
}

/// A check of a rule that looks at observations.
pub type Observing = fn(&Observation) -> Option<Hit>;

#[derive(Clone, Debug)]
pub struct Observation<'a> {
    pub source: Source,
    pub tool: &'a str,
    pub extent: Option<ObservedExtent>,
    /// Share of the time outside operations with a latency, where flushes are among them.
    pub outside: Option<f64>,
    /// Share of the time spent flushing at an interval that the tool chose.
    pub flushing: Option<f64>,
    pub latencies: Vec<Latencies>,
    pub access: Option<Access>,
    pub unflushed: Option<Unflushed>,
    pub zeros: Option<Zeros>,
    pub asked: Option<&'a Workload>,
    pub measured: Option<MeasuredCell<'a>>,
    pub result: Option<&'a ToolResult>,
}

#[derive(Clone, Copy, Debug)]
pub struct MeasuredCell<'a> {
    pub design: Design<'a>,
    pub workload: &'a Workload,
    pub cell: &'a Cell,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedExtent {
    /// Its length; `None` where it consists of slices, which are short on purpose.
    pub whole_ns: Option<u64>,
    pub elapsed_ns: u64,
    pub ios: Option<(u64, u64)>,
    pub is_unflushed: bool,
    pub is_one_pass: bool,
}

/// Latencies of one kind of operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latencies {
    /// `read`, `write`, or `latency` where the tool does not distinguish them.
    pub name: &'static str,
    pub mean_ns: f64,
    /// Their 95th percentile.
    pub p95_ns: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub is_random: bool,
    pub is_buffered: bool,
    pub block_bytes: u64,
    pub file_bytes: Option<u64>,
}

/// Test data that compresses to almost nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zeros {
    All,
    /// Little else: the tool fills its buffer once, with few other bytes.
    Nearly,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unflushed {
    pub bytes: Option<u64>,
}

impl<'a> Observation<'a> {
    fn unknown(source: Source, tool: &'a str) -> Observation<'a> {
        Observation {
            source,
            tool,
            extent: None,
            outside: None,
            flushing: None,
            latencies: Vec::new(),
            access: None,
            unflushed: None,
            zeros: None,
            asked: None,
            measured: None,
            result: None,
        }
    }

    pub fn of_workload(workload: &'a Workload) -> Observation<'a> {
        let job = &workload.job;
        let access = Access {
            is_random: job.rw.is_random(),
            is_buffered: !job.direct && job.rw != Rw::SmallFiles,
            block_bytes: job.bs,
            file_bytes: Some(job.size),
        };
        let is_zero = job.rw.writes() && job.data == Data::Zero;
        let is_open = !job.is_durable() && access.is_buffered && workload.driver.is_native();
        Observation {
            access: Some(access),
            unflushed: is_open.then_some(Unflushed { bytes: Some(job.size) }),
            zeros: is_zero.then_some(Zeros::All),
            asked: Some(workload),
            ..Observation::unknown(Source::Ours, workload.driver.name())
        }
    }

    pub fn of_cell(design: Design<'a>, workload: &'a Workload, cell: &'a Cell) -> Observation<'a> {
        let m = &cell.measurement;
        let share = |ns: u64| ns as f64 / m.elapsed_ns.max(1) as f64;
        let inside = m.data_ns.saturating_add(m.flush_ns).saturating_add(m.close_ns);
        let is_counted = m.flush_ns > 0 || workload.job.fsync > 0;
        let is_foreign = !workload.driver.is_native();
        let is_one_pass =
            |driver| matches!(driver, DriverName::Dd | DriverName::Iozone | DriverName::Bonnie);
        let extent = ObservedExtent {
            whole_ns: cell.slices.is_empty().then_some(m.elapsed_ns),
            elapsed_ns: m.elapsed_ns,
            ios: Some((m.total_ios(), least_ios(design, cell))),
            is_unflushed: !m.job.is_durable(),
            is_one_pass: m.tool.as_ref().is_some_and(|tool| is_one_pass(tool.driver)),
        };
        let latencies = |(name, stats): (&'static str, &bakeoff_model::measurement::OpStats)| {
            Latencies { name, mean_ns: stats.lat_ns.mean, p95_ns: stats.lat_ns.p95 }
        };
        Observation {
            extent: Some(extent),
            outside: (is_foreign && m.data_ns > 0 && is_counted).then(|| 1.0 - share(inside)),
            flushing: (is_foreign && workload.job.fsync == 0).then(|| share(m.flush_ns)),
            latencies: m.ops().map(latencies).collect(),
            measured: Some(MeasuredCell { design, workload, cell }),
            ..Observation::unknown(Source::Ours, workload.driver.name())
        }
    }

    pub fn of_result(result: &'a ToolResult) -> Observation<'a> {
        let outside = outside(result);
        Observation {
            extent: extent(result),
            outside,
            flushing: outside.filter(|_| flushes_by_default(result)),
            latencies: latencies(result),
            access: access(result),
            unflushed: unflushed(result),
            zeros: zeros(result),
            result: Some(result),
            ..Observation::unknown(Source::Others, &result.tool)
        }
    }
}

/// Operations that a cell has at least: as many as the protocol asks for. In order, slices of a few
/// large operations are enough, of which each has its least bytes.
fn least_ios(design: Design<'_>, cell: &Cell) -> u64 {
    let (asked, job) = (design.protocol.cell_min_ios, &cell.measurement.job);
    let slices = cell.slices.iter().filter(|slice| slice.is_valid()).count() as u64;
    match Least::for_job(job, false).bytes {
        bytes if bytes > 0 && slices > 0 => asked.min(slices * bytes.div_ceil(job.bs.max(1))),
        _ => asked,
    }
}

fn extent(result: &ToolResult) -> Option<ObservedExtent> {
    let ns = result.figure(&["elapsed", "total_time", "read.elapsed", "write.elapsed"])? as u64;
    let (whole_ns, ios) = (Some(ns), None);
    let is_unflushed = unflushed(result).is_some();
    Some(ObservedExtent { whole_ns, elapsed_ns: ns, ios, is_unflushed, is_one_pass: false })
}

/// sysbench 0.4 alone gives latencies without its flushes.
fn outside(result: &ToolResult) -> Option<f64> {
    if !result.is("sysbench") || result.figure(&["fsync_each_write"]).is_some() {
        return None;
    }
    let total = result.figure(&["total_time"]).filter(|ns| *ns > 0.0)?;
    let inside = result.figure(&["event_execution_time"])?;
    let flushes = result.figure(&["fsyncs", "other"])?;
    let threads = result.figure(&["threads"]).unwrap_or(1.0).max(1.0);
    (flushes > 0.0).then(|| (1.0 - inside / (total * threads)).max(0.0))
}

/// Whether sysbench flushed after every 100 requests, as it does unless told otherwise.
fn flushes_by_default(result: &ToolResult) -> bool {
    let is_default = result.figure(&["fsync_every"]) == Some(100.0);
    // 0.4 says so in sequential modes too, and flushes each file once at the end.
    let flushes = result.figure(&["fsyncs", "other"]);
    let is_once = result.figure(&["file_count"]).is_some_and(|files| flushes <= Some(files));
    is_default && !is_once
}

fn latencies(result: &ToolResult) -> Vec<Latencies> {
    let kinds = [("", "latency"), ("read.", "read"), ("write.", "write"), ("sync.", "sync")];
    let of = |(prefix, name): (&str, &'static str)| {
        let mean_ns = result.figure(&[&format!("{prefix}latency_avg")])?;
        // sysbench prints a zero where no percentile was asked for.
        let p95 = result.figure(&[&format!("{prefix}latency_p95")]).filter(|ns| *ns > 0.0);
        Some(Latencies { name, mean_ns, p95_ns: p95.map(|ns| ns as u64) })
    };
    kinds.into_iter().filter_map(of).collect()
}

fn access(result: &ToolResult) -> Option<Access> {
    if result.is("dd") {
        let block = result.figure(&["block_size"]).filter(|b| *b > 0.0)?;
        let (is_random, is_buffered) = (false, true);
        return Some(Access {
            is_random,
            is_buffered,
            block_bytes: block as u64,
            file_bytes: None,
        });
    }
    let random = ["random_read", "random_write"];
    let is_it = |metric: &str| random.iter().any(|r| metric.starts_with(r));
    let file_bytes = Some(result.figure(&["file_size"])? as u64);
    let block_bytes = result.figure(&["record_size"]).filter(|_| result.is("iozone"))? as u64;
    let is_random = result.metrics.iter().any(|m| is_it(&m.name));
    Some(Access { is_random, is_buffered: false, block_bytes, file_bytes })
}

fn unflushed(result: &ToolResult) -> Option<Unflushed> {
    let words = result.words()?;
    let is_open = match () {
        () if result.is("dd") => {
            let to = words.iter().find_map(|word| word.strip_prefix("of="))?;
            let is_synced = has(&words, &["fsync", "fdatasync", "oflag=sync", "oflag=dsync"]);
            !["/dev/null", "/dev/zero"].contains(&to) && !is_synced
        }
        () if result.is("iozone") => {
            let flags = ["-e", "-o", "-+D", "-+r", "-I"];
            let is_synced = words.iter().any(|word| flags.contains(word));
            !is_synced && result.figure(&["write.throughput"]).is_some()
        }
        () if result.is("fio") => {
            let is_synced = has(&words, &["fsync=", "fdatasync=", "sync=1", "direct=1"]);
            !is_synced && result.figure(&["write.bytes"]).is_some()
        }
        () => false,
    };
    is_open.then_some(Unflushed { bytes: None })
}

fn has(words: &[&str], parts: &[&str]) -> bool {
    words.iter().any(|word| parts.iter().any(|part| word.contains(part)))
}

fn zeros(result: &ToolResult) -> Option<Zeros> {
    if result.is("dd") {
        return result.words()?.contains(&"if=/dev/zero").then_some(Zeros::All);
    }
    let has_written = match () {
        () if result.is("sysbench") => {
            result.figure(&["writes", "writes_per_second", "written_bytes"])? > 0.0
        }
        () if result.is("bonnie++") => {
            result.figure(&["sequential_output_block.throughput"]).is_some()
        }
        () if result.is("iozone") => {
            let flags = ["-+w", "-+y", "-+C", "-+a"];
            result.figure(&["write.throughput"]).is_some()
                && result.words().is_none_or(|w| !w.iter().any(|word| flags.contains(word)))
        }
        () => false,
    };
    has_written.then_some(Zeros::Nearly)
}
