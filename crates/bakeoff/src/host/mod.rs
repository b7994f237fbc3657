//! The only place that reads /proc and /sys. It gathers; `core::sysinfo` reads the text and
//! `core::prepare` decides.

pub mod awake;
mod block;
#[cfg(test)]
mod captures_tests;
mod contents;
mod direct;
mod drive;
mod drive_health;
mod evidence;
mod feed;
mod fingerprint;
mod firmware;
mod fitness;
mod identity;
mod io_users;
mod kernel_log;
mod live;
#[cfg(test)]
mod loop_mounts_tests;
mod loops;
mod mounts;
mod opened;
mod place;
pub mod power;
mod process;
mod root;
mod servers;
mod settings;
mod sources;
mod support;
mod system;
mod trusted;
mod users;
mod view;
mod writers;

pub use contents::{contents_of, look_into, start_of};
pub use direct::{dirtied_per_page, supports_direct};
pub use drive::{Identity, dev_at, dev_of, device_written_bytes, granule_bytes, identity_of};
pub use drive_health::drive_health;
pub use evidence::{
    Evidence, Moment, Passed, available_bytes, disk_bytes, meminfo, written_and_flushed,
};
pub use fingerprint::fingerprint;
pub use fitness::{gather as fitness, glance};
pub use kernel_log::since_boot as storage_problems;
pub use live::{LiveDevices, LiveHost, monotonic_ns};
pub use loops::{
    attached_loops, inode_of, is_attached, is_mount_point, is_same_file, loops_of_file, used_as,
};
pub use mounts::{mounted_elsewhere, serves_fuse};
pub use opened::{Opened, open_device, open_directory, reopen};
pub use place::{place, system_disks};
pub use process::{boot_id, process_start_ticks};
pub use servers::{Server, servers};
pub use settings::{
    can_discard, cpufreq_policies, governors, has_mapper, have_udev_look, logical_block_bytes,
    setting, setting_or_error, systemd_runs, udev_runs, write_setting,
};
pub use sources::Sources;
pub use support::{
    dm_runs, has_driver, install_advice, likely_manager, manager, stack_support, support,
};
#[cfg(test)]
pub use trusted::set_acl;
pub use trusted::{
    acl_writers, check_directory, check_made, is_group_of, keeps_links, others_can_write,
};
pub use users::of_file as users_of_file;
pub use view::{device_at, filesystem_of, mount_namespace, sees_drives, sees_processes_of, view};
pub use writers::writers;

use std::time::{SystemTime, UNIX_EPOCH};

use bakeoff_machine::prepare::device::System;

/// Every block device and everything that can be seen using one.
///
/// # Errors
/// When the mount table or the list of swap cannot be read; then nothing may be called unused.
pub fn system() -> std::io::Result<System> {
    system::system(&root::Root::system())
}

/// Nanoseconds since 1970; before that it reads 0.
pub fn unix_ns() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_1970.as_nanos()).unwrap_or(i64::MAX)
}
