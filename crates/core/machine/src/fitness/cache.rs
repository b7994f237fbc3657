//! The drive's volatile cache, and whether it can be told which blocks are free.

use super::Check;
use super::facts::Disk;
use bakeoff_stats::units;

pub fn write_cache(disk: &Disk) -> Check {
    const ID: &str = "write cache";
    match (disk.layer.write_cache.as_deref(), disk.layer.bus.as_deref()) {
        (Some("write back"), _) => Check::pass(ID, "write back: the kernel flushes it on fsync"),
        // A bridge without a caching page is taken for one without a cache (drivers/scsi/sd.c).
        (Some("write through"), Some("usb")) => Check::warn(
            ID,
            "write through: the bridge reports no cache, so fsync sends no flush; it is fast, but \
             a power cut may still lose data",
        )
        .advise("compare flushed writes with other drives of the same kind only"),
        (Some("write through"), _) => {
            Check::pass(ID, "write through: no volatile cache, fsync needs no flush")
        }
        (Some(word), _) => Check::unknown(ID, format!("the kernel reports \"{word}\"")),
        (None, _) => Check::unknown(ID, "the kernel does not report it (queue/write_cache)"),
    }
}

pub fn trim(disk: &Disk) -> Check {
    const ID: &str = "TRIM";
    let is_flash = disk.layer.rotational == Some(false);
    match disk.discard_max_bytes {
        None => Check::unknown(ID, "the kernel does not report it (queue/discard_max_bytes)"),
        Some(0) if !is_flash => Check::pass(ID, "none, and a hard disk needs none"),
        Some(0) => Check::warn(
            ID,
            "none: the drive does not learn which blocks are free, and slows down as it fills",
        )
        .advise(match disk.layer.bus.as_deref() == Some("usb") {
            true => {
                "many bridges support it without reporting it: if the manufacturer states that \
                 TRIM works, write \"unmap\" to provisioning_mode of its scsi_disk"
            }
            false => {
                "compare drives only in the same state: overwrite the region first (flash_state)"
            }
        }),
        Some(bytes) => Check::pass(ID, format!("up to {} at a time", units::size(bytes))),
    }
}
