//! What other processes do: bytes read and written towards storage, from `/proc/PID/io` (of all for
//! root, of the user's own otherwise), and CPU time, from `/proc/PID/stat` (of all for everybody).

use bakeoff_machine::fitness::facts::Foreign;
use bakeoff_machine::sysinfo::process_io::{self, ProcessIo};
use bakeoff_machine::sysinfo::process_stat;

use super::process;
use super::root::{Root, pids};
use super::servers::Server;

pub const NAMED: usize = 3;
const PROCESSES: usize = 1 << 16;
/// Where root mounts stacks: see `steps::own_place`.
const OWN_PLACES: [&str; 2] = ["/run/bakeoff/", "/var/lib/bakeoff/"];
/// The first process of the kernel's threads.
pub const KERNEL_THREADS: u32 = 2;

/// What each foreign process has moved and run since it started, by its number.
#[derive(Clone, Debug, Default)]
pub struct IoUsers(Vec<IoUser>);

#[derive(Clone, Copy, Debug, Default)]
struct IoUser {
    pid: u32,
    io: ProcessIo,
    ticks: u64,
}

impl IoUsers {
    pub fn take(root: &Root, servers: &[Server]) -> IoUsers {
        let mut pids = ordered_pids(root);
        pids.retain(|pid| servers.iter().all(|server| server.pid != *pid));
        let user = |pid: u32| {
            let ticks = foreign_ticks(root, pid)?;
            let io = root.text(format!("proc/{pid}/io")).and_then(|text| process_io::parse(&text));
            Some(IoUser { pid, io: io.unwrap_or_default(), ticks })
        };
        IoUsers(pids.into_iter().filter_map(user).collect())
    }

    /// Bytes moved by all of them together.
    ///
    /// The whole sum is compared, not each process: what a process did is added to its parent when
    /// the parent waits for it, so the sum loses nothing when a process ends.
    pub fn bytes(&self) -> u64 {
        let of = |user: &IoUser| user.io.read_bytes.saturating_add(user.io.write_bytes);
        self.0.iter().map(of).fold(0, u64::saturating_add)
    }

    /// What each has done since `before`. A process id that came again counts from nothing.
    fn grown(&self, before: &IoUsers) -> impl Iterator<Item = IoUser> {
        let grown = |now: u64, then: u64| now.checked_sub(then).unwrap_or(now);
        self.0.iter().map(move |now| {
            let then = before.0.binary_search_by_key(&now.pid, |user| user.pid);
            let then = then.map(|at| before.0[at]).unwrap_or_default();
            let io = ProcessIo {
                read_bytes: grown(now.io.read_bytes, then.io.read_bytes),
                write_bytes: grown(now.io.write_bytes, then.io.write_bytes),
            };
            IoUser { pid: now.pid, io, ticks: grown(now.ticks, then.ticks) }
        })
    }

    /// Clock ticks that all of them ran since `before`, and who did, the most first. Of the sum, as
    /// with [`IoUsers::bytes`]: what a child ran is its parent's when the parent has waited for it.
    pub fn ran_since(&self, before: &IoUsers, root: &Root) -> (u64, Vec<String>) {
        let sum = |of: &IoUsers| of.0.iter().map(|user| user.ticks).fold(0, u64::saturating_add);
        let mut busy: Vec<IoUser> = self.grown(before).filter(|user| user.ticks > 0).collect();
        busy.sort_by_key(|user| (std::cmp::Reverse(user.ticks), user.pid));
        let named = busy.iter().take(NAMED);
        let named = named.map(|user| format!("{} ({})", name(root, user.pid), user.pid));
        (sum(self).saturating_sub(sum(before)), named.collect())
    }

    /// Who moved anything since `before`, the most first.
    pub fn since(&self, before: &IoUsers, root: &Root) -> Vec<Foreign> {
        let moved = self.grown(before).filter(|u| u.io.read_bytes > 0 || u.io.write_bytes > 0);
        let mut users: Vec<Foreign> = moved
            .map(|user| Foreign {
                pid: user.pid,
                name: name(root, user.pid),
                read_bytes: user.io.read_bytes,
                written_bytes: user.io.write_bytes,
            })
            .collect();
        users.sort_by_key(|user| {
            (std::cmp::Reverse(user.read_bytes.saturating_add(user.written_bytes)), user.pid)
        });
        users
    }
}

