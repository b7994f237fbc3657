//! What can hold a cell back, and how surely it is known.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    HeatOrPower,
    Foreign,
    PageCache,
    Cpu,
    SystemCalls,
    Bus,
    Device,
    /// One request at a time: the time each takes, not how many the drive could do.
    QueueDepth,
    /// Making data durable: fsync, journal, the drive's own cache being emptied.
    Flush,
    /// The kernel makes writers wait until dirty pages are written.
    Writeback,
    Position,
    Unattributed,
}

impl Cause {
    pub fn label(self) -> &'static str {
        match self {
            Cause::HeatOrPower => "heat or power",
            Cause::Foreign => "other processes on the drive",
            Cause::PageCache => "the page cache: memory was measured, not the drive",
            Cause::Cpu => "the CPU",
            Cause::SystemCalls => "system calls",
            Cause::Bus => "the link to the drive",
            Cause::Device => "the drive",
            Cause::QueueDepth => "each request waits for the one before it",
            Cause::Flush => "flushing",
            Cause::Writeback => "the kernel's limit on dirty pages (unwritten data)",
            Cause::Position => "the position on the drive",
            Cause::Unattributed => "no single bottleneck",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    Unattributed,
    Consistent,
    Proved,
}

impl Grade {
    pub fn label(self) -> &'static str {
        match self {
            Grade::Proved => "verified",
            Grade::Consistent => "consistent with the measurements",
            Grade::Unattributed => "unattributed",
        }
    }
}
