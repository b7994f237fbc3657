//! Settings of the kernel in /sys, mapper volumes and udev: what runs on devices change and ask.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use rustix::io::Errno;

use super::root::Root;
use crate::exec::find_program;

/// The text of a setting; `None` when there is none.
pub fn setting(path: &Path) -> Option<String> {
    Root::system().text(path).map(|text| text.trim().to_string())
}

/// The same, where not being able to look is no answer.
///
/// # Errors
/// Why it cannot be read.
pub fn setting_or_error(path: &Path) -> io::Result<Option<String>> {
    match Root::system().read(path) {
        Ok(text) => Ok(Some(String::from_utf8_lossy(&text).trim().to_string())),
        // ENODEV: its drive went while it was read.
        Err(error) if matches!(Errno::from_io_error(&error), Some(Errno::NOENT | Errno::NODEV)) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Writes a setting, which must exist.
///
/// # Errors
/// NotFound when there is no such setting, InvalidInput when the kernel does not know the value.
pub fn write_setting(path: &Path, value: &str) -> io::Result<()> {
    OpenOptions::new().write(true).truncate(true).open(path)?.write_all(value.as_bytes())
}

/// Names of the CPU frequency policies; empty where there is no cpufreq.
pub fn cpufreq_policies() -> Vec<String> {
    let names = Root::system().names("sys/devices/system/cpu/cpufreq");
    names.into_iter().filter(|name| name.starts_with("policy")).collect()
}

/// Whether there is a device mapper volume of this name.
///
/// # Errors
/// The drives cannot be listed, or one of them cannot be looked at.
pub fn has_mapper(name: &str) -> io::Result<bool> {
    for drive in std::fs::read_dir("/sys/block")? {
        let volume = setting_or_error(&drive?.path().join("dm/name"))?;
        if volume.as_deref() == Some(name) {
            return Ok(true);
        }
    }
    Ok(false)
}

pub fn logical_block_bytes(name: &str) -> Option<u32> {
    Root::system().number(format!("sys/block/{name}/queue/logical_block_size"))
}

/// Whether a drive of that kernel name can be told to forget bytes, where the kernel says so. A
/// loop device passes that on as the request to write zeroes (drivers/block/loop.c), which is
/// another ability of the drive below.
pub fn can_discard(name: &str, through_loop: bool) -> Option<bool> {
    let most = if through_loop { "write_zeroes_max_bytes" } else { "discard_max_bytes" };
    Root::system().number(format!("sys/block/{name}/queue/{most}")).map(|bytes: u64| bytes > 0)
}

pub fn udev_runs() -> bool {
    Path::new("/run/udev/control").exists() && find_program("udevadm".as_ref()).is_some()
}

/// Has udev look at a block device again, as `udevadm trigger` does. Where the device is gone there
/// is nothing to look at.
pub fn have_udev_look(name: &str) {
    let _ = write_setting(&Path::new("/sys/class/block").join(name).join("uevent"), "change");
}

/// Whether systemd runs the machine (sd_booted(3)).
pub fn systemd_runs() -> bool {
    Path::new("/run/systemd/system").is_dir()
}

/// The governors that a cpufreq policy offers: `policy0`.
pub fn governors(policy: &str) -> Vec<String> {
    let path = format!("sys/devices/system/cpu/cpufreq/{policy}/scaling_available_governors");
    let known = Root::system().text(path).unwrap_or_default();
    known.split_whitespace().map(str::to_string).collect()
}
