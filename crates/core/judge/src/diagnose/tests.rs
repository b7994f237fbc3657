//! Each cause is attributed to itself alone, and a quiet machine to none.

use crate::testing::causes::{Case, MS, case, cases, queue, windows};
use bakeoff_model::cause::{Cause, Grade};
use bakeoff_model::ceiling::CeilingLayer as BaseLayer;
use bakeoff_model::telemetry::Gauge;
use bakeoff_stats::prng::SplitMix64;

/// Each that can be named, in the order in which they are looked for.
const NAMED: [Cause; 11] = [
    Cause::HeatOrPower,
    Cause::Foreign,
    Cause::PageCache,
    Cause::Cpu,
    Cause::SystemCalls,
    Cause::Flush,
    Cause::Writeback,
    Cause::Position,
    Cause::Bus,
    Cause::QueueDepth,
    Cause::Device,
];

/// Each cause made on purpose against each that could be named: all on the diagonal, none beside.
#[test]
fn each_cause_is_attributed_to_itself_and_to_no_other() {
    let index = |cause: Cause| NAMED.iter().position(|named| *named == cause);
    let mut matrix = [[0u32; NAMED.len()]; NAMED.len()];
    let mut lines = Vec::new();
    for (name, cause, case) in cases() {
        let reason = case.reason();
        let found = index(reason.cause).unwrap_or_else(|| panic!("{name}: {reason:?}"));
        matrix[index(cause).unwrap()][found] += 1;
        assert!(!reason.evidence.is_empty(), "{name}");
        let found = reason.name();
        lines.push(format!("{name}: {found} ({})", reason.grade.label()));
    }
    for (made, row) in NAMED.iter().zip(&matrix) {
        for (found, count) in NAMED.iter().zip(row) {
            let is_itself = made == found;
            assert_eq!(*count > 0, is_itself, "{made:?} as {found:?}:\n{}", lines.join("\n"));
        }
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn what_is_proved_and_what_only_fits() {
    let of = |name: &str| case(name).cause();
    assert_eq!(of("a capped disk"), (Cause::Device, Grade::Proved));
    assert_eq!(of("a disk with a full queue"), (Cause::Device, Grade::Consistent));
    assert_eq!(of("depth 1, where more would be faster"), (Cause::QueueDepth, Grade::Proved));
    assert_eq!(of("a flush after every write"), (Cause::Flush, Grade::Consistent));
    let flush = case("a flush after every write");
    let proved = flush.layer(BaseLayer::NoFlush, 4000.0);
    assert_eq!(proved.cause(), (Cause::Flush, Grade::Proved));
    let calls = case("8-byte writes");
    assert_eq!(calls.layer(BaseLayer::Calls, 12.5e6).cause(), (Cause::SystemCalls, Grade::Proved));
}

#[test]
fn the_cpu_is_named_by_its_thread() {
    let subject = |name: &str| {
        let case = case(name);
        case.reason().subject.unwrap()
    };
    assert_eq!(subject("a controller's interrupts"), "interrupts");
    assert_eq!(subject("others take the CPUs"), "other processes");
    assert_eq!(subject("a crowded CPU"), "other processes");
    assert_eq!(subject("a full USB 2 link"), "USB 480 Mb/s, UAS");
}

/// What a machine that does nothing else never has.
const ALARMS: [Cause; 6] = [
    Cause::HeatOrPower,
    Cause::Foreign,
    Cause::PageCache,
    Cause::SystemCalls,
    Cause::Writeback,
    Cause::Position,
];

/// Fifty repetitions of each workload on a clean machine: everything that is watched moves, and
/// stays below what a cause would make of it.
#[test]
fn a_clean_machine_gives_no_alarm() {
    for workload in ["randread", "seqread", "randwrite", "seqwrite", "smallfiles", "randrw"] {
        let mut case = Case::measured(workload, 900.0);
        let usual = case.cell.clone();
        for repetition in 0..50 {
            case.cell = usual.clone();
            let mut random = SplitMix64::derive(5, &[repetition]);
            disturb(&mut case, &mut |low, high| low + random.below(high - low + 1));
            let reason = case.reason();
            let is_cpu = reason.cause == Cause::Cpu;
            assert!(!is_cpu && !ALARMS.contains(&reason.cause), "{workload}: {reason:?}");
        }
    }
}

/// A clean machine's own unrest; `of` draws a whole number between two, both included.
fn disturb(s: &mut Case, of: &mut impl FnMut(u64, u64) -> u64) {
    // Rates that jump by two fifths from window to window, and one that nearly stands still.
    let stalled = of(0, 19);
    windows(s, (0..20).map(|i| (100 * MS, if i == stalled { of(1, 70) } else { of(60, 100) })));
    let m = &mut s.cell.measurement;
    let (wall_ns, job) = (m.elapsed_ns, m.job.clone());
    (m.usr_cpu_ns, m.sys_cpu_ns) = (wall_ns * of(1, 10) / 100, wall_ns * of(1, 35) / 100);
    m.waited_ns = Some(wall_ns * of(0, 15) / 100);
    m.flush_ns = if job.rw.writes() { wall_ns * of(0, 60) / 100 } else { 0 };
    // The journal and a log that is written: less than a quarter of the cell's own bytes.
    let own = m.read.iter().chain(&m.write).chain(&m.create).map(|o| o.io_bytes).sum::<u64>();
    let others = own * of(0, 20) / 100;
    s.cell.truth.foreign_bytes = Some(others);
    for moved in [&mut s.cell.truth.device_read_bytes, &mut s.cell.truth.device_written_bytes] {
        *moved = moved.map(|bytes| bytes + others / 2);
    }
    queue(s, of(30, 110) as f64 / 100.0);
    let t = s.t();
    // Throttled long ago; a clock that follows the load; warm, not hot.
    let slow = t.slow_ns.len();
    t.throttled = vec![0x50000; slow];
    let mut gauge = |name: &str, most, low, high| Gauge {
        name: name.into(),
        most: Some(most),
        values: (0..slow).map(|_| of(low, high)).collect(),
    };
    t.frequency_khz = vec![gauge("policy0", 1_500_000, 600_000, 1_500_000)];
    t.temperature_mc = vec![gauge("cpu-thermal", 110_000, 40_000, 74_000)];
    let memory = t.memory.as_mut().unwrap();
    memory.dirty_bytes.iter_mut().for_each(|dirty| *dirty = of(0, 400) << 20);
    let pressure = t.pressure.as_mut().unwrap();
    pressure.cpu_some_us.iter_mut().for_each(|us| *us = of(0, 150_000));
}

#[test]
fn what_is_faster_than_a_layer_does_not_stand_on_it() {
    let unflushed = Case::measured("seqwrite", 400e6).with(|s| {
        let m = &mut s.cell.measurement;
        (m.job.fsync, m.job.end_fsync, m.flush_ns) = (0, false, 0);
    });
    let faster = unflushed.layer(BaseLayer::Raw, 20e6);
    assert_eq!(faster.cause(), (Cause::PageCache, Grade::Proved));
    assert_eq!(faster.evidence(), "20.0 times the rate of the raw device");
    let read = Case::measured("seqread", 120e6).with(|s| queue(s, 0.2)).layer(BaseLayer::Raw, 20e6);
    assert_eq!(read.cause().0, Cause::Unattributed);
}

#[test]
fn what_cannot_be_told_prints_the_layers() {
    let case = Case::measured("seqread", 50e6)
        .with(|s| queue(s, 0.2))
        .layer(BaseLayer::Raw, 200e6)
        .layer(BaseLayer::Tool, 9e9);
    assert_eq!(case.cause(), (Cause::Unattributed, Grade::Unattributed));
    insta::assert_snapshot!(case.evidence(), @"it reaches 25 % of the raw device (200 MB/s), 9 % of the practical limit of such links (556 MB/s), 8 % of the link (600 MB/s), 1 % of bakeoff without I/O (9.00 GB/s)");
    let blind = Case::measured("smallfiles", 50.0).with(|s| s.cell.telemetry = None);
    assert_eq!(blind.cause().0, Cause::Unattributed, "nothing seen, nothing said");
}
