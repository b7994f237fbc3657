//! Which processes have a block device open.

use std::os::unix::fs::{FileTypeExt, MetadataExt};

use bakeoff_core::model::path::bytes_path;
use bakeoff_core::prepare::device::User;
use bakeoff_core::sysinfo::dev::Dev;
use rustix::fs::{major, minor};

use super::process::is_refused;
use super::root::{Root, pids};

/// Every open block device of every other process, and whether all processes could be looked at
/// (that takes root).
pub fn of_devices(root: &Root) -> (Vec<User>, bool) {
    let (mut users, mut saw_all) = (Vec::new(), true);
    for pid in pids(root) {
        if pid == std::process::id() {
            continue;
        }
        let dir = root.path(format!("proc/{pid}/fd"));
        let entries = match std::fs::read_dir(&dir) {
            Ok(entries) => entries,
            // Gone meanwhile is fine; not allowed to look is worth knowing.
            Err(error) => {
                saw_all &= !is_refused(root, pid, &error);
                continue;
            }
        };
        let mut devs: Vec<Dev> = entries
            .flatten()
            .filter(|entry| {
                std::fs::read_link(entry.path()).is_ok_and(|target| target.starts_with("/dev"))
            })
            .filter_map(|entry| std::fs::metadata(entry.path()).ok())
            .filter(|metadata| metadata.file_type().is_block_device())
            .map(|metadata| Dev::new(major(metadata.rdev()), minor(metadata.rdev())))
            .collect();
        devs.sort_unstable();
        devs.dedup();
        if devs.is_empty() {
            continue;
        }
        let comm = root.read(format!("proc/{pid}/comm")).unwrap_or_default();
        let name = bytes_path(comm.trim_ascii_end().to_vec());
        users.extend(devs.into_iter().map(|dev| User { dev, pid, name: name.clone() }));
    }
    (users, saw_all)
}
