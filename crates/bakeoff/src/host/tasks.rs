//! CPU time of the kernel's threads and drivers in user space that work for storage.
//!
//! Kernel workers change the queue they serve, so their time is added to what they serve when they
//! are looked at. All files stay open; new tasks are looked for once a second.

use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use bakeoff_machine::sysinfo::cpu_stat::TICKS_PER_S;
use bakeoff_machine::sysinfo::process_stat::{self, ProcessStat};
use bakeoff_machine::sysinfo::thread_time;
use bakeoff_model::telemetry::ThreadUse;
use rustix::fs::{Mode, OFlags, RawDir, openat};
use rustix::io::pread;

use super::root::Root;

/// Most tasks that are watched; boards have some fifty workers.
const TASKS: usize = 128;
const OTHERS: usize = 4096;
const ROLES: usize = 40;
const TICK_NS: u64 = 1_000_000_000 / TICKS_PER_S;
/// Room for one `/proc/PID/stat`.
const STAT_BYTES: usize = 1024;

struct KernelTask {
    pid: u32,
    stat: OwnedFd,
    ticks: u64,
}

pub struct Tasks {
    proc: File,
    entries: Vec<MaybeUninit<u8>>,
    tasks: Vec<KernelTask>,
    others: Vec<u32>,
    used: Vec<(&'static str, u64)>,
}

impl Tasks {
    /// Watches the tasks there are.
    ///
    /// # Errors
    /// When /proc cannot be opened.
    pub fn open(root: &Root) -> std::io::Result<Tasks> {
        let proc = File::open(root.path("proc"))?;
        let mut tasks = Tasks {
            proc,
            entries: vec![MaybeUninit::uninit(); 8 << 10],
            tasks: Vec::with_capacity(TASKS),
            others: Vec::with_capacity(OTHERS),
            used: Vec::with_capacity(ROLES),
        };
        tasks.begin();
        Ok(tasks)
    }

    pub fn begin(&mut self) {
        self.others.clear();
        self.find_new();
        self.look();
        self.used.clear();
    }

    pub fn find_new(&mut self) {
        if rustix::fs::seek(&self.proc, rustix::fs::SeekFrom::Start(0)).is_err() {
            return;
        }
        let mut dir = RawDir::new(&self.proc, &mut self.entries);
        while let Some(Ok(entry)) = dir.next() {
            let Some(pid) = entry.file_name().to_str().ok().and_then(|name| name.parse().ok())
            else {
                continue;
            };
            let is_known =
                self.tasks.iter().any(|t| t.pid == pid) || self.others.binary_search(&pid).is_ok();
            if is_known || self.tasks.len() == TASKS {
                continue;
            }
            match open(&self.proc, pid) {
                Some(task) => self.tasks.push(task),
                None if self.others.len() < OTHERS => {
                    let at = self.others.partition_point(|other| *other < pid);
                    self.others.insert(at, pid);
                }
                None => {}
            }
        }
    }

    pub fn look(&mut self) {
        let (tasks, used) = (&mut self.tasks, &mut self.used);
        tasks.retain_mut(|task| {
            let mut buffer = [0; STAT_BYTES];
            let Some(now) = stat(&task.stat, &mut buffer) else { return false };
            let grown = now.own_ticks.saturating_sub(task.ticks);
            task.ticks = now.own_ticks;
            let Some(role) = role(&now).filter(|_| grown > 0) else { return true };
            match used.iter().position(|(known, _)| *known == role) {
                Some(at) => used[at].1 += grown,
                None if used.len() < ROLES => used.push((role, grown)),
                None => {}
            }
            true
        });
    }

    /// What was used since the beginning, most first.
    pub fn used(&self) -> Vec<ThreadUse> {
        let of = |(role, ticks): &(&str, u64)| ThreadUse {
            name: role.to_string(),
            cpu_ns: ticks.saturating_mul(TICK_NS),
        };
        let mut used: Vec<ThreadUse> = self.used.iter().map(of).collect();
        used.sort_by(|a, b| b.cpu_ns.cmp(&a.cpu_ns).then_with(|| a.name.cmp(&b.name)));
        used
    }
}

fn open(proc: &File, pid: u32) -> Option<KernelTask> {
    let mut path = [0u8; 20];
    let path = stat_path(pid, &mut path)?;
    let stat_file = openat(proc, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut buffer = [0; STAT_BYTES];
    let now = stat(&stat_file, &mut buffer)?;
    role(&now)?;
    let ticks = now.own_ticks;
    Some(KernelTask { pid, stat: stat_file, ticks })
}

/// `PID/stat`, without allocating.
fn stat_path(pid: u32, buffer: &mut [u8; 20]) -> Option<&str> {
    use std::io::Write;
    let mut rest = &mut buffer[..];
    write!(rest, "{pid}/stat").ok()?;
    let left = rest.len();
    std::str::from_utf8(&buffer[..20 - left]).ok()
}

fn role(task: &ProcessStat) -> Option<&'static str> {
    std::str::from_utf8(task.name).ok().and_then(thread_time::role)
}

fn stat<'b>(file: &OwnedFd, buffer: &'b mut [u8]) -> Option<ProcessStat<'b>> {
    let n = pread(file, &mut *buffer, 0).ok()?;
    process_stat::parse(&buffer[..n])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_fits_whatever_the_pid() {
        assert_eq!(stat_path(7, &mut [0; 20]), Some("7/stat"));
        assert_eq!(stat_path(u32::MAX, &mut [0; 20]), Some("4294967295/stat"));
    }

    #[test]
    fn kernel_workers_of_this_machine_are_found_and_we_are_not() {
        let tasks = Tasks::open(&Root::system()).unwrap();
        if tasks.tasks.is_empty() {
            // A container shows no kernel threads.
            crate::skip::skip("kernel threads", "none can be seen in /proc here");
            return;
        }
        let us = std::process::id();
        assert!(tasks.others.contains(&us) && !tasks.tasks.iter().any(|t| t.pid == us));
    }
}
