//! What Linux says about itself: one file a source of /proc, /sys and the udev database, text in,
//! struct out.
//!
//! Nothing here opens a file; `host` in the shell does that. Every parser takes whatever bytes it
//! is given: unknown lines and fields are passed over, because kernels add them, and a line that
//! cannot be read is left out rather than guessed at. Source: `Documentation/filesystems/proc.rst`,
//! `Documentation/admin-guide/iostats.rst` and `Documentation/ABI` of the Linux kernel, proc(5).

pub mod acl;
pub mod block_stat;
pub mod board_id;
pub mod cgroup;
pub mod cpu_list;
pub mod cpu_stat;
pub mod cpuinfo;

pub mod dev;
pub mod escape;
pub mod fdinfo;
pub mod filesystems;
pub mod kmsg;
pub mod maps;
pub mod meminfo;
pub mod mmc_ios;
pub mod mountinfo;
pub mod os_release;
pub mod partx;
pub mod power;
pub mod pressure;
pub mod process_io;
pub mod process_stat;
pub mod scheduler;
pub mod sd_status;
pub mod smartctl;
pub mod swaps;
pub mod table_id;
pub mod udev;
pub mod usb_descriptors;
pub mod vmstat;
pub mod vpd;
pub mod wipefs;

/// Lines of the shape `name separator number [kB]`, the number in bytes where the unit is given.
fn numbers(text: &str) -> impl Iterator<Item = (&str, u64)> {
    text.lines().filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let name = words.next()?.trim_end_matches(':');
        let value: u64 = words.next()?.parse().ok()?;
        match words.next() {
            None => Some((name, value)),
            Some("kB") => Some((name, value.checked_mul(1024)?)),
            Some(_) => None,
        }
    })
}
