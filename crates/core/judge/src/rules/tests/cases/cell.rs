//! Cases of rules about one cell, or one result of another tool.

use super::asked::dd;
use super::{Case, case};
use crate::evidence::cell::testing::{judged, of_sysbench, seen, watched};
use crate::rules::tests::imported::printed;
use bakeoff_model::candidate::Kind;
use bakeoff_model::event::{CacheState, Cell, Header};
use bakeoff_model::finding::{Finding, Scope, Severity};
use bakeoff_model::host::LayerKind;
use bakeoff_model::measurement::Latency;
use bakeoff_model::telemetry::{Telemetry, TelemetryCost, ThreadUse};
use bakeoff_model::workload::Metric;

/// Throttled since boot, and now.
const THROTTLED: u32 = 1 << 18;
const THROTTLED_NOW: u32 = 1 << 2;
const UNDER_VOLTAGE: u32 = 1 << 16;

pub(super) const CASES: &[Case] = &[
    case("L11", "other data than written", || returns(true), || returns(false)),
    case("L12", "a file of 1.9 times the memory", || file(19), || file(21)),
    case("L14", "15 % of the time outside events", || sysbench(0.8, 0.05), || sysbench(0.8, 0.15)),
    case("L15", "70 MB/s over USB 2", || usb2(70e6), || usb2(30e6)),
    case("L16", "a cold read from memory", || cache(CacheState::Warm), || cache(CacheState::Cold)),
    case("L17", "a page dirtied for each direct write", || dirtied(1.0), || dirtied(0.05)),
    case(
        "L19",
        "40 % in flushes of the tool's choice",
        || sysbench(0.6, 0.4),
        || sysbench(0.8, 0.2),
    ),
    case("L25", "0.4 s", || lasts(400_000_000), || lasts(600_000_000)),
    case("L25", "dd of less than half a second", || short_dd(0.3), || short_dd(0.7)),
    case("L25", "sysbench of 0.2 s", || short_sysbench(0.2), || short_sysbench(30.0)),
    case("L25", "fio of 0.2 s", || short_fio(200), || short_fio(30_000)),
    case("L25", "20 s of unflushed writes by dd", || dd("", 20), || dd("", 60)),
    case(
        "L25",
        "dd of 20 s, of which the flush is no part",
        || dd("", 20),
        || dd("conv=fsync", 20),
    ),
    case(
        "L25",
        "phases that bonnie++ marks as too short",
        || bonnie("+++++ +++"),
        || bonnie("24000  90"),
    ),
    case("L26", "a mean above p95", || mean(1.1), || mean(0.9)),
    case("L47", "p99.9 of 5000 operations", || tail(5_000), || tail(20_000)),
    case("L48", "a stall of 20 medians", || stall(20, None), || stall(5, None)),
    case("L48", "a stall of a closed loop", || stall(20, None), || stall(20, Some(100))),
    case("L49", "throttled now", || bits(&[0, THROTTLED_NOW, 0]), || bits(&[0, 0, 0])),
    case(
        "L49",
        "a sticky bit that is new in the cell",
        || bits(&[0, 0, THROTTLED]),
        || bits(&[THROTTLED, THROTTLED, THROTTLED]),
    ),
    case(
        "L49",
        "a sticky bit beside one from before",
        || bits(&[THROTTLED, THROTTLED | UNDER_VOLTAGE]),
        || bits(&[THROTTLED | UNDER_VOLTAGE, THROTTLED]),
    ),
    case(
        "L49",
        "a sticky bit that came back after it was cleared",
        || bits(&[THROTTLED, 0, THROTTLED]),
        || bits(&[THROTTLED, 0, 0]),
    ),
    case("L52", "others that moved 10 %", || foreign(10_000_000), || foreign(1_000_000)),
    case(
        "L53",
        "lazy tables that are being zeroed",
        || zeroes("ext4lazyinit"),
        || zeroes("jbd2/sda1-8"),
    ),
    case("L54", "a monitor at 3 % of a CPU", || monitor(60), || monitor(20)),
    case("L55", "pages swapped", || swapped(1000), || swapped(0)),
];

fn returns(is_other: bool) -> Vec<Finding> {
    let mismatch = Finding {
        id: "verify-mismatch".to_string(),
        severity: Severity::Refuse,
        scope: Scope::Cell,
        workload: None,
        candidate: None,
        evidence: "1 of 8 MiB came back different".to_string(),
        advice: "probe it".to_string(),
    };
    seen(|_, c| {
        c.measurement.verified_bytes = Some(8 << 20);
        c.measurement.findings = is_other.then_some(mismatch).into_iter().collect();
    })
}

/// Buffered reads of a file of so many tenths of the memory.
fn file(tenths: u64) -> Vec<Finding> {
    judged("randread", 900.0, |h, c| {
        h.host.mem_total_bytes = 1_000_000_000;
        c.measurement.job.direct = false;
        c.measurement.job.size = tenths * 100_000_000;
        c.truth.cache = CacheState::Unknown;
    })
}

/// A cell of sysbench with these shares of its time in events and in flushes.
fn sysbench(events: f64, flushes: f64) -> Vec<Finding> {
    seen(|h, c| of_sysbench(h, &mut c.measurement, events, flushes))
}

