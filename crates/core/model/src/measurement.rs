//! What one cell produced: the engine's report, `bakeoff/bench/1` in machine output.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::driver::DriverName;
use super::finding::Finding;
use super::job::{EngineName, Job};
use super::wear::DriveWrites;
use bakeoff_stats::histogram::Histogram;

pub const SCHEMA: &str = "bakeoff/bench/1";

/// One cell's numbers. Times in nanoseconds, sizes in bytes.
///
/// `elapsed_ns` is wall time from the first operation to the last flush or close, so that rates
/// include durability; `data_ns`, `flush_ns` and `close_ns` are the three clocks inside it, summed
/// over threads and divided by `numjobs`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    pub schema: String,
    pub job: Job,
    /// The engine that did it (differs from `job.engine` after a fall-back).
    pub engine: EngineName,
    pub elapsed_ns: u64,
    /// `CLOCK_MONOTONIC` at the first operation, to lay other records of the same boot beside it;
    /// `None` = not known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub monotonic_ns: Option<u64>,
    pub data_ns: u64,
    pub flush_ns: u64,
    /// Time inside `close(2)`.
    pub close_ns: u64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub read: Option<OpStats>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub write: Option<OpStats>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub flush: Option<OpStats>,
    /// Files created, written and closed, in [`super::job::Rw::SmallFiles`]; their syncs are
    /// counted as flushes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub create: Option<OpStats>,
    /// `stat(2)` calls.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stat: Option<OpStats>,
    /// `unlink(2)` calls.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unlink: Option<OpStats>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub commit: Option<OpStats>,
    /// User CPU time of the engine's process during the cell.
    pub usr_cpu_ns: u64,
    /// System CPU time of the engine's process during the cell.
    pub sys_cpu_ns: u64,
    /// Time a thread of the engine was ready to run and had to wait for a CPU, on average of its
    /// threads: the run delay of `/proc/PID/task/TID/schedstat`
    /// (`Documentation/scheduler/sched-stats.rst`). `None` where nobody counted it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waited_ns: Option<u64>,
    /// Throughput over time, one entry for each 100 ms.
    pub windows: Vec<Window>,
    /// Time the generator itself took (data generation, bookkeeping), estimated; its share of
    /// `elapsed_ns` is the tool's part of the result.
    pub tool_ns: u64,
    /// How the time was told; `None` in records of before this was kept.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clock: Option<Clock>,
    /// Where the buffers came from: `malloc` or `thp`.
    #[serde(default)]
    pub mem: String,
    /// Writes whose body came from the pre-filled pool because making it fresh would have taken
    /// more than a twentieth of the cell; every 4 KiB still carries its own tag.
    #[serde(default)]
    pub pooled_ios: u64,
    /// Bytes read back and checked by `verify`; `None` when not asked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub verified_bytes: Option<u64>,
    /// Operations of an open loop that were due but not started when the job ended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub backlog: Option<u64>,
    /// The same work in the words and by the clock of the tool it comes from, beside the honest
    /// figures above.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub figures: Vec<Figure>,
    /// The program that measured, where that was not bakeoff's own engine. Nothing is made up for
    /// it: `data_ns`, `flush_ns` and `close_ns` are then 0 and latencies absent unless it tells
    /// them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool: Option<Tool>,
    /// Bytes that the counted devices read while this part of a profile or this command of a
    /// tool ran; `None` = nobody counted them for it alone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub device_read_bytes: Option<u64>,
    /// Bytes that this part of a profile handed to the kernel to write while its clock ran: with
    /// what a database writes for itself. `None` = nobody counted them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub wrote_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub laid_out_bytes: Option<u64>,
    /// What it made reach the drive; `None` = it wrote nothing, or nobody counted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub drive_writes: Option<DriveWrites>,
    pub findings: Vec<Finding>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    pub driver: DriverName,
    pub version: String,
    pub command: Vec<String>,
}

