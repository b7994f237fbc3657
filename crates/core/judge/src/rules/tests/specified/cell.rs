//! Cases about one measured cell.

use super::super::cases::{Case, case};
use crate::evidence::cell::testing::{judged, seen, watched};
use bakeoff_model::event::CacheState;
use bakeoff_model::finding::Finding;
use bakeoff_model::host::LayerKind;
use bakeoff_model::telemetry::{Gauge, Telemetry, TelemetryCost, ThreadUse};
use bakeoff_model::{candidate::Kind, measurement::Measurement, workload::Metric};

const MIB: u64 = 1 << 20;

pub(super) const CASES: &[Case] = &[
    case("L12", "a buffered file that fits into memory", || buffered(false), || buffered(true)),
    case("L15", "1 MiB in 5 ms over USB 2", || fastest(5), || fastest(30)),
    case("L16", "half of a file in memory", || resident(128 * MIB), || resident(0)),
    case("L17", "two pages dirtied for each direct write", || dirtied(2.0), || dirtied(0.0)),
    case("L25", "20 s of writes, flushed outside", || writes(20, false), || writes(20, true)),
    case("L25", "20 s of unflushed writes", || writes(20, false), || writes(120, false)),
    case("L47", "p99 of 400 operations", || p99(400), || p99(1500)),
    case(
        "L48",
        "stalls of 30 medians in a latency",
        || stall(Metric::LatencyP99, 30),
        || stall(Metric::Iops, 30),
    ),
    case("L49", "under-voltage", || bits(1), || bits(0)),
    case("L49", "a capped clock", || bits(2), || bits(1 << 17)),
    case("L49", "the soft limit", || bits(8), || bits(1 << 19)),
    case("L49", "a hot clock that falls to two thirds", || clock(1_000_000), || clock(1_500_000)),
    case("L52", "others on half a CPU of four", || others(0.5), || others(0.04)),
    case("L52", "others that moved a third", || foreign(30), || foreign(1)),
    case("L53", "ext4lazyinit at work", || thread("ext4lazyinit"), || thread("kcryptd")),
    case("L54", "a monitor at 6 % of a CPU", || monitor(6), || monitor(1)),
    case("L55", "16 MiB", || swapped(4096), || swapped(0)),
];

fn buffered(direct: bool) -> Vec<Finding> {
    judged("randread", 900.0, |h, c| {
        h.host.mem_total_bytes = 1024 * MIB;
        c.measurement.job.direct = direct;
        c.measurement.job.size = 1024 * MIB;
        c.truth.cache = CacheState::Unknown;
    })
}

/// Reads of 1 MiB at 30 MB/s on average, the fastest in so many milliseconds.
fn fastest(ms: u64) -> Vec<Finding> {
    judged("seqread", 30e6, |h, c| {
        let Kind::Directory { place, .. } = &mut h.candidates[0].kind else { panic!() };
        let drive = place.chain.iter_mut().find(|l| l.kind == LayerKind::Disk).expect("a drive");
        drive.link = Some("USB 480 Mb/s, BOT".into());
        c.measurement.read.as_mut().expect("reads").lat_ns.min = ms * 1_000_000;
    })
}

fn resident(bytes: u64) -> Vec<Finding> {
    judged("seqread", 50e6, |_, c| {
        c.truth.resident_before_bytes = Some(bytes);
        if bytes > 0 {
            c.truth.cache = CacheState::Warm;
            c.truth.device_read_bytes = c.truth.device_read_bytes.map(|b| b / 2);
        }
    })
}

fn dirtied(per_page: f64) -> Vec<Finding> {
    judged("randrw", 900.0, |_, c| c.truth.dirtied_per_page = Some(per_page))
}

fn of_measurement(change: impl FnOnce(&mut Measurement)) -> Vec<Finding> {
    seen(|_, c| change(&mut c.measurement))
}

/// Buffered writes for so many seconds.
fn writes(seconds: u64, end_fsync: bool) -> Vec<Finding> {
    judged("seqwrite", 20e6, |_, c| {
        let m = &mut c.measurement;
        (m.job.fsync, m.job.end_fsync) = (0, end_fsync);
        m.elapsed_ns = seconds * 1_000_000_000;
    })
}

fn p99(operations: u64) -> Vec<Finding> {
    of_measurement(|m| {
        let write = m.write.as_mut().expect("writes");
        write.total_ios = operations;
        (write.lat_ns.p99, write.lat_ns.p99_9) = (Some(5_000_000), None);
    })
}

fn stall(metric: Metric, medians: u64) -> Vec<Finding> {
    seen(|h, c| {
        h.workloads[0].metric = metric;
        let latency = &mut c.measurement.write.as_mut().expect("writes").lat_ns;
        (latency.p50, latency.p99) = (Some(1_000_000), Some(2_000_000));
        latency.max = medians * 1_000_000;
    })
}

fn telemetry(change: impl FnOnce(&mut Telemetry)) -> Vec<Finding> {
    seen(|_, c| c.telemetry = watched(change))
}

/// The firmware's bits in every sample.
fn bits(bits: u32) -> Vec<Finding> {
    telemetry(|t| t.throttled = vec![bits; 3])
}

/// A hot CPU pinned to 1.5 GHz whose clock ends at this.
fn clock(khz: u64) -> Vec<Finding> {
    seen(|h, c| {
        h.host.governors = vec!["performance".to_string()];
        let gauge = |name: &str, most, values: Vec<u64>| {
            vec![Gauge { name: name.to_string(), most, values }]
        };
        c.telemetry = watched(|t| {
            t.frequency_khz =
                gauge("policy0", Some(1_500_000), vec![1_500_000, 1_500_000, khz, khz]);
            t.temperature_mc = gauge("cpu-thermal", None, vec![84_000; 4]);
        });
    })
}

fn others(cpus: f64) -> Vec<Finding> {
    seen(|_, c| {
        c.truth.foreign_cpus = Some(cpus);
        c.truth.foreign_cpus_by = vec!["stress-ng (4711)".to_string()];
    })
}

/// The cell moves 100 MB, others so many.
fn foreign(megabytes: u64) -> Vec<Finding> {
    judged("seqread", 50e6, |_, c| c.truth.foreign_bytes = Some(megabytes * 1_000_000))
}

fn thread(name: &str) -> Vec<Finding> {
    let thread = ThreadUse { name: name.to_string(), cpu_ns: 500_000_000 };
    telemetry(|t| t.threads = vec![thread])
}

/// So many percent of the two seconds of a cell.
fn monitor(percent: u64) -> Vec<Finding> {
    telemetry(|t| {
        t.cost = TelemetryCost { cpu_ns: percent * 20_000_000, ..TelemetryCost::default() }
    })
}

fn swapped(pages: u64) -> Vec<Finding> {
    judged("randread", 900.0, |_, c| c.truth.swapped_pages = Some(pages))
}