/// The processes there are, by number.
pub fn ordered_pids(root: &Root) -> Vec<u32> {
    let mut pids = pids(root);
    pids.sort_unstable();
    pids.truncate(PROCESSES);
    pids
}

fn name(root: &Root, pid: u32) -> String {
    process::named(root, pid).name.to_string()
}

/// What a process has run, if it is neither ours nor of the kernel (journal and write-back belong
/// to whoever made the pages dirty), nor a driver in user space of a mount of ours.
fn foreign_ticks(root: &Root, pid: u32) -> Option<u64> {
    let us = std::process::id();
    let text = root.read(format!("proc/{pid}/stat")).ok()?;
    let stat = process_stat::parse(&text)?;
    let of_kernel = pid == KERNEL_THREADS || stat.parent == KERNEL_THREADS;
    if of_kernel || pid == us || stat.parent == us {
        return None;
    }
    let cmdline = root.text(format!("proc/{pid}/cmdline")).unwrap_or_default();
    (!serves_our_mount(&cmdline)).then_some(stat.cpu_ticks)
}

/// Whether a command line is that of a FUSE daemon of ours: it names a scratch directory, whose
/// name begins with `.bakeoff-`, or a mount point in the directory that only root can enter.
fn serves_our_mount(cmdline: &str) -> bool {
    let mut words = cmdline.split('\0');
    let program = words.next().unwrap_or_default();
    let is_driver = ["ntfs-3g", "fuse"].iter().any(|name| program.contains(name));
    let is_ours = |word: &str| {
        word.contains("/.bakeoff-") || OWN_PLACES.iter().any(|place| word.starts_with(place))
    };
    is_driver && words.any(is_ours)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::root::tree;

    #[test]
    fn the_busiest_process_comes_first_under_a_harmless_name() {
        let io = |bytes: u32| format!("rchar: 0\nread_bytes: 0\nwrite_bytes: {bytes}\n");
        let stat = |pid: u32, ran: u32| {
            format!("{pid} (x) S 1 0 0 0 0 0 0 0 0 0 {ran} 1 0 0 20 0 1 0 5 0 0\n")
        };
        let at = |first: u32, second: u32| {
            let files = [
                ("proc/900/io", io(first)),
                ("proc/900/stat", stat(900, first)),
                ("proc/900/comm", "rsync\n".to_string()),
                ("proc/901/io", io(second)),
                ("proc/901/stat", stat(901, 7)),
                ("proc/901/comm", "a\u{1b}b\n".to_string()),
                ("proc/self/io", io(9)),
            ];
            let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (*p, t.as_str())).collect();
            tree(&files)
        };
        let (_before_dir, before) = at(100, 100);
        let (_after_dir, after) = at(150, 4000);
        let (before, now) = (IoUsers::take(&before, &[]), IoUsers::take(&after, &[]));
        let users = now.since(&before, &after);
        let names: Vec<(&str, u64)> =
            users.iter().map(|u| (u.name.as_str(), u.written_bytes)).collect();
        assert_eq!(names, [("a\\x1bb", 3900), ("rsync", 50)]);
        assert_eq!(now.ran_since(&before, &after), (50, vec!["rsync (900)".to_string()]));
        let server = Server { pid: 901, name: "python3".to_string() };
        assert_eq!(IoUsers::take(&after, &[server]).bytes(), 150, "it is part of the drive");
    }

    #[test]
    fn only_drivers_of_our_own_mounts_are_ours() {
        let ours = "/sbin/mount.ntfs-3g\0/dev/loop0\0/home/a/.bakeoff-01ab/mnt\0-o\0rw\0";
        assert!(serves_our_mount(ours));
        assert!(!serves_our_mount("/sbin/mount.ntfs-3g\0/dev/sdb1\0/mnt/usb\0"));
        assert!(!serves_our_mount("/bin/cp\0-r\0/home/a/.bakeoff-01ab\0"));
    }
}