/// How the engine told the time, and by how much a latency may be wrong because of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    pub source: ClockSource,
    pub error_ppm: f64,
    /// Most by which a latency is too long, because I/Os that the kernel handed over together
    /// share a reading: what handing so many of them over takes.
    pub stamp_error_ns: u64,
}

/// Ways to read `CLOCK_MONOTONIC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ClockSource {
    /// The processor's own counter, where the kernel keeps time by it too.
    Counter,
    /// `clock_gettime(2)` of the C library, through the vDSO where there is one.
    Vdso,
}

impl ClockSource {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The tool's word for it: `sequential output, block`.
    pub name: String,
    pub value: f64,
    /// The tool's unit: `K/sec`, `/sec`, `%CP`.
    pub unit: String,
}

impl Measurement {
    /// Data operations and flushes together (what `min_ios` counts); small files count as creates,
    /// stats, reads and unlinks.
    pub fn total_ios(&self) -> u64 {
        self.ops().map(|(_, s)| s.total_ios).sum()
    }

    /// Operations in flight on average: the sum of all latencies over the elapsed time (Little's
    /// law). In a closed loop it comes to `iodepth x numjobs`; much less means that the generator
    /// itself took the time, much more that latencies overlap by mistake.
    pub fn mean_in_flight(&self) -> f64 {
        let busy_ns: f64 = self.ops().map(|(_, s)| s.lat_ns.mean * s.total_ios as f64).sum();
        if self.elapsed_ns == 0 { 0.0 } else { busy_ns / self.elapsed_ns as f64 }
    }

    /// Every kind of operation that took place, with its name in machine output.
    pub fn ops(&self) -> impl Iterator<Item = (&'static str, &OpStats)> {
        [
            ("read", &self.read),
            ("write", &self.write),
            ("flush", &self.flush),
            ("create", &self.create),
            ("stat", &self.stat),
            ("unlink", &self.unlink),
            ("commit", &self.commit),
        ]
        .into_iter()
        .filter_map(|(name, stats)| stats.as_ref().map(|s| (name, s)))
    }
}

/// Counts, rates and latency of one kind of operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpStats {
    pub total_ios: u64,
    pub io_bytes: u64,
    /// Operations a second over `elapsed_ns` of the cell.
    pub iops: f64,
    /// Bytes a second over `elapsed_ns` of the cell.
    pub bw_bytes_per_s: f64,
    /// Latency, submit to reap (open loop: from the intended start); absent where a foreign tool
    /// does not tell it.
    #[serde(skip_serializing_if = "Latency::is_unknown", default)]
    pub lat_ns: Latency,
    /// The whole distribution; empty where a foreign tool does not tell it.
    pub histogram: Histogram,
}

/// A latency summary in nanoseconds. A quantile with fewer than `10 / (1 - q)` observations is
/// `None`: it would be set by a handful of operations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    pub min: u64,
    pub mean: f64,
    pub max: u64,
    pub p50: Option<u64>,
    /// 90th percentile.
    pub p90: Option<u64>,
    /// 95th percentile.
    pub p95: Option<u64>,
    /// 99th percentile.
    pub p99: Option<u64>,
    /// 99.9th percentile.
    #[serde(rename = "p99.9")]
    pub p99_9: Option<u64>,
    /// 99.99th percentile.
    #[serde(rename = "p99.99")]
    pub p99_99: Option<u64>,
}

impl Latency {
    /// Whether nothing is known of it: an operation takes some time, so a longest of 0 is none.
    pub fn is_unknown(&self) -> bool {
        *self == Latency::default()
    }
}

/// What was completed in one stretch of time.
///
/// Stretches are 100 ms long. A cell has at most 4096 of them: when they are used up, neighbours
/// are merged and the length doubles, so a cell of an hour has stretches of 1.6 s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    pub start_ns: u64,
    /// Length; 100 ms (see above) but for the last, and longer where one operation spans several.
    pub len_ns: u64,
    pub read_bytes: u64,
    pub write_bytes: u64,
    pub ios: u64,
}
