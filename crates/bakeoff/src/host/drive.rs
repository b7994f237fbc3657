//! One block device by its number or its file: what tells it from another of the same name, cheap
//! enough to be asked before every step, and what arrived at it.

use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use bakeoff_machine::sysinfo::block_stat;
use bakeoff_machine::sysinfo::dev::Dev;
use bakeoff_model::host::LayerKind;
use rustix::fs::{major, minor};

use super::block;
use super::root::Root;

pub fn dev(number: u64) -> Dev {
    Dev::new(major(number), minor(number))
}

/// The number of the block device that was looked at; `None` where it is something else.
pub fn dev_of(found: &Metadata) -> Option<Dev> {
    found.file_type().is_block_device().then(|| dev(found.rdev()))
}

pub fn dev_at(path: &Path) -> Option<Dev> {
    dev_of(&std::fs::metadata(path).ok()?)
}

/// What stays the same while a drive stays plugged in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    pub size_bytes: u64,
    /// Number of this attachment (`diskseq`, Linux 5.15 and later): never used twice in a boot.
    pub diskseq: Option<u64>,
    pub serial: Option<String>,
}

/// The identity of the device of that number; `None` when it is gone.
pub fn identity_of(dev: Dev) -> Option<Identity> {
    let root = Root::system();
    let dir = root.resolve(Path::new("sys/dev/block").join(dev.to_string()))?;
    let name = dir.file_name()?.to_str()?;
    let device = block::device(&root, name)?;
    let is_partition = device.layer.kind == LayerKind::Partition;
    let whole = if is_partition { dir.parent()?.to_path_buf() } else { dir.clone() };
    Some(Identity {
        size_bytes: device.layer.size_bytes,
        diskseq: root.number(whole.join("diskseq")),
        serial: device.layer.serial,
    })
}

/// The largest granule a drive wants writes aligned to: erase block of a card, optimal I/O size,
/// physical block. `name` is its kernel name.
pub fn granule_bytes(name: &str) -> u64 {
    let root = Root::system();
    let number = |file: &str| root.number::<u64>(format!("sys/block/{name}/{file}")).unwrap_or(0);
    let files =
        ["device/preferred_erase_size", "queue/optimal_io_size", "queue/physical_block_size"];
    files.into_iter().map(number).max().unwrap_or(0)
}

/// Bytes written to a block device since it is there; `None` for what is none.
pub fn device_written_bytes(path: &Path) -> Option<u64> {
    let real = std::fs::canonicalize(path).ok()?;
    let name = real.file_name()?;
    let stat = Root::system().text(Path::new("sys/class/block").join(name).join("stat"))?;
    block_stat::parse(&stat).map(|stat| stat.written_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_is_there_has_an_identity_and_one_that_is_not_has_none() {
        assert_eq!(identity_of(Dev::new(4095, 4095)), None);
        let system = crate::host::system().unwrap();
        for device in system.devices.iter().filter(|d| d.layer.kind == LayerKind::Disk) {
            let found = identity_of(device.dev).unwrap();
            assert_eq!(found.size_bytes, device.layer.size_bytes);
            assert_eq!(found.serial, device.layer.serial);
        }
    }
}
