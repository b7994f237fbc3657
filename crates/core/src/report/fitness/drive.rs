//! The drive itself: cache, TRIM, alignment and health.

use super::words::{Words, advised, plain};
use crate::fitness::alignment::{Alignment, Granule};
use crate::fitness::cache::{Trim, WriteCache};
use crate::fitness::health::SelfReport;
use crate::phrases;
use crate::report::health;
use crate::units;

pub fn write_cache(found: &WriteCache) -> Words {
    match found {
        WriteCache::WriteBack => plain("write back: the kernel flushes it on fsync"),
        WriteCache::WriteThrough => plain("write through: no volatile cache, fsync needs no flush"),
        WriteCache::HiddenByBridge => advised(
            "write through: the bridge reports no cache, so fsync sends no flush; it is fast, but \
             a power cut may still lose data",
            "compare flushed writes with other drives of the same kind only",
        ),
        WriteCache::Other(word) => plain(format!("the kernel reports \"{word}\"")),
        WriteCache::NotReported => plain("the kernel does not report it (queue/write_cache)"),
    }
}

pub fn trim(found: Trim) -> Words {
    match found {
        Trim::NotReported => plain("the kernel does not report it (queue/discard_max_bytes)"),
        Trim::NotNeeded => plain("none, and a hard disk needs none"),
        Trim::None { is_usb } => advised(
            "none: the drive does not learn which blocks are free, and slows down as it fills",
            match is_usb {
                true => {
                    "many bridges support it without reporting it: if the manufacturer states that \
                     TRIM works, write \"unmap\" to provisioning_mode of its scsi_disk"
                }
                false => {
                    "compare drives only in the same state: overwrite the region first \
                     (flash_state)"
                }
            },
        ),
        Trim::UpTo { bytes } => plain(format!("up to {} at a time", units::size(bytes))),
    }
}

pub fn alignment(found: &Alignment) -> Words {
    match found {
        Alignment::NotReported => plain("the kernel does not report where partitions begin"),
        Alignment::Aligned { granule_bytes } => {
            plain(format!("partitions begin at multiples of {}", units::size(*granule_bytes)))
        }
        Alignment::SplitsBlocks { partitions, block_bytes } => advised(
            format!(
                "{} inside a block of {}, so each write may become two",
                phrases::agreeing(partitions, ["begins", "begin"]),
                units::size(*block_bytes)
            ),
            create_again(1 << 20),
        ),
        Alignment::Off { partitions, granule_bytes, granule } => advised(
            format!(
                "{} at an offset that is not a multiple of {}, {}",
                phrases::agreeing(partitions, ["begins", "begin"]),
                units::size(*granule_bytes),
                match granule {
                    Granule::AllocationUnit => "the card's allocation unit",
                    Granule::OptimalIo => "the drive's optimal I/O size",
                    Granule::Usual => "which fits every drive",
                }
            ),
            create_again(*granule_bytes),
        ),
    }
}

fn create_again(granule_bytes: u64) -> String {
    format!(
        "create the partition again at a multiple of {} (current partitioning tools do this); its \
         contents will be lost",
        units::size(granule_bytes)
    )
}

pub fn health(found: &SelfReport) -> Words {
    let told = match found {
        SelfReport::None => return plain("cards and virtual disks do not report it"),
        SelfReport::Missing(why) => return plain(health::missing(why)),
        SelfReport::Health(told) => told,
    };
    let complaints = health::complaints(told).join("; ");
    match told.complaints().first() {
        None => plain(health::label(told)),
        Some(worst) if worst.is_failing() => {
            advised(complaints, "back up its contents, and measure another drive")
        }
        Some(_) => advised(
            complaints,
            "check whether the numbers grow during a run (bakeoff records them before and after); \
             for damaged transfers try another cable",
        ),
    }
}