fn usb2(rate: f64) -> Vec<Finding> {
    judged("seqread", rate, |h, _| {
        let Kind::Directory { place, .. } = &mut h.candidates[0].kind else { panic!() };
        let drive = place.chain.iter_mut().find(|l| l.kind == LayerKind::Disk).expect("a drive");
        drive.link = Some("USB 480 Mb/s".into());
    })
}

fn cache(state: CacheState) -> Vec<Finding> {
    judged("seqread", 50e6, |_, c| c.truth.cache = state)
}

fn dirtied(per_page: f64) -> Vec<Finding> {
    judged("randrw", 900.0, |_, c| c.truth.dirtied_per_page = Some(per_page))
}

fn lasts(ns: u64) -> Vec<Finding> {
    judged("randread", 900.0, |_, c| c.measurement.elapsed_ns = ns)
}

fn short_dd(seconds: f64) -> Vec<Finding> {
    let rate = 10.48576 / seconds;
    printed(&format!(
        "$ dd if=t of=/dev/null bs=1M count=10\n\
         10485760 bytes (10 MB, 10 MiB) copied, {seconds} s, {rate:.1} MB/s\n"
    ))
}

fn short_sysbench(seconds: f64) -> Vec<Finding> {
    printed(&format!(
        "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\n\
         Running the test with following options:\nNumber of threads: 1\n\n\
         Extra file open flags: (none)\n128 files, 16MiB each\n2GiB total file size\n\
         Block size 16KiB\nNumber of IO requests: 0\nUsing synchronous I/O mode\n\
         Doing random read test\nThreads started!\n\n\n\
         File operations:\n    reads/s:                      1000.00\n\
         \x20   writes/s:                     0.00\n    fsyncs/s:                     0.00\n\n\
         Throughput:\n    read, MiB/s:                  15.62\n\
         \x20   written, MiB/s:               0.00\n\n\
         General statistics:\n    total time:                          {seconds:.4}s\n\
         \x20   total number of events:              200\n"
    ))
}

fn short_fio(ms: u64) -> Vec<Finding> {
    printed(&format!(
        "x: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, \
         ioengine=psync, iodepth=1\nfio-3.33\nStarting 1 process\n\n\
         x: (groupid=0, jobs=1): err= 0: pid=812: Mon Jan  2 10:00:00 2023\n\
         \x20 read: IOPS=1000, BW=4000KiB/s (4096kB/s)(800KiB/{ms}msec)\n\
         \x20   clat (usec): min=10, max=900, avg=100.00, stdev=10.00\n"
    ))
}

fn bonnie(creates: &str) -> Vec<Finding> {
    printed(&format!(
        "Version  1.96       ------Sequential Output------ --Sequential Input- --Random-\n\
         Concurrency   1     -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--\n\
         Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP\n\
         pi               1G    84  94  4483  15  3790  15   594  98 {creates} 500.0  10\n"
    ))
}

fn latency(change: impl FnOnce(&mut Header, &mut Latency)) -> Vec<Finding> {
    seen(|h, c| change(h, &mut c.measurement.write.as_mut().expect("writes").lat_ns))
}

fn mean(of_p95: f64) -> Vec<Finding> {
    latency(|_, l| (l.mean, l.p95) = (1e6 * of_p95, Some(1_000_000)))
}

fn tail(operations: u64) -> Vec<Finding> {
    seen(|_, c| {
        let write = c.measurement.write.as_mut().expect("writes");
        (write.total_ios, write.lat_ns.p99_9) = (operations, Some(5_000_000));
    })
}

fn stall(medians: u64, rate_iops: Option<u64>) -> Vec<Finding> {
    latency(|h, l| {
        h.workloads[0].metric = Metric::LatencyP99;
        h.workloads[0].job.rate_iops = rate_iops;
        (l.p50, l.p99, l.max) = (Some(1_000_000), Some(2_000_000), medians * 1_000_000);
    })
}

fn telemetry(change: impl FnOnce(&mut Telemetry)) -> Vec<Finding> {
    seen(|_: &mut Header, c: &mut Cell| c.telemetry = watched(change))
}

fn bits(samples: &[u32]) -> Vec<Finding> {
    telemetry(|t| t.throttled = samples.to_vec())
}

/// The cell moves 100 MB.
fn foreign(bytes: u64) -> Vec<Finding> {
    judged("seqread", 50e6, |_, c| c.truth.foreign_bytes = Some(bytes))
}

fn zeroes(thread: &str) -> Vec<Finding> {
    let thread = ThreadUse { name: thread.to_string(), cpu_ns: 300_000_000 };
    telemetry(|t| t.threads = vec![thread])
}

/// A monitor that takes so many milliseconds of the two seconds of a cell.
fn monitor(cpu_ms: u64) -> Vec<Finding> {
    telemetry(|t| t.cost = TelemetryCost { cpu_ns: cpu_ms * 1_000_000, ..TelemetryCost::default() })
}

fn swapped(pages: u64) -> Vec<Finding> {
    judged("randread", 900.0, |_, c| c.truth.swapped_pages = Some(pages))
}
