//! What the machine did while a cell was measured: series on the cell's own clock.
//!
//! Counters are stored as what they grew by in each stretch, gauges as they stood at its end.
//! There are two clocks: a fast one for drives and CPUs, a slow one for the rest. A source that the
//! machine lacks leaves its series empty, and the run's [`Watching`] says why. Bounded: see
//! `telemetry::ring`.

use serde::{Deserialize, Serialize};

use super::candidate::Skipped;
use super::throttled;
use crate::log_problem::LogProblem;

/// The machine during one cell. Times count from the first operation of the cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Telemetry {
    /// When the first stretch began; negative: just before the first operation.
    pub start_ns: i64,
    pub fast_ns: Vec<u64>,
    /// Block devices between the filesystem and the drives, top first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceSeries>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<CpuSeries>,
    pub slow_start_ns: i64,
    pub slow_ns: Vec<u64>,
    /// Time tasks waited for a resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressure: Option<PressureSeries>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemorySeries>,
    /// CPU clocks in kHz, one series for each cpufreq policy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frequency_khz: Vec<Gauge>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub temperature_mc: Vec<Gauge>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub power: Vec<PowerSeries>,
    /// Bits of [`crate::throttled`], Raspberry Pi only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub throttled: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub swapped_pages: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<LogLine>,
    pub cost: TelemetryCost,
}

/// One block device; a value for each fast stretch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceSeries {
    /// Kernel name: `sda`, `dm-0`.
    pub name: String,
    /// `major:minor`.
    pub dev: String,
    pub is_disk: bool,
    pub reads: Vec<u64>,
    pub read_bytes: Vec<u64>,
    pub read_ms: Vec<u64>,
    pub writes: Vec<u64>,
    pub written_bytes: Vec<u64>,
    pub write_ms: Vec<u64>,
    pub in_flight: Vec<u64>,
    pub queue_ms: Vec<u64>,
    /// Flushes completed; empty where the kernel does not count them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flushes: Vec<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flush_ms: Vec<u64>,
}

/// One CPU; milliseconds for each fast stretch, the rest of which it was idle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CpuSeries {
    pub cpu: u32,
    pub user_ms: Vec<u32>,
    pub system_ms: Vec<u32>,
    pub interrupt_ms: Vec<u32>,
    pub steal_ms: Vec<u32>,
}

/// Microseconds of pressure for each slow stretch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PressureSeries {
    pub cpu_some_us: Vec<u64>,
    /// Somebody waited for I/O.
    pub io_some_us: Vec<u64>,
    /// Everybody waited for I/O.
    pub io_full_us: Vec<u64>,
    pub memory_some_us: Vec<u64>,
}

/// The page cache at the end of each slow stretch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemorySeries {
    pub dirty_bytes: Vec<u64>,
    pub writeback_bytes: Vec<u64>,
    /// Dirty bytes at which writers are made to wait, at the end of the cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_bytes: Option<u64>,
    /// Dirty bytes at which write-back begins by itself, at the end of the cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_bytes: Option<u64>,
}

/// A named series of a gauge, a value for each slow stretch.
/// The energy that went through a meter of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PowerSeries {
    /// Its name in the system: `package-0`, `power_meter`.
    pub name: String,
    pub energy_uj: Vec<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gauge {
    /// `policy0`, `cpu-thermal`.
    pub name: String,
    /// The most it can be, where known: the highest clock, the critical temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u64>,
    pub values: Vec<u64>,
}

/// One line of the kernel's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    #[serde(rename = "trouble")]
    pub problem: LogProblem,
    pub text: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TelemetryCost {
    pub cpu_ns: u64,
    pub samples: u64,
}

/// What cannot be watched during a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Watching {
    /// Sources that this machine lacks or that may not be read, each with why.
    pub missing: Vec<Skipped>,
}

impl Telemetry {
    /// Bits of the firmware's throttling that held at any time: in a sample, or between two of
    /// them, as a bit of the past shows that the earlier sample lacks.
    pub fn throttled_bits(&self) -> u32 {
        let now = self.throttled.iter().fold(0, |all, bits| all | bits) & throttled::NOW;
        let between = self.throttled.windows(2).map(|two| throttled::since_boot(two[1] & !two[0]));
        between.fold(now, |all, bits| all | bits)
    }

    pub fn hottest_mc(&self) -> Option<u64> {
        self.temperature_mc.iter().flat_map(|g| &g.values).max().copied()
    }

    /// Lines of the kernel's log after which a number cannot stand.
    pub fn device_errors(&self) -> impl Iterator<Item = &LogLine> {
        self.log.iter().filter(|line| line.problem.spoils())
    }
}
