//! Which processes read and write towards storage, from `/proc/PID/io`: all for root, the user's
//! own otherwise.

use bakeoff_core::fitness::facts::Foreign;
use bakeoff_core::model::path::printable;
use bakeoff_core::sysinfo::process_io::{self, ProcessIo};
use bakeoff_core::sysinfo::process_stat;

use super::process::is_refused;
use super::root::{Root, pids};

/// Most processes looked at.
const PROCESSES: usize = 1 << 16;
/// The parent of all kernel threads.
const KERNEL_THREADS: u32 = 2;

/// What each foreign process has moved since it started.
#[derive(Clone, Debug, Default)]
pub struct IoUsers {
    /// By process id.
    by_pid: Vec<(u32, ProcessIo)>,
    /// Whether none was refused.
    pub saw_all: bool,
}

impl IoUsers {
    /// Now.
    pub fn take(root: &Root) -> IoUsers {
        let mut found = IoUsers { by_pid: Vec::new(), saw_all: true };
        let mut pids = pids(root);
        pids.sort_unstable();
        for pid in pids.into_iter().take(PROCESSES) {
            match root.read(format!("proc/{pid}/io")) {
                Ok(bytes) => {
                    let io = process_io::parse(&String::from_utf8_lossy(&bytes));
                    let io = io.filter(|io| io.read_bytes > 0 || io.write_bytes > 0);
                    found.by_pid.extend(io.filter(|_| is_foreign(root, pid)).map(|io| (pid, io)));
                }
                Err(error) => {
                    found.saw_all &= !is_refused(root, pid, &error);
                }
            }
        }
        found
    }

    /// Bytes moved by all of them together.
    ///
    /// The whole sum is compared, not each process: what a process did is added to its parent when
    /// the parent waits for it, so the sum loses nothing when a process ends.
    pub fn bytes(&self) -> u64 {
        let of = |io: &ProcessIo| io.read_bytes.saturating_add(io.write_bytes);
        self.by_pid.iter().fold(0, |sum: u64, (_, io)| sum.saturating_add(of(io)))
    }

    /// Who moved anything since `before`, the most first.
    pub fn since(&self, before: &IoUsers, root: &Root) -> Vec<Foreign> {
        let mut users: Vec<Foreign> = Vec::new();
        for (pid, now) in &self.by_pid {
            let then = before.by_pid.binary_search_by_key(pid, |(pid, _)| *pid);
            let then = then.map(|at| before.by_pid[at].1).unwrap_or_default();
            // A process id that came again counts from nothing.
            let grown = |now: u64, then: u64| now.checked_sub(then).unwrap_or(now);
            let read_bytes = grown(now.read_bytes, then.read_bytes);
            let written_bytes = grown(now.write_bytes, then.write_bytes);
            if read_bytes > 0 || written_bytes > 0 {
                users.push(Foreign {
                    pid: *pid,
                    name: name(root, *pid),
                    read_bytes,
                    written_bytes,
                });
            }
        }
        users.sort_by_key(|user| {
            (std::cmp::Reverse(user.read_bytes.saturating_add(user.written_bytes)), user.pid)
        });
        users
    }
}

/// The name of a process, harmless; empty when it has ended.
fn name(root: &Root, pid: u32) -> String {
    let comm = root.read(format!("proc/{pid}/comm")).unwrap_or_default();
    printable(comm.trim_ascii_end())
}

/// Neither ours nor of the kernel (journal and write-back belong to whoever made the pages dirty),
/// nor a driver in user space of a mount of ours.
pub fn is_foreign(root: &Root, pid: u32) -> bool {
    let us = std::process::id();
    let status = root.read(format!("proc/{pid}/stat")).ok();
    let parent = status.and_then(|text| process_stat::parse(&text)).map(|stat| stat.parent);
    let cmdline = root.text(format!("proc/{pid}/cmdline")).unwrap_or_default();
    let is_ours = pid == us || parent == Some(us) || serves_our_mount(&cmdline);
    !is_ours && pid != KERNEL_THREADS && parent != Some(KERNEL_THREADS)
}

/// Whether a command line is that of a FUSE daemon of ours: it names a scratch directory, whose
/// name begins with `.bakeoff-`.
fn serves_our_mount(cmdline: &str) -> bool {
    let mut words = cmdline.split('\0');
    let program = words.next().unwrap_or_default();
    let is_driver = ["ntfs-3g", "fuse"].iter().any(|name| program.contains(name));
    is_driver && words.any(|word| word.contains("/.bakeoff-"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::root::tree;

    #[test]
    fn the_busiest_process_comes_first_under_a_harmless_name() {
        let io = |bytes: u32| format!("rchar: 0\nread_bytes: 0\nwrite_bytes: {bytes}\n");
        let stat = |pid: u32| format!("{pid} (x) S 1 0 0 0 0 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0\n");
        let at = |first: u32, second: u32| {
            let files = [
                ("proc/900/io", io(first)),
                ("proc/900/stat", stat(900)),
                ("proc/900/comm", "rsync\n".to_string()),
                ("proc/901/io", io(second)),
                ("proc/901/stat", stat(901)),
                ("proc/901/comm", "a\u{1b}b\n".to_string()),
                ("proc/self/io", io(9)),
            ];
            let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (*p, t.as_str())).collect();
            tree(&files)
        };
        let (_before_dir, before) = at(100, 100);
        let (_after_dir, after) = at(150, 4000);
        let users = IoUsers::take(&after).since(&IoUsers::take(&before), &after);
        let names: Vec<(&str, u64)> =
            users.iter().map(|u| (u.name.as_str(), u.written_bytes)).collect();
        assert_eq!(names, [("a\\x1bb", 3900), ("rsync", 50)]);
    }

    #[test]
    fn only_drivers_of_our_own_mounts_are_ours() {
        let ours = "/sbin/mount.ntfs-3g\0/dev/loop0\0/home/a/.bakeoff-01ab/mnt\0-o\0rw\0";
        assert!(serves_our_mount(ours));
        assert!(!serves_our_mount("/sbin/mount.ntfs-3g\0/dev/sdb1\0/mnt/usb\0"));
        assert!(!serves_our_mount("/bin/cp\0-r\0/home/a/.bakeoff-01ab\0"));
    }
}
