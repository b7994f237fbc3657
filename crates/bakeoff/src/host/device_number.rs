//! The number of a block device, by its file.

use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use bakeoff_machine::sysinfo::dev::Dev;
use rustix::fs::{major, minor};

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
