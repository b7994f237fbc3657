//! Whether partitions begin where the drive likes writes to begin.

use super::Check;
use super::facts::Disk;

const MIB: u64 = 1 << 20;

/// Where partitions begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Alignment {
    /// The kernel does not report it.
    NotReported,
    /// At multiples of this many bytes.
    Aligned {
        /// The granule.
        granule_bytes: u64,
    },
    /// Some begin inside a block of the drive.
    SplitsBlocks {
        /// Their names.
        partitions: Vec<String>,
        /// Size of a block.
        block_bytes: u64,
    },
    /// Some begin at no multiple of what the drive prefers.
    Off {
        /// Their names.
        partitions: Vec<String>,
        /// The granule.
        granule_bytes: u64,
        /// What the granule is.
        granule: Granule,
    },
}

/// What partitions should begin at a multiple of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Granule {
    /// The allocation unit of a card.
    AllocationUnit,
    /// The size of requests that the drive reports as its best.
    OptimalIo,
    /// 1 MiB, which fits every drive.
    Usual,
}

/// Whether they begin where they should.
pub fn check(disk: &Disk) -> Option<Check> {
    const ID: &str = "alignment";
    if disk.partitions.is_empty() {
        return None;
    }
    if disk.partitions.iter().all(|part| part.start_bytes.is_none()) {
        return Some(Check::unknown(ID, Alignment::NotReported));
    }
    let physical = disk.physical_block_bytes.filter(|n| n.is_power_of_two()).unwrap_or(512);
    let starts = || disk.partitions.iter().filter_map(|p| Some((p, p.start_bytes?)));
    let off = |granule: u64| -> Vec<String> {
        starts()
            .filter(|(_, at)| !at.is_multiple_of(granule))
            .map(|(p, _)| p.name.clone())
            .collect()
    };
    let block_bytes = physical.max(4096);
    let partitions = off(block_bytes);
    if !partitions.is_empty() {
        return Some(Check::warn(ID, Alignment::SplitsBlocks { partitions, block_bytes }));
    }
    let (granule_bytes, granule) = preferred(disk);
    let partitions = off(granule_bytes);
    Some(match partitions.is_empty() {
        true => Check::pass(ID, Alignment::Aligned { granule_bytes }),
        false => Check::warn(ID, Alignment::Off { partitions, granule_bytes, granule }),
    })
}

/// What partitions should begin at a multiple of, and what that is.
fn preferred(disk: &Disk) -> (u64, Granule) {
    let erase = disk.card.as_ref().and_then(|card| card.erase_bytes).filter(|n| *n > MIB);
    // USB bridges tell transfer limits such as 65535 blocks there, which are no granule.
    let optimal = disk.optimal_io_bytes.filter(|n| *n > MIB && n.is_power_of_two());
    match (erase, optimal) {
        (Some(bytes), _) => (bytes, Granule::AllocationUnit),
        (None, Some(bytes)) => (bytes, Granule::OptimalIo),
        (None, None) => (MIB, Granule::Usual),
    }
}
