//! `watch --writes`: who writes how much to a drive, summed up over days by name.
//!
//! A look has what each process has sent towards storage since it started (`/proc/PID/io`) and what
//! the drive has taken (`/proc/diskstats`). The kernel counts for a process in total, not for each
//! drive. When a process has ended and was waited for, all that it sent is added to its parent
//! (`wait_task_zombie` in kernel/exit.c), so what it was seen to send is taken off there.

use std::collections::BTreeMap;

use bakeoff_model::health::Health;
use serde::{Deserialize, Serialize};

/// Names that are kept apart; the rest is one sum, however long this goes on.
pub const NAMES: usize = 64;
const DAY_NS: f64 = 86_400e9;
pub const YEAR_DAYS: f64 = 365.25;

/// A process in a look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writing {
    pub pid: u32,
    pub parent: u32,
    pub start_ticks: u64,
    pub name: String,
    /// Its service or container; empty where it has none.
    pub group: String,
    /// Since it started.
    pub bytes: u64,
}

/// All processes and drives at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriterLook {
    pub monotonic_ns: u64,
    pub drive_bytes: u64,
    /// What all other drives together have taken.
    pub other_drives_bytes: u64,
    /// By pid, without threads of the kernel.
    pub processes: Vec<Writing>,
}

/// A name in the sum.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writer {
    pub name: String,
    pub group: String,
    pub bytes: u64,
}

/// What was written since a time. Its serialized form is the file that survives a restart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writers {
    /// Model, serial number and size, since names of devices change.
    pub drive: String,
    pub began_unix_ns: i64,
    /// Time in which somebody looked.
    pub watched_ns: u64,
    pub drive_bytes: u64,
    pub other_drives_bytes: u64,
    /// The most first after [`Writers::ranked`].
    pub named: Vec<Writer>,
    pub rest_bytes: u64,
}

impl Writers {
    pub fn new(drive: &str, began_unix_ns: i64) -> Writers {
        Writers { drive: drive.to_string(), began_unix_ns, ..Writers::default() }
    }

    /// Adds what happened from one look to the next.
    pub fn add(&mut self, before: &WriterLook, now: &WriterLook) {
        self.watched_ns += now.monotonic_ns.saturating_sub(before.monotonic_ns);
        // A counter that fell belongs to another drive, or wrapped: that interval is not known.
        self.drive_bytes += now.drive_bytes.saturating_sub(before.drive_bytes);
        self.other_drives_bytes += now.other_drives_bytes.saturating_sub(before.other_drives_bytes);
        for (process, bytes) in grown(before, now) {
            self.count(&process.name, &process.group, bytes);
        }
    }

    fn count(&mut self, name: &str, group: &str, bytes: u64) {
        let is_it = |one: &Writer| one.name == name && one.group == group;
        if let Some(known) = self.named.iter_mut().find(|one| is_it(one)) {
            known.bytes += bytes;
            return;
        }
        if self.named.len() >= NAMES {
            let least = (0..self.named.len()).min_by_key(|at| self.named[*at].bytes);
            self.rest_bytes += least.map_or(0, |at| self.named.swap_remove(at).bytes);
        }
        self.named.push(Writer { name: name.to_string(), group: group.to_string(), bytes });
    }

    /// The names, the most first, then by name.
    pub fn ranked(&self) -> Vec<&Writer> {
        let mut all: Vec<&Writer> = self.named.iter().filter(|one| one.bytes > 0).collect();
        all.sort_by_key(|one| (std::cmp::Reverse(one.bytes), &one.name, &one.group));
        all
    }

    pub fn processes_bytes(&self) -> u64 {
        self.named.iter().map(|one| one.bytes).sum::<u64>() + self.rest_bytes
    }

    /// What the drive took beyond what processes sent: journal and metadata of filesystems, and
    /// what they write again.
    pub fn beyond_bytes(&self) -> u64 {
        self.drive_bytes.saturating_sub(self.processes_bytes())
    }

    /// What shares are of: what the drive took, or what processes sent where that is more (it
    /// was overwritten in memory, or is on another drive).
    pub fn whole_bytes(&self) -> u64 {
        self.drive_bytes.max(self.processes_bytes())
    }

    /// `None` before any time has passed.
    pub fn bytes_per_day(&self) -> Option<f64> {
        (self.watched_ns > 0).then(|| self.drive_bytes as f64 * DAY_NS / self.watched_ns as f64)
    }
}

/// Who sent how much between two looks.
fn grown<'a>(before: &WriterLook, now: &'a WriterLook) -> Vec<(&'a Writing, u64)> {
    let then: BTreeMap<u32, &Writing> = before.processes.iter().map(|p| (p.pid, p)).collect();
    let alive: BTreeMap<u32, u64> = now.processes.iter().map(|p| (p.pid, p.start_ticks)).collect();
    let is_alive = |p: &Writing| alive.get(&p.pid) == Some(&p.start_ticks);
    // What each process has inherited of those that ended: its nearest ancestor that is alive has.
    let mut inherited: BTreeMap<u32, u64> = BTreeMap::new();
    for ended in before.processes.iter().filter(|p| !is_alive(p)) {
        let mut heir = ended.parent;
        // No chain of parents is longer than the list.
        for _ in 0..before.processes.len() {
            match then.get(&heir) {
                Some(parent) if !is_alive(parent) => heir = parent.parent,
                _ => break,
            }
        }
        *inherited.entry(heir).or_default() += ended.bytes;
    }
    let of = |p: &'a Writing| {
        let known = then.get(&p.pid).filter(|then| then.start_ticks == p.start_ticks);
        let bytes = p.bytes.saturating_sub(known.map_or(0, |then| then.bytes));
        (p, bytes.saturating_sub(inherited.get(&p.pid).copied().unwrap_or(0)))
    };
    now.processes.iter().map(of).filter(|(_, bytes)| *bytes > 0).collect()
}

