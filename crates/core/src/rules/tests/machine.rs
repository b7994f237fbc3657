//! Rules over one cell: its figures, and the machine while it was measured.

use super::*;
use crate::evidence::cell;
use crate::model::event::Cell;
use crate::model::measurement::Measurement;
use crate::model::profile::{Part, Profile};
use crate::model::telemetry::{Cost, Gauge, LogLine, Telemetry, ThreadUse};
use crate::model::trouble::Trouble;
use crate::model::workload::{DriverName, Metric};
use crate::testing::{RunBuilder, clean_cell, measurement};

/// A cell of a run on two stacks, with what `change` does to both.
fn found(change: impl FnOnce(&mut Header, &mut Cell)) -> Vec<Finding> {
    let mut run = RunBuilder::stacks(&["ext4", "xfs"]).build();
    let measured = measurement(&run.header.workloads[0], 1000.0);
    let mut of = clean_cell(measured);
    change(&mut run.header, &mut of);
    cell(&run.header, &of)
}

fn fires(id: &str, change: impl FnOnce(&mut Header, &mut Cell)) -> bool {
    told(&found(change), id).is_some()
}

fn watched(change: impl FnOnce(&mut Telemetry)) -> Option<Box<Telemetry>> {
    let mut telemetry = Telemetry { fast_ns: vec![2_000_000_000], ..Telemetry::default() };
    change(&mut telemetry);
    Some(Box::new(telemetry))
}

#[test]
fn a_clean_cell_has_nothing_said_against_it() {
    assert_eq!(found(|_, c| c.telemetry = watched(|_| {})), []);
}

#[test]
fn l49_throttled_now_and_only_since_boot() {
    assert!(fires("L49", |_, c| c.telemetry = watched(|t| t.throttled = vec![0, 0x4])));
    assert!(!fires("L49", |_, c| c.telemetry = watched(|t| t.throttled = vec![0x40000])));
}

/// A clock of 1.5 GHz at most over four looks, a rate that falls in the middle of the cell or not,
/// and a temperature.
fn clock(khz: [u64; 4], with_rate: bool, celsius: u64) -> impl FnOnce(&mut Header, &mut Cell) {
    move |h, c| {
        h.host.governors = vec!["performance".to_string()];
        let windows = &mut c.measurement.windows;
        assert!(windows.len() >= 20, "{}", windows.len());
        let half = windows.len() / 2;
        windows[half..].iter_mut().filter(|_| with_rate).for_each(|w| w.ios /= 2);
        let length_ns = c.measurement.elapsed_ns / 4;
        c.telemetry = watched(|t| {
            t.slow_ns = (1..=4).map(|n| n * length_ns).collect();
            let gauge = |name: &str, most, values: &[u64]| Gauge {
                name: name.to_string(),
                most,
                values: values.to_vec(),
            };
            t.frequency_khz = vec![gauge("policy0", Some(1_500_000), &khz)];
            t.temperature_mc = vec![gauge("cpu", None, &[celsius * 1000; 4])];
        });
    }
}

#[test]
fn l49_a_clock_that_falls_and_one_that_a_governor_moves() {
    const FALLS: [u64; 4] = [1_500_000, 1_500_000, 1_000_000, 1_000_000];
    assert!(fires("L49", clock(FALLS, true, 50)));
    assert!(fires("L49", clock(FALLS, false, 82)));
    let evidence = found(clock(FALLS, true, 82))[0].evidence.clone();
    assert_eq!(
        evidence,
        "the clock fell from 1500 to 1000 MHz at 82 °C, and the rate fell as well"
    );
    // Neither hot nor felt; hot, and it came back; hot, and less than a tenth.
    assert!(!fires("L49", clock(FALLS, false, 50)));
    assert!(!fires("L49", clock([1_500_000, 1_000_000, 1_000_000, 1_500_000], false, 82)));
    assert!(!fires("L49", clock([1_500_000, 1_500_000, 1_400_000, 1_400_000], false, 82)));
    // Hot, under a governor that lets the clock fall when there is little to do.
    assert!(!fires("L49", |h, c| {
        clock(FALLS, false, 82)(h, c);
        h.host.governors = vec!["ondemand".to_string()];
    }));
    // A low clock from the start was never at its highest.
    assert!(!fires("L49", clock([1_000_000; 4], false, 82)));
}

#[test]
fn device_errors_and_harmless_lines() {
    let line = |trouble| LogLine { trouble, text: "mmc0: timeout".to_string() };
    let all = [Trouble::IoError, Trouble::Reset, Trouble::Timeout];
    for trouble in all.into_iter().filter(|t| t.spoils()) {
        assert!(
            fires("device-error", |_, c| c.telemetry = watched(|t| t.log = vec![line(trouble)]))
        );
    }
    assert!(!fires("device-error", |_, c| c.telemetry = watched(|_| {})));
}

