//! In what runs differ, and which part of that may differ where runs are compared.

use serde::{Serialize, Serializer};
use std::fmt;
use strum::{IntoStaticStr, VariantArray};

use crate::distinct;
use crate::phrases;

/// What may differ between runs that are compared, one thing at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Factor {
    /// The machine: board, CPU, memory, settings.
    Host,
    /// The drive with its link and the place on it.
    Device,
    /// The kernel.
    Kernel,
    /// Nothing but when it was measured.
    Time,
}

impl Factor {
    /// All, in the order help lists them.
    pub const ALL: &'static [Factor] = <Factor as VariantArray>::VARIANTS;

    /// The word of `--across`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// What places can differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Respect {
    /// Filesystem.
    Filesystem,
    /// Driver of the filesystem.
    Driver,
    /// Drive, memory or another machine.
    Device,
    /// Partition of one drive.
    Position,
    /// Negotiated link.
    Link,
    /// Encrypted or not.
    Encryption,
    /// Through a loop device or not.
    LoopDevice,
    /// Options of the mount.
    MountOptions,
}

impl Respect {
    /// In words.
    pub fn label(self) -> &'static str {
        match self {
            Respect::Filesystem => "filesystem",
            Respect::Driver => "driver",
            Respect::Device => "device",
            Respect::Position => "position on the drive",
            Respect::Link => "link",
            Respect::Encryption => "encryption",
            Respect::LoopDevice => "loop device",
            Respect::MountOptions => "mount options",
        }
    }
}

/// A recorded property of a run. Names that others chose are printable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    /// Host name.
    HostName,
    /// Model of the machine.
    Board,
    /// Model of the CPU.
    Cpu,
    /// How many CPUs.
    Cpus,
    /// Architecture.
    Architecture,
    /// Operating system.
    System,
    /// Whether the CPU has AES instructions.
    AesInstructions,
    /// Governors of the CPU clock.
    Governor,
    /// Clock source.
    ClockSource,
    /// Kernel.
    Kernel,
    /// What identifies the board.
    BoardId,
    /// Size of the memory.
    Memory,
    /// A setting of the kernel: `vm.dirty_ratio`.
    Setting(String),
    /// Vendor and model of the drive.
    Drive,
    /// Serial number of the drive.
    SerialNumber,
    /// Capacity of the drive.
    Capacity,
    /// Bus of the drive.
    Bus,
    /// Negotiated link of the drive.
    Link,
    /// Size of a logical sector.
    Sectors,
    /// Write cache of the drive.
    WriteCache,
    /// Scheduler of the drive.
    Scheduler,
    /// Read-ahead of the drive.
    ReadAhead,
    /// The token that allows the drive to be erased.
    EraseToken,
    /// Where on the drive its region and partitions begin.
    Position,
    /// What lies between drive and candidate in one of the places.
    Place {
        /// In which respect.
        respect: Respect,
        /// `region`, `region 2`, or the name of a directory.
        place: String,
    },
    /// Places, stacks on an image or stacks on a drive.
    Compared,
    /// Mode.
    Mode,
    /// Shortest time of a cell.
    ShortestCell,
    /// Longest time of a cell.
    LongestCell,
    /// Fewest operations of a cell.
    CellOperations,
    /// Size of the region.
    RegionSize,
    /// State into which a region is brought before each visit.
    FlashState,
    /// How far the regions were brought before the first block.
    Preconditioning,
    /// A key of the workload of that name.
    Workload {
        /// The workload.
        name: String,
        /// The key; empty for the whole.
        key: String,
    },
    /// A key of the candidate of that name.
    Candidate {
        /// The candidate.
        name: String,
        /// The key; empty for the whole.
        key: String,
    },
}

