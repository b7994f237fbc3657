//! What checks are told: read from /proc and /sys and asked of smartctl, never guessed.

use crate::sysinfo::mmc_ios::Ios;
use crate::sysinfo::sd_status::SdStatus;
use crate::telemetry::rates::DeviceRates;
use bakeoff_model::health::Health;
use bakeoff_model::host::{Host, Layer};
use bakeoff_model::telemetry::LogLine;

/// A value, or why there is none.
pub type Fact<T> = Result<T, String>;

/// The machine, the place and its disks.
#[derive(Clone, Debug)]
pub struct Facts {
    pub host: Host,
    /// Bits of [`bakeoff_model::throttled`], and whether the source tells those since boot.
    pub throttled: Fact<(u32, bool)>,
    pub temperatures: Fact<Vec<(String, u64, Option<u64>)>>,
    pub watched: Fact<Watched>,
    /// LogProblem with storage in the kernel's log since boot.
    pub log: Fact<Vec<LogLine>>,
    /// Whether the machine has a USB port faster than 480 Mb/s.
    pub has_fast_usb: bool,
    pub disks: Vec<Disk>,
}

/// What the machine did while nothing of ours ran.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watched {
    pub elapsed_ns: u64,
    pub cpu_percent: Option<f64>,
    pub disks: Vec<(String, DeviceRates)>,
    /// Who read or wrote, the most first.
    pub users: Vec<Foreign>,
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
    pub usb: Option<Usb>,
    pub pcie: Option<Pcie>,
    pub sata: Option<Sata>,
    pub card: Option<Card>,
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
    /// `date`: `MM/YYYY`.
    pub date: Option<String>,
    pub status: Option<SdStatus>,
    pub erase_bytes: Option<u64>,
    /// `cmdq_en`: commands are queued.
    pub queues: Option<bool>,
    pub mode: Option<Ios>,
}
