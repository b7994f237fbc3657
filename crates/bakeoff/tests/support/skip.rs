//! How a test says that it cannot run here: never by passing quietly.
//!
//! In a test file: `use crate::skip;`, and in a test, before anything else:
//! `if skip::lacks_root() || skip::lacks_command("mkfs.xfs") { return; }`. The note goes to stderr
//! and, because cargo hides what a passing test prints, to the file named by `BAKEOFF_SKIPS`, which
//! `cargo xtask test` counts and lists. In CI a skip for want of something that
//! scripts/install.sh installs fails the run.

// Each test file uses its part of this.
#![allow(dead_code, clippy::unwrap_used)]

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// Notes that the current test cannot run for want of `needs` (a command, a package, `root`, or
/// a kernel feature such as `kernel btrfs`), and why it needs it.
pub fn skip(needs: &str, reason: &str) {
    // With one thread for all tests, that thread is nobody's.
    let test = std::env::var("NEXTEST_TEST_NAME")
        .unwrap_or_else(|_| std::thread::current().name().unwrap_or("a test").to_string());
    eprintln!("SKIPPED: {test}: {reason} (needs {needs})");
    let Some(path) = std::env::var_os("BAKEOFF_SKIPS") else { return };
    let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
    // One write, so that lines of tests that run at the same time do not mix.
    file.write_all(format!("{test}\t{needs}\t{reason}\n").as_bytes()).unwrap();
}

/// Whether a command is missing; if so the test is noted as skipped.
pub fn lacks_command(command: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let system = ["/usr/local/sbin", "/usr/sbin", "/sbin"].map(Into::into);
    let is_there =
        std::env::split_paths(&path).chain(system).any(|folder| folder.join(command).exists());
    if !is_there {
        skip(command, &format!("there is no {command} here"));
    }
    !is_there
}

/// Whether this is not root; if so the test is noted as skipped.
pub fn lacks_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        skip("root", "it mounts and formats, which only root may");
    }
    !is_root
}

/// Whether the kernel cannot mount a filesystem, not even after loading its module; if so the test
/// is noted as skipped.
pub fn lacks_kernel_filesystem(name: &str) -> bool {
    // Loading fails where the driver is built in or absent; the list tells which.
    let _ = std::process::Command::new("modprobe").args(["--quiet", name]).status();
    let list = std::fs::read_to_string("/proc/filesystems").unwrap();
    let is_there = list.lines().any(|line| line.split_whitespace().next_back() == Some(name));
    if !is_there {
        skip(&format!("kernel {name}"), &format!("this kernel has no {name}"));
    }
    !is_there
}

/// Whether there is no loop device to be had, as in most containers; if so the test is noted as
/// skipped.
pub fn lacks_loop_devices() -> bool {
    let is_there = Path::new("/dev/loop-control").exists();
    if !is_there {
        skip("loop devices", "there is no /dev/loop-control here");
    }
    !is_there
}
