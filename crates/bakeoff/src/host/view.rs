//! What this process sees of the machine, and whether another one saw the same: in a container
//! `/run`, `/proc` and `/sys` may be others, or empty.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use bakeoff_model::event::Namespaces;
use bakeoff_model::undo::On;
use rustix::fs::statfs;

/// `f_type` of sysfs and of what is only in memory: tmpfs and ramfs (include/uapi/linux/magic.h).
const SYSFS: u64 = 0x6265_6572;
const IN_MEMORY: [u64; 2] = [0x0102_1994, 0x8584_58f6];
/// The first PID namespace, which has every process (include/linux/proc_ns.h).
const FIRST_PID_NS: u64 = 0xefff_fffc;

/// What this process sees.
///
/// # Errors
/// What /proc says.
pub fn view() -> io::Result<Namespaces> {
    let dev = |path: &str| device_at(Path::new(path)).unwrap_or(0);
    Ok(Namespaces { run_dev: dev("/run"), var_lib_dev: dev("/var/lib"), pid_ns: pid_ns_now()? })
}

/// Whether every process of `pid_ns`, which another process was in, can be seen here.
pub fn sees_processes_of(pid_ns: Option<u64>) -> bool {
    pid_ns_now().is_ok_and(|now| now == FIRST_PID_NS || pid_ns.is_none_or(|other| other == now))
}

fn pid_ns_now() -> io::Result<u64> {
    Ok(std::fs::metadata("/proc/self/ns/pid")?.ino())
}

/// Device number of the filesystem that a path is on; `None` where there is nothing.
pub fn device_at(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().map(|found| found.dev())
}

/// Whether the kernel's own list of drives is where it belongs.
pub fn sees_drives() -> bool {
    ["/sys/block", "/sys/devices"].iter().all(|dir| magic(Path::new(dir)) == Some(SYSFS))
}

/// The filesystem a directory is on.
///
/// # Errors
/// The directory is not there.
pub fn filesystem_of(dir: &Path) -> io::Result<On> {
    let is_in_memory = magic(dir).is_some_and(|magic| IN_MEMORY.contains(&magic));
    Ok(On { dev: std::fs::metadata(dir)?.dev(), is_in_memory })
}

/// The mount namespace of a process.
///
/// # Errors
/// It ended, or may not be looked at.
pub fn mount_namespace(pid: u32) -> io::Result<File> {
    File::open(format!("/proc/{pid}/ns/mnt"))
}

fn magic(path: &Path) -> Option<u64> {
    // Sign-extended on 32 bits.
    statfs(path).ok().map(|found| found.f_type as u64 & 0xffff_ffff)
}
