//! The drive's volatile cache, and whether it can be told which blocks are free.

use super::Check;
use super::facts::Disk;

/// What the kernel knows of the volatile cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteCache {
    /// There is one, which fsync flushes.
    WriteBack,
    /// There is none.
    WriteThrough,
    /// A USB bridge reports none.
    HiddenByBridge,
    /// Something else, in the kernel's word.
    Other(String),
    /// Nothing.
    NotReported,
}

/// Whether the drive learns which blocks are free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trim {
    /// The kernel does not report it.
    NotReported,
    /// It does not, as hard disks do not need it.
    NotNeeded,
    /// It does not.
    None {
        /// Whether it is behind a USB bridge, many of which support it unreported.
        is_usb: bool,
    },
    /// It does.
    UpTo {
        /// Most at a time.
        bytes: u64,
    },
}

/// The write cache.
pub fn write_cache(disk: &Disk) -> Check {
    const ID: &str = "write cache";
    match (disk.layer.write_cache.as_deref(), disk.layer.bus.as_deref()) {
        (Some("write back"), _) => Check::pass(ID, WriteCache::WriteBack),
        // A bridge without a caching page is taken for one without a cache (drivers/scsi/sd.c).
        (Some("write through"), Some("usb")) => Check::warn(ID, WriteCache::HiddenByBridge),
        (Some("write through"), _) => Check::pass(ID, WriteCache::WriteThrough),
        (Some(other), _) => Check::unknown(ID, WriteCache::Other(other.to_string())),
        (None, _) => Check::unknown(ID, WriteCache::NotReported),
    }
}

/// TRIM, UNMAP, discard.
pub fn trim(disk: &Disk) -> Check {
    const ID: &str = "TRIM";
    let is_flash = disk.layer.rotational == Some(false);
    match disk.discard_max_bytes {
        None => Check::unknown(ID, Trim::NotReported),
        Some(0) if !is_flash => Check::pass(ID, Trim::NotNeeded),
        Some(0) => Check::warn(ID, Trim::None { is_usb: disk.layer.bus.as_deref() == Some("usb") }),
        Some(bytes) => Check::pass(ID, Trim::UpTo { bytes }),
    }
}
