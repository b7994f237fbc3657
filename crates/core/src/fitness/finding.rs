//! What a check found: the finding of each check, in one type.

use super::alignment::Alignment;
use super::busy::{BackgroundIo, Lazyinit, Maintenance};
use super::cache::{Trim, WriteCache};
use super::card::CardFinding;
use super::clock::{Governor, Temperature, Throttling};
use super::facts::Missing;
use super::health::{KernelLog, SelfReport};
use super::link::{Link, Transport};
use super::memory::{CpuLoad, Memory, Swapping};
use super::place::{FreeSpace, InUse, Kind};
use super::timers::Due;

/// What a check found, or why it found nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// The fact is missing.
    Missing(Missing),
    /// No drive is visible below the target.
    NoDrive,
    /// What chooses the clock.
    Governor(Governor),
    /// Power and heat of a Raspberry Pi, as its firmware reports them.
    Throttling(Throttling),
    /// Temperature.
    Temperature(Temperature),
    /// Swap.
    Swap(Swapping),
    /// Use of the CPUs.
    CpuLoad(CpuLoad),
    /// Memory against the size of a test file.
    Memory(Memory),
    /// Timers of heavy tasks that are due soon; empty where none is.
    Timers(Vec<Due>),
    /// Programs and arrays at work.
    Maintenance(Maintenance),
    /// ext4 that is still being initialised.
    Lazyinit(Lazyinit),
    /// What the kernel logged about storage.
    KernelLog(KernelLog),
    /// Whether the device is in use.
    InUse(InUse),
    /// What the place is.
    Place(Kind),
    /// Free space.
    FreeSpace(FreeSpace),
    /// Use of a drive by others.
    BackgroundIo(BackgroundIo),
    /// Speed of the connection.
    Link(Link),
    /// One command at a time or many.
    Transport(Transport),
    /// The drive's volatile cache.
    WriteCache(WriteCache),
    /// Whether the drive learns which blocks are free.
    Trim(Trim),
    /// Where partitions begin.
    Alignment(Alignment),
    /// Who an SD card or eMMC is.
    Card(CardFinding),
    /// What a drive reports about itself.
    Health(SelfReport),
}

macro_rules! from {
    ($($kind:ident: $of:ty),* $(,)?) => {
        $(impl From<$of> for Finding {
            fn from(found: $of) -> Finding {
                Finding::$kind(found)
            }
        })*
    };
}

from!(
    Missing: Missing,
    Governor: Governor,
    Throttling: Throttling,
    Temperature: Temperature,
    Swap: Swapping,
    CpuLoad: CpuLoad,
    Memory: Memory,
    Timers: Vec<Due>,
    Maintenance: Maintenance,
    Lazyinit: Lazyinit,
    KernelLog: KernelLog,
    InUse: InUse,
    Place: Kind,
    FreeSpace: FreeSpace,
    BackgroundIo: BackgroundIo,
    Link: Link,
    Transport: Transport,
    WriteCache: WriteCache,
    Trim: Trim,
    Alignment: Alignment,
    Card: CardFinding,
    Health: SelfReport,
);