/// What a life time is computed from.
/// How long a drive lasts at a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Life {
    pub total_bytes: f64,
    pub years: f64,
}

/// By the share of its life that the drive reports as used, and the bytes that used it; `None`
/// where nothing is written, or no wear is known. A drive that has used
/// less than 1 % of its life has no wear to compute from.
pub fn life(writers: &Writers, health: Option<&Health>) -> Option<Life> {
    let per_day = writers.bytes_per_day().filter(|rate| *rate > 0.0)?;
    let written = health.and_then(|health| health.written_bytes)? as f64;
    let used = health.and_then(|health| health.used_percent).filter(|percent| *percent > 0);
    let total_bytes = written * 100.0 / used? as f64;
    let left = (total_bytes - written).max(0.0);
    Some(Life { total_bytes, years: left / per_day / YEAR_DAYS })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, parent: u32, name: &str, bytes: u64) -> Writing {
        Writing { pid, parent, start_ticks: 7, name: name.into(), group: String::new(), bytes }
    }

    fn look(seconds: u64, drive_bytes: u64, processes: &[Writing]) -> WriterLook {
        let (monotonic_ns, processes) = (seconds * 1_000_000_000, processes.to_vec());
        WriterLook { monotonic_ns, drive_bytes, other_drives_bytes: 0, processes }
    }

    fn named(writers: &Writers) -> Vec<(&str, u64)> {
        writers.ranked().into_iter().map(|one| (one.name.as_str(), one.bytes)).collect()
    }

    #[test]
    fn growth_is_counted_by_name_and_the_rest_is_the_filesystem() {
        let before = look(0, 1000, &[process(1, 0, "init", 5), process(9, 1, "influxd", 100)]);
        let processes =
            [process(1, 0, "init", 5), process(9, 1, "influxd", 800), process(12, 1, "dd", 50)];
        let mut writers = Writers::new("card", 0);
        writers.add(&before, &look(43_200, 2000, &processes));
        assert_eq!(named(&writers), [("influxd", 700), ("dd", 50)]);
        assert_eq!((writers.drive_bytes, writers.beyond_bytes()), (1000, 250));
        assert_eq!(writers.bytes_per_day(), Some(2000.0));
    }

    #[test]
    fn what_a_child_wrote_is_not_counted_again_for_its_parent() {
        // The shell and its child end; init inherits all, with the last 30 bytes nobody saw.
        let before = look(
            0,
            0,
            &[process(1, 0, "init", 10), process(5, 1, "sh", 20), process(6, 5, "dd", 400)],
        );
        let mut writers = Writers::new("card", 0);
        writers.add(&look(0, 0, &[process(1, 0, "init", 10)]), &before);
        writers.add(&before, &look(1, 500, &[process(1, 0, "init", 10 + 20 + 400 + 30)]));
        assert_eq!(named(&writers), [("dd", 400), ("init", 30), ("sh", 20)]);
    }

    #[test]
    fn a_pid_that_comes_again_counts_from_nothing() {
        let again = Writing { start_ticks: 8, ..process(5, 1, "b", 30) };
        let mut writers = Writers::new("card", 0);
        writers.add(&look(0, 0, &[process(5, 1, "a", 1000)]), &look(1, 0, &[again]));
        assert_eq!(named(&writers), [("b", 30)]);
    }

    #[test]
    fn names_are_bounded_and_no_byte_is_lost() {
        let mut writers = Writers::new("card", 0);
        for n in 0..1000_u32 {
            let name = format!("p{n}");
            writers.add(
                &look(0, 0, &[]),
                &look(1, 0, &[process(n, 1, &name, 10), process(2000, 1, "much", 1 << 20)]),
            );
        }
        assert_eq!(writers.named.len(), NAMES);
        assert_eq!(writers.processes_bytes(), 1000 * (10 + (1 << 20)));
        assert_eq!(named(&writers)[0], ("much", 1000 << 20));
    }

    #[test]
    fn life_by_wear() {
        let day = Writers {
            watched_ns: 86_400_000_000_000,
            drive_bytes: 5_100_000_000,
            ..Writers::default()
        };
        let health = |used, written| Health {
            used_percent: Some(used),
            written_bytes: Some(written),
            ..Health::default()
        };
        let worn = life(&day, Some(&health(20, 10_000_000_000_000))).unwrap();
        assert_eq!(worn.total_bytes, 50e12);
        assert!((worn.years - 21.5).abs() < 0.05, "{worn:?}");
        assert_eq!(life(&day, Some(&health(0, 9))), None);
        assert_eq!(life(&day, None), None);
    }
}
