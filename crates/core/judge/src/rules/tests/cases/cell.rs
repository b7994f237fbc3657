//! Cases of rules about one cell, or one result of another tool.

use super::asked::dd;
use super::{Case, case};
use crate::evidence::cell::testing::{judged, of_sysbench, seen, watched};
use crate::rules::tests::imported::printed;
use bakeoff_model::candidate::Kind;
use bakeoff_model::event::{CacheState, Cell, Header};
use bakeoff_model::finding::{Finding, Scope, Severity};
use bakeoff_model::host::LayerKind;
use bakeoff_model::log_problem::LogProblem;
use bakeoff_model::measurement::Latency;
use bakeoff_model::telemetry::{Gauge, LogLine, Telemetry};
use bakeoff_model::workload::Metric;

/// Throttled since boot, and now.
const THROTTLED: u32 = 1 << 18;
const THROTTLED_NOW: u32 = 1 << 2;
const UNDER_VOLTAGE: u32 = 1 << 16;

pub(super) const CASES: &[Case] = &[
    case("L11", "other data than written", || returns(true), || returns(false)),
    case("L14", "15 % of the time outside events", || sysbench(0.8, 0.05), || sysbench(0.8, 0.15)),
    case("L15", "70 MB/s over USB 2", || usb2(70e6), || usb2(30e6)),
    case("L15", "1 MiB in 5 ms over USB 2", || fastest(5), || fastest(30)),
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
    case(
        "L49",
        "a clock that falls with the rate",
        || clock(LOWER, 50, true),
        || clock(LOWER, 50, false),
    ),
    case("L49", "a hot clock that falls", || clock(LOWER, 82, false), || clock(BACK, 82, false)),
    case(
        "L49",
        "a clock that falls by a third",
        || clock(LOWER, 82, false),
        || clock(NEAR, 82, false),
    ),
    case("L52", "others on CPUs that the load waited for", || cpus(0.21, 0.03), || cpus(2.5, 0.01)),
    case("L52", "others on 5 % of the CPUs", || cpus(0.21, 0.03), || cpus(0.19, 0.03)),
    case("L52", "others that moved 10 %", || foreign(10_000_000), || foreign(1_000_000)),
    case("L55", "pages swapped", || swapped(257), || swapped(256)),
    case(
        "cache-unknown",
        "a cache that cannot be seen",
        || cache(CacheState::Unknown),
        || cache(CacheState::Cold),
    ),
    case("device-error", "an error in the kernel log", || log(&[LogProblem::IoError]), || log(&[])),
    case("no-progress", "nothing read", || reads(false), || reads(true)),
    case("suspended", "a suspend of 2 ms", || suspended(2_000_000), || suspended(900_000)),
    case("tool-share", "6 % of the time in the tool", || tool(0.06), || tool(0.049)),
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

/// A cell of sysbench with these shares of its time in events and in flushes.
fn sysbench(events: f64, flushes: f64) -> Vec<Finding> {
    seen(|h, c| of_sysbench(h, &mut c.measurement, events, flushes))
}

fn usb2(rate: f64) -> Vec<Finding> {
    judged("seqread", rate, |h, _| link(h))
}

/// Reads of 1 MiB at 30 MB/s on average, the fastest in so many milliseconds.
fn fastest(ms: u64) -> Vec<Finding> {
    judged("seqread", 30e6, |h, c| {
        link(h);
        c.measurement.read.as_mut().expect("reads").lat_ns.min = ms * 1_000_000;
    })
}

fn link(h: &mut Header) {
    let Kind::Directory { place, .. } = &mut h.candidates[0].kind else { panic!() };
    let drive = place.chain.iter_mut().find(|l| l.kind == LayerKind::Disk).expect("a drive");
    drive.link = Some("USB 480 Mb/s".into());
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

fn swapped(pages: u64) -> Vec<Finding> {
    judged("randread", 900.0, |_, c| c.truth.swapped_pages = Some(pages))
}

const LOWER: [u64; 4] = [1_500_000, 1_500_000, 1_000_000, 1_000_000];
const BACK: [u64; 4] = [1_500_000, 1_000_000, 1_000_000, 1_500_000];
const NEAR: [u64; 4] = [1_500_000, 1_500_000, 1_400_000, 1_400_000];

/// A pinned clock of 1.5 GHz at most over four looks, at a temperature, with a rate that falls in
/// the middle of the cell or not.
fn clock(khz: [u64; 4], celsius: u64, with_rate: bool) -> Vec<Finding> {
    seen(|h, c| {
        h.host.governors = vec!["performance".to_string()];
        let windows = &mut c.measurement.windows;
        let half = windows.len() / 2;
        windows[half..].iter_mut().filter(|_| with_rate).for_each(|w| w.ios /= 2);
        let length_ns = c.measurement.elapsed_ns / 4;
        let gauge = |name: &str, most, values: [u64; 4]| {
            vec![Gauge { name: name.to_string(), most, values: values.to_vec() }]
        };
        c.telemetry = watched(|t| {
            t.slow_ns = (1..=4).map(|n| n * length_ns).collect();
            t.frequency_khz = gauge("policy0", Some(1_500_000), khz);
            t.temperature_mc = gauge("cpu", None, [celsius * 1000; 4]);
        });
    })
}

/// Others keep so many of four CPUs busy, and the load waits for this share of its time.
fn cpus(busy: f64, waited: f64) -> Vec<Finding> {
    seen(|h, c| {
        h.host.cpus = 4;
        c.truth.foreign_cpus = Some(busy);
        c.measurement.waited_ns = Some((c.measurement.elapsed_ns as f64 * waited) as u64);
    })
}

fn log(problems: &[LogProblem]) -> Vec<Finding> {
    let line = |problem: &LogProblem| LogLine { problem: *problem, text: "mmc0: -110".to_string() };
    telemetry(|t| t.log = problems.iter().map(line).collect())
}

fn reads(any: bool) -> Vec<Finding> {
    judged("seqread", 50e6, |_, c| {
        if !any {
            c.measurement.read = None;
        }
    })
}

fn suspended(ns: u64) -> Vec<Finding> {
    judged("randread", 900.0, |_, c| c.truth.suspended_ns = ns)
}

fn tool(share: f64) -> Vec<Finding> {
    judged("seqwrite", 5e7, |_, c| {
        c.measurement.tool_ns = (c.measurement.elapsed_ns as f64 * share) as u64;
    })
}
