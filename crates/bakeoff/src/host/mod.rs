//! The only place that reads /proc and /sys. It gathers; `core::sysinfo` reads the text and
//! `core::prepare` decides.

mod block;
#[cfg(test)]
mod captures;
mod direct;
mod evidence;
mod fingerprint;
mod identity;
#[cfg(test)]
mod loop_mounts;
mod loops;
mod mounts;
mod place;
mod process;
mod root;
mod support;
mod system;
mod system_disks;
mod users;

pub use direct::{dirtied_per_page, supports_direct};
pub use evidence::{Evidence, available_bytes, disk_bytes, meminfo};
pub use fingerprint::fingerprint;
pub use loops::{is_mount_point, loops_backed_by};
pub use place::place;
pub use process::{boot_id, process_start_ticks};
pub use support::support;
pub use system_disks::system_disks;

use bakeoff_core::prepare::device::System;

/// Every block device and everything that can be seen using one.
///
/// # Errors
/// When the mount table or the list of swap cannot be read; then nothing may be called unused.
pub fn system() -> std::io::Result<System> {
    system::system(&root::Root::system())
}
