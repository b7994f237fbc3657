//! One invented cell: every figure consistent with the rate it was asked for, and nothing to be
//! said against it.

use bakeoff_model::event::{CacheState, Truth};
use bakeoff_model::job::Rw;
use bakeoff_model::measurement::{Latency, Measurement, OpStats, SCHEMA, Window};
use bakeoff_model::workload::{Metric, Workload};
use bakeoff_stats::histogram::Histogram;

const CELL_NS: u64 = 2_000_000_000;
const WINDOW_NS: u64 = 100_000_000;

/// A cell of two seconds that went at `rate` (bytes, operations, files or transactions a second, or
/// nanoseconds of latency).
pub fn measurement(workload: &Workload, rate: f64) -> Measurement {
    let mut job = workload.job.clone();
    // Every part of a profile flushes what it writes, and says so.
    job.end_fsync |= workload.profile.is_some();
    let seconds = CELL_NS as f64 / 1e9;
    let per_s = match workload.metric {
        Metric::Bandwidth => rate / job.bs as f64,
        Metric::Iops | Metric::FilesPerSecond | Metric::TransactionsPerSecond => rate,
        // One at a time, so that a thousand of them bear the quantile.
        Metric::LatencyP99 => 1e9 / rate,
    };
    // Exact rates matter more to tests than whole operations: time gives way, not the rate.
    let enough = if workload.metric == Metric::LatencyP99 { 4000 } else { 50 };
    let fewest = job.min_ios.max(enough) as f64;
    let ios = (per_s * seconds).max(fewest).round() as u64;
    let elapsed_ns = (ios as f64 / per_s * 1e9).round() as u64;
    let mut m = Measurement {
        schema: SCHEMA.to_string(),
        engine: job.engine,
        elapsed_ns,
        data_ns: elapsed_ns,
        close_ns: 1000,
        usr_cpu_ns: elapsed_ns / 50,
        sys_cpu_ns: elapsed_ns / 20,
        tool_ns: elapsed_ns / 100,
        mem: "malloc".to_string(),
        job,
        ..Measurement::default()
    };
    fill(&mut m, ios);
    match workload.metric {
        Metric::TransactionsPerSecond => m.commit = Some(op(ios, 0, elapsed_ns)),
        Metric::FilesPerSecond if m.job.rw != Rw::SmallFiles => {
            m.create = Some(op(ios, 0, elapsed_ns));
        }
        Metric::LatencyP99 => set_p99(&mut m, rate),
        Metric::FilesPerSecond | Metric::Bandwidth | Metric::Iops => {}
    }
    m.windows = windows(&m);
    m
}

fn fill(m: &mut Measurement, ios: u64) {
    let (bs, elapsed_ns) = (m.job.bs, m.elapsed_ns);
    let stats = |ios: u64, bytes: u64| Some(op(ios, bytes, elapsed_ns));
    match m.job.rw {
        Rw::Read | Rw::RandRead => m.read = stats(ios, ios * bs),
        Rw::Write | Rw::RandWrite => m.write = stats(ios, ios * bs),
        Rw::RandRw | Rw::ReadWrite => {
            let reads = ios * u64::from(m.job.rwmixread) / 100;
            m.read = stats(reads, reads * bs);
            m.write = stats(ios - reads, (ios - reads) * bs);
        }
        Rw::SmallFiles => {
            m.create = stats(ios, ios * bs);
            m.stat = stats(ios, 0);
            m.read = stats(ios, ios * bs);
            m.unlink = stats(ios, 0);
        }
    }
    if m.job.fsync > 0 && m.job.rw != Rw::SmallFiles {
        let writes = m.write.as_ref().map_or(0, |w| w.total_ios);
        m.flush = stats(writes / u64::from(m.job.fsync), 0);
        m.flush_ns = elapsed_ns / 2;
        m.data_ns = elapsed_ns - m.flush_ns;
    }
}

fn set_p99(m: &mut Measurement, ns: f64) {
    if let Some(main) = m.read.as_mut().or(m.write.as_mut()) {
        main.lat_ns.p99 = Some(ns.round() as u64);
    }
}

fn op(total_ios: u64, io_bytes: u64, elapsed_ns: u64) -> OpStats {
    let seconds = elapsed_ns as f64 / 1e9;
    let mean = elapsed_ns as f64 / total_ios.max(1) as f64;
    let middle = (mean as u64).max(1);
    let quantile = |enough: u64, value| (total_ios >= enough).then_some(value);
    OpStats {
        total_ios,
        io_bytes,
        iops: total_ios as f64 / seconds,
        bw_bytes_per_s: io_bytes as f64 / seconds,
        lat_ns: Latency {
            min: middle - middle / 10,
            mean,
            max: middle * 4,
            p50: quantile(20, middle),
            p90: quantile(100, middle * 2),
            p95: quantile(200, middle * 2),
            p99: quantile(1000, middle * 3),
            p99_9: quantile(10_000, middle * 3),
            p99_99: None,
        },
        histogram: Histogram {
            buckets: [(middle, total_ios - total_ios / 50), (middle * 3, total_ios / 50)]
                .into_iter()
                .filter(|b| b.1 > 0)
                .collect(),
        },
    }
}

/// The work spread evenly over windows of 100 ms.
fn windows(m: &Measurement) -> Vec<Window> {
    let count = m.elapsed_ns.div_ceil(WINDOW_NS).clamp(1, 1000);
    let bytes = |o: &Option<OpStats>| o.as_ref().map_or(0, |s| s.io_bytes);
    (0..count)
        .map(|i| Window {
            start_ns: i * WINDOW_NS,
            len_ns: if i + 1 == count { m.elapsed_ns - i * WINDOW_NS } else { WINDOW_NS },
            read_bytes: bytes(&m.read) / count,
            write_bytes: (bytes(&m.write) + bytes(&m.create)) / count,
            ios: m.total_ios() / count,
        })
        .collect()
}

/// Truth of a cell on an idle machine: cold, durable, alone.
pub fn clean_truth(m: &Measurement) -> Truth {
    let bytes = |o: &Option<OpStats>| o.as_ref().map_or(0, |s| s.io_bytes);
    let read = bytes(&m.read);
    let is_small = m.job.rw == Rw::SmallFiles;
    Truth {
        resident_before_bytes: Some(0),
        device_read_bytes: Some(if is_small { 0 } else { read }),
        device_written_bytes: Some(bytes(&m.write) + bytes(&m.create)),
        dirtied_per_page: (m.job.direct && m.job.rw.writes()).then_some(0.01),
        foreign_bytes: Some(0),
        cache: match (read > 0, is_small) {
            (_, true) => CacheState::Warm,
            (true, false) => CacheState::Cold,
            (false, false) => CacheState::NotRead,
        },
        ..Truth::default()
    }
}
