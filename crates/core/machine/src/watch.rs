//! `watch`: what the drives and the machine do, one frame an interval.
//!
//! Figures of drives are those of iostat(1) with -x. The shell takes the looks.

use serde::Serialize;

use crate::telemetry::rates::DeviceRates;
use bakeoff_model::telemetry::{Gauge, LogLine, Telemetry};
use bakeoff_model::throttled;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Its end, nanoseconds since 1970.
    pub unix_ns: i64,
    pub clock: String,
    pub elapsed_ns: u64,
    /// The devices by kernel name, in the order of their numbers.
    pub devices: Vec<(String, DeviceRates)>,
    pub machine: Machine,
}

/// What the machine did; what it cannot tell is empty or null.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Machine {
    /// Busy share of each CPU, percent; waiting for I/O is idle.
    pub cpu_percent: Vec<f64>,
    /// Share of the time in which somebody waited for I/O, percent.
    pub io_some_percent: Option<f64>,
    pub dirty_bytes: Option<u64>,
    pub writeback_bytes: Option<u64>,
    pub clock_mhz: Vec<u64>,
    pub temperature_c: Option<f64>,
    /// What the firmware says is wrong with power and heat ([`throttled`]).
    #[serde(skip)]
    pub throttled: u32,
    pub log: Vec<LogLine>,
}

impl Machine {
    pub fn from_telemetry(seen: &Telemetry, elapsed_ns: u64) -> Machine {
        let elapsed_ms = (elapsed_ns as f64 / 1e6).max(1.0);
        let sum = |series: &[u32]| series.iter().map(|ms| f64::from(*ms)).sum::<f64>();
        let cpu = |cpu: &bakeoff_model::telemetry::CpuSeries| {
            let parts = [&cpu.user_ms, &cpu.system_ms, &cpu.interrupt_ms, &cpu.steal_ms];
            let busy: f64 = parts.iter().map(|series| sum(series)).sum();
            (busy * 100.0 / elapsed_ms).min(100.0)
        };
        let waited_us = seen.pressure.as_ref().map(|p| p.io_some_us.iter().sum::<u64>());
        let memory = seen.memory.as_ref();
        let last = |gauge: &Gauge| gauge.values.last().copied();
        let bits = seen.throttled.iter().fold(0, |all, bits| all | bits);
        Machine {
            cpu_percent: seen.cpus.iter().map(cpu).collect(),
            io_some_percent: waited_us.map(|us| (us as f64 / elapsed_ms / 10.0).min(100.0)),
            dirty_bytes: memory.and_then(|m| m.dirty_bytes.last().copied()),
            writeback_bytes: memory.and_then(|m| m.writeback_bytes.last().copied()),
            clock_mhz: seen.frequency_khz.iter().filter_map(last).map(|khz| khz / 1000).collect(),
            temperature_c: seen.hottest_mc().map(|mc| mc as f64 / 1000.0),
            throttled: bits & throttled::NOW,
            log: seen.log.clone(),
        }
    }
}