impl Property {
    /// The factor it belongs to; `None` = it may never differ.
    fn factor(&self) -> Option<Factor> {
        match self {
            Property::HostName
            | Property::Board
            | Property::Cpu
            | Property::Cpus
            | Property::Architecture
            | Property::System
            | Property::AesInstructions
            | Property::Governor
            | Property::ClockSource
            | Property::BoardId
            | Property::Memory
            | Property::Setting(_) => Some(Factor::Host),
            Property::Kernel => Some(Factor::Kernel),
            Property::Drive
            | Property::SerialNumber
            | Property::Capacity
            | Property::Bus
            | Property::Link
            | Property::Sectors
            | Property::WriteCache
            | Property::Scheduler
            | Property::ReadAhead
            | Property::EraseToken
            | Property::Position => Some(Factor::Device),
            Property::Place { .. }
            | Property::Compared
            | Property::Mode
            | Property::ShortestCell
            | Property::LongestCell
            | Property::CellOperations
            | Property::RegionSize
            | Property::FlashState
            | Property::Preconditioning
            | Property::Workload { .. }
            | Property::Candidate { .. } => None,
        }
    }

    /// Whether it identifies a board or a drive, and so explains nothing.
    pub fn is_identity(&self) -> bool {
        matches!(
            self,
            Property::HostName | Property::BoardId | Property::SerialNumber | Property::EraseToken
        )
    }
}

/// `kernel`, `memory`, `serial number`, ….
impl fmt::Display for Property {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Property::HostName => "host name",
            Property::Board => "board",
            Property::Cpu => "CPU",
            Property::Cpus => "CPUs",
            Property::Architecture => "architecture",
            Property::System => "system",
            Property::AesInstructions => "AES instructions",
            Property::Governor => "governor",
            Property::ClockSource => "clock source",
            Property::Kernel => "kernel",
            Property::BoardId => "board ID",
            Property::Memory => "memory",
            Property::Setting(name) => name,
            Property::Drive => "drive",
            Property::SerialNumber => "serial number",
            Property::Capacity => "capacity",
            Property::Bus => "bus",
            Property::Link => "link",
            Property::Sectors => "sectors",
            Property::WriteCache => "write cache",
            Property::Scheduler => "scheduler",
            Property::ReadAhead => "read-ahead",
            Property::EraseToken => "erase token",
            Property::Position => "position on the drive",
            Property::Place { respect, place } => {
                return write!(out, "{} of {place}", respect.label());
            }
            Property::Compared => "what is compared",
            Property::Mode => "mode",
            Property::ShortestCell => "shortest cell",
            Property::LongestCell => "longest cell",
            Property::CellOperations => "operations of a cell",
            Property::RegionSize => "size of the region",
            Property::FlashState => "state before each visit",
            Property::Preconditioning => "preconditioning",
            Property::Workload { name, key } if key.is_empty() => {
                return write!(out, "workload {name}");
            }
            Property::Workload { name, key } => return write!(out, "workload {name}: {key}"),
            Property::Candidate { name, key } if key.is_empty() => name,
            Property::Candidate { name, key } => return write!(out, "{name}: {key}"),
        })
    }
}

impl Serialize for Property {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// One thing that is not the same in all runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Which.
    pub what: Property,
    /// The factor it belongs to; `None` = it may never differ.
    pub factor: Option<Factor>,
    /// What it is in each run, in the order of the runs, printable and rounded as it is shown, so
    /// that what reads alike is no difference; empty where it is not known.
    pub values: Vec<String>,
}

impl Difference {
    /// A property with its values, one for each run.
    pub fn new(what: Property, values: Vec<String>) -> Difference {
        Difference { factor: what.factor(), what, values }
    }
}

/// With each value once: `kernel (6.6.1 and 6.12.1)`.
impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |value: &String| match value.is_empty() {
            true => "not recorded".to_string(),
            false => value.clone(),
        };
        let values = distinct::in_order(self.values.iter().map(shown));
        write!(out, "{} ({})", self.what, phrases::list(&values))
    }
}
