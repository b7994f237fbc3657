//! What a workload costs the flash: the bytes and flushes that reached the drive for what it wrote.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::verdict::Effect;

/// What one cell made reach the drive, from a synced filesystem to a synced one: the part in which
/// the drive settles, slices that do not count, journal, metadata and delayed writes included; the
/// layout of its files not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriveWrites {
    /// Bytes the workload handed to the kernel to write.
    pub asked_bytes: u64,
    /// Bytes written to the device of the candidate, as the kernel counts them
    /// (Documentation/admin-guide/iostats.rst).
    pub reached_bytes: u64,
    /// Flushes completed; `None` = the kernel does not count them there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub flushes: Option<u64>,
    /// Whether others may write to the same device: that of a directory.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub is_shared: bool,
}

/// Devices whose counters tell what work made reach the drive, as `major:minor`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WornDevices {
    /// The candidate's own: its region below encryption, or what a directory is mounted from.
    pub bytes: Vec<String>,
    /// The same where the kernel counts flushes there (neither of partitions nor of mappings), else
    /// the drives below.
    pub flushes: Vec<String>,
    pub is_shared: bool,
}

/// One candidate's bytes at the drive for each byte that its workloads wrote, over blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WearFigure {
    pub candidate: String,
    /// Geometric mean over blocks.
    pub bytes_per_byte: f64,
    pub min: f64,
    pub max: f64,
    /// Flushes for each MB (10^6 bytes) that was written; `None` where they are not counted.
    pub flushes_per_mb: Option<f64>,
    pub blocks: u32,
}

/// Candidates compared by what they cost the flash.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WearVerdict {
    /// The one that writes least first.
    pub figures: Vec<WearFigure>,
    /// Each other (`a`) against the first (`b`): how many times as much it writes.
    pub more: Vec<Effect>,
}

impl WearVerdict {
    /// How many times as much a candidate writes as the first, where that has an interval.
    pub fn more_of(&self, candidate: &str) -> Option<&Effect> {
        self.more.iter().find(|effect| effect.a == candidate)
    }

    /// Whether the first writes less than every other for certain.
    pub fn is_certain(&self) -> bool {
        self.figures.len() > 1
            && self.more.len() + 1 == self.figures.len()
            && self.more.iter().all(|effect| effect.low > 1.0)
    }
}

/// What an answer ranks candidates by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum RankedBy {
    #[default]
    Speed,
    Wear,
}
