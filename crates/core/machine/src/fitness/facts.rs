//! What `check` is told: read from /proc and /sys, asked of smartctl and systemd, never guessed.

use crate::guard::RefusalReason;
use crate::sysinfo::meminfo::Meminfo;
use crate::sysinfo::mmc_ios::Ios;
use crate::sysinfo::sd_status::SdStatus;
use crate::sysinfo::timers::Timer;
use crate::telemetry::rates::DeviceRates;
use bakeoff_model::health::Health;
use bakeoff_model::host::{Host, Layer, Place};
use bakeoff_model::telemetry::LogLine;

/// A value, or why there is none.
pub type Fact<T> = Result<T, String>;

/// The machine, the place and its disks.
#[derive(Clone, Debug)]
pub struct Facts {
    pub host: Host,
    pub clocks: Fact<Vec<Clock>>,
    /// Bits of [`bakeoff_model::throttled`], and whether the source tells those since boot.
    pub throttled: Fact<(u32, bool)>,
    pub temperatures: Fact<Vec<(String, u64, Option<u64>)>>,
    pub swaps: Vec<SwapFacts>,
    pub memory: Meminfo,
    pub watched: Fact<Watched>,
    pub timers: Fact<Vec<Timer>>,
    /// The time, nanoseconds since 1970.
    pub now_unix_ns: i64,
    /// Names of the kernel's threads and of programs that run.
    pub tasks: Fact<Vec<String>>,
    pub arrays: Vec<(String, &'static str)>,
    /// LogProblem with storage in the kernel's log since boot.
    pub log: Fact<Vec<LogLine>>,
    /// Whether the machine has a USB port faster than 480 Mb/s.
    pub has_fast_usb: bool,
    pub target: Target,
    pub disks: Vec<Disk>,
}

#[derive(Clone, Debug)]
pub enum Target {
    Place {
        name: String,
        place: Box<Place>,
    },
    Device {
        name: String,
        chain: Vec<Layer>,
        /// Why it may not be erased; empty when it may.
        in_use: Vec<RefusalReason>,
    },
}

impl Target {
    pub fn name(&self) -> &str {
        match self {
            Target::Place { name, .. } | Target::Device { name, .. } => name,
        }
    }
}

/// One cpufreq policy, kHz.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// `policy0`.
    pub name: String,
    pub governor: Option<String>,
    pub driver: Option<String>,
    pub limit_khz: Option<u64>,
    pub most_khz: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwapFacts {
    pub name: String,
    pub on_target: bool,
    pub in_memory: bool,
}

/// What the machine did while nothing of ours ran.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watched {
    pub elapsed_ns: u64,
    pub cpu_percent: Option<f64>,
    pub swapped_pages: Option<u64>,
    pub disks: Vec<(String, DeviceRates)>,
    /// Who read or wrote, the most first.
    pub users: Vec<Foreign>,
    pub saw_all: bool,
    /// Whether it was root who looked: then something hides the rest, as a container does.
    pub is_root: bool,
}

/// A process that read or wrote towards storage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Foreign {
    pub pid: u32,
    pub name: String,
    pub read_bytes: u64,
    pub written_bytes: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Disk {
    pub layer: Layer,
    pub firmware: Option<String>,
    pub partitions: Vec<Layer>,
    pub usb: Option<Usb>,
    pub pcie: Option<Pcie>,
    pub sata: Option<Sata>,
    pub card: Option<Card>,
    pub discard_max_bytes: Option<u64>,
    /// `queue/physical_block_size`.
    pub physical_block_bytes: Option<u64>,
    /// `queue/optimal_io_size`, 0 where the disk has none.
    pub optimal_io_bytes: Option<u64>,
    /// Its own word about its health, or why there is none; `None` where it has none.
    pub health: Option<Fact<Health>>,
}

/// A disk's USB connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usb {
    /// Speed agreed on, Mb/s.
    pub mbit: u32,
    /// `version`: the specification the device claims, as `2.10` or `3.20`.
    pub version: Option<String>,
    /// Driver: `uas` or `usb-storage`.
    pub driver: Option<String>,
    pub offers_uas: Option<bool>,
    /// `vendor:product`.
    pub id: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pcie {
    /// Speed in GT/s and lanes.
    pub now: (f64, u32),
    pub drive: Option<(f64, u32)>,
    pub slot: Option<(f64, u32)>,
}

/// A Serial ATA link, as the kernel writes speeds: `6.0 Gbps`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sata {
    pub now: String,
    /// What the kernel allows now; less than it began with after errors.
    pub limit: Option<String>,
    pub port: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Card {
    pub kind: String,
    pub manufacturer: Option<u64>,
    pub oem: Option<u64>,
    pub name: Option<String>,
    pub serial: Option<u64>,
    /// `date`: `MM/YYYY`.
    pub date: Option<String>,
    pub status: Option<SdStatus>,
    pub erase_bytes: Option<u64>,
    /// `cmdq_en`: commands are queued.
    pub queues: Option<bool>,
    pub mode: Option<Ios>,
}