#[test]
fn l53_a_thread_that_zeroes_and_one_that_sleeps() {
    let lazy = |cpu_ns| ThreadUse { name: "ext4lazyinit".to_string(), cpu_ns };
    assert!(fires("L53", |_, c| c.telemetry = watched(|t| t.threads = vec![lazy(200_000_000)])));
    assert!(!fires("L53", |_, c| c.telemetry = watched(|t| t.threads = vec![lazy(1_000_000)])));
}

#[test]
fn l54_a_costly_observer() {
    let cost = |cpu_ns| Cost { cpu_ns, ..Cost::default() };
    assert!(fires("L54", |_, c| c.telemetry = watched(|t| t.cost = cost(60_000_000))));
    assert!(!fires("L54", |_, c| c.telemetry = watched(|t| t.cost = cost(30_000_000))));
}

#[test]
fn l51_needs_a_temperature() {
    let gauge = Gauge { name: "cpu".to_string(), most: None, values: vec![80_000] };
    assert!(!fires("L51", |_, c| c.telemetry = watched(|t| t.temperature_mc = vec![gauge])));
}

#[test]
fn l11_what_comes_back_is_not_what_was_written() {
    let seen = || Finding {
        id: "verify-mismatch".to_string(),
        severity: Severity::Refuse,
        scope: Scope::Cell,
        workload: None,
        candidate: None,
        evidence: "3 of 16 MiB came back different".to_string(),
        advice: "probe it".to_string(),
    };
    assert!(fires("L11", |_, c| c.measurement.findings = vec![seen()]));
    assert!(!fires("L11", |_, c| c.measurement.verified_bytes = Some(16 << 20)));
}

/// Time of a foreign tool: in calls, in flushes.
fn of_sysbench(h: &mut Header, m: &mut Measurement, data: f64, flush: f64) {
    h.workloads[0].driver = DriverName::Sysbench;
    h.workloads[0].job.fsync = 0;
    m.data_ns = (m.elapsed_ns as f64 * data) as u64;
    m.flush_ns = (m.elapsed_ns as f64 * flush) as u64;
}

#[test]
fn l14_l19_time_outside_operations_and_in_flushes() {
    assert!(fires("L14", |h, c| of_sysbench(h, &mut c.measurement, 0.75, 0.10)));
    assert!(!fires("L14", |h, c| of_sysbench(h, &mut c.measurement, 0.75, 0.20)));
    assert!(fires("L19", |h, c| of_sysbench(h, &mut c.measurement, 0.60, 0.35)));
    assert!(!fires("L19", |h, c| of_sysbench(h, &mut c.measurement, 0.70, 0.25)));
}

#[test]
fn l26_l47_means_and_tails() {
    assert!(fires("L26", |_, c| {
        let lat = &mut c.measurement.write.as_mut().unwrap().lat_ns;
        (lat.mean, lat.p95) = (4.91e6, Some(2_320_000));
    }));
    assert!(!fires("L26", |_, c| {
        let lat = &mut c.measurement.write.as_mut().unwrap().lat_ns;
        (lat.mean, lat.p95) = (2.3e6, Some(2_320_000));
    }));
    let tail = |n: u64| {
        move |_: &mut Header, c: &mut Cell| {
            let write = c.measurement.write.as_mut().unwrap();
            write.total_ios = n;
            write.lat_ns.p99_9 = Some(9_000_000);
        }
    };
    assert!(fires("L47", tail(9_999)) && !fires("L47", tail(10_000)));
}

#[test]
fn l48_a_closed_loop_that_stalls() {
    let stall = |max: u64, rate| {
        move |h: &mut Header, c: &mut Cell| {
            h.workloads[0].metric = Metric::LatencyP99;
            h.workloads[0].job.rate_iops = rate;
            let lat = &mut c.measurement.write.as_mut().unwrap().lat_ns;
            (lat.max, lat.p50, lat.p99) = (max, Some(1_000_000), Some(3_000_000));
        }
    };
    assert!(fires("L48", stall(11_000_000, None)));
    assert!(!fires("L48", stall(10_000_000, None)) && !fires("L48", stall(11_000_000, Some(100))));
    assert!(!fires("L48", |h, c| {
        stall(11_000_000, None)(h, c);
        h.workloads[0].profile = Some(Part { profile: Profile::Desktop, part: 0 });
    }));
}
