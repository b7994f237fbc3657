//! The only place that reads /proc and /sys. It gathers; `core::sysinfo` reads the text and
//! `core::prepare` decides.

mod arrived;
pub mod awake;
mod block;
#[cfg(test)]
mod captures_tests;
mod contents;
mod device_number;
mod direct;
mod drive;
mod drive_health;
mod evidence;
mod feed;
mod files;
mod fingerprint;
mod firmware;
mod fitness;
mod gauges;
mod identity;
mod io_users;
mod kernel_log;
mod live;
#[cfg(test)]
mod loop_mounts_tests;
mod loop_under;
mod loops;
mod mounts;
mod opened;
mod place;
pub mod power;
mod process;
mod quota;
mod root;
mod servers;
mod settings;
mod sources;
mod stack_support;
mod support;
mod system;
mod system_disks;
mod tasks;
mod trusted;
mod users;
mod view;
mod wall_clock;

pub use arrived::device_written_bytes;
pub use contents::{contents_of, look_into, start_of};
pub use device_number::{dev_at, dev_of};
pub use direct::{dirtied_per_page, supports_direct};
pub use drive::{Identity, granule_bytes, identity_of};
pub use drive_health::drive_health;
pub use evidence::{Evidence, Moment, Passed, available_bytes, disk_bytes, meminfo};
pub use files::{is_same_file, loops_of_file, used_as};
pub use fingerprint::fingerprint;
pub use fitness::gather as fitness;
pub use live::{Devices, Live};
pub use loops::{attached_loops, inode_of, is_attached, is_mount_point};
pub use mounts::{mounted_elsewhere, serves_fuse};
pub use opened::{Opened, open_device, open_directory, reopen};
pub use place::place;
pub use process::{boot_id, process_start_ticks};
pub use servers::{Server, servers};
pub use settings::{
    can_discard, card_type, cpufreq_policies, governors, has_mapper, have_udev_look,
    logical_block_bytes, setting, setting_or_error, systemd_runs, udev_runs, write_setting,
};
pub use sources::Sources;
pub use stack_support::{dm_runs, stack_support};
pub use support::{has_driver, install_advice, likely_manager, manager, support};
pub use system_disks::system_disks;
#[cfg(test)]
pub use trusted::set_acl;
pub use trusted::{
    acl_writers, check_directory, check_made, is_group_of, keeps_links, others_can_write,
};
pub use users::of_file as users_of_file;
pub use view::{
    device_at, filesystem_of, mount_namespace, mount_table, sees_drives, sees_processes_of, view,
};
pub use wall_clock::{unix_ns, unix_s};

use bakeoff_machine::prepare::device::System;

/// The TCP sockets of this machine with their owners.
#[cfg(feature = "dashboard")]
pub const TCP_TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];

/// The hottest thermal zone now, thousandths of a degree; `None` where nothing tells one.
pub fn hottest_mc() -> Option<u64> {
    gauges::hottest_mc(&root::Root::system())
}

/// Every block device and everything that can be seen using one.
///
/// # Errors
/// When the mount table or the list of swap cannot be read; then nothing may be called unused.
pub fn system() -> std::io::Result<System> {
    system::system(&root::Root::system())
}
