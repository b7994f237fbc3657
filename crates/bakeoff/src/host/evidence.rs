//! What the machine did around a cell: bytes of the drives, of other processes, time asleep, swap.
//!
//! Cheap enough to take before and after every cell, and taken outside of the measured time.

use std::time::{Duration, Instant};

use bakeoff_machine::sysinfo::block_stat::{self, BlockStat};
use bakeoff_machine::sysinfo::meminfo::{self, Meminfo};
use bakeoff_machine::sysinfo::vmstat::{self, Vmstat};
use bakeoff_model::event::Truth;
use bakeoff_model::host::Counted;
use bakeoff_model::wear::WornDevices;
use rustix::time::{ClockId, clock_gettime};

use super::io_users::{IoUsers, NAMED};
use super::root::Root;
use super::servers::Server;

/// What drives have moved since they appeared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct DiskCounters {
    read_bytes: u64,
    written_bytes: u64,
    flushes: Option<u64>,
}

/// A moment and who was busy then; two of them say what happened between.
#[derive(Clone, Debug)]
pub struct Evidence {
    at: Instant,
    moment: Moment,
    users: IoUsers,
}

impl Evidence {
    pub fn take(counted: &Counted, servers: &[Server]) -> Evidence {
        Evidence {
            at: Instant::now(),
            moment: Moment::take(counted),
            users: IoUsers::take(&Root::system(), servers),
        }
    }

    /// Writes down what happened since `before`.
    pub fn since(&self, before: &Evidence, truth: &mut Truth) {
        let passed = self.moment.since(&before.moment);
        truth.device_read_bytes = passed.device_read_bytes.or(truth.device_read_bytes);
        truth.device_written_bytes = passed.device_written_bytes.or(truth.device_written_bytes);
        (truth.suspended_ns, truth.swapped_pages) = (passed.suspended_ns, passed.swapped_pages);
        truth.foreign_bytes = Some(self.users.bytes().saturating_sub(before.users.bytes()));
        let users = self.users.since(&before.users, &Root::system());
        truth.foreign_by =
            users.iter().take(NAMED).map(|user| format!("{} ({})", user.name, user.pid)).collect();
        let (ticks, by) = self.users.ran_since(&before.users, &Root::system());
        let between_s = self.at.duration_since(before.at).as_secs_f64().max(1e-9);
        let ticks_per_s = rustix::param::clock_ticks_per_second().max(1) as f64;
        truth.foreign_cpus = Some(ticks as f64 / ticks_per_s / between_s);
        truth.foreign_cpus_by = by;
    }
}

/// What is read around each slice: cheap enough to be taken every 50 ms.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    disks: Option<DiskCounters>,
    suspended: Duration,
    swapped_pages: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Bytes the devices read; `None` = no device can be named.
    pub device_read_bytes: Option<u64>,
    pub device_written_bytes: Option<u64>,
    pub device_flushes: Option<u64>,
    pub suspended_ns: u64,
    /// Pages swapped in and out; `None` = not known.
    pub swapped_pages: Option<u64>,
}

impl Moment {
    pub fn take(counted: &Counted) -> Moment {
        let memory = vmstat();
        Moment {
            disks: DiskCounters::of(counted),
            suspended: suspended(),
            swapped_pages: memory.pswpin.zip(memory.pswpout).map(|(i, o)| i.saturating_add(o)),
        }
    }

    /// What happened since `before`.
    pub fn since(&self, before: &Moment) -> Passed {
        let disks = self.disks.zip(before.disks);
        let moved = |of: fn(&DiskCounters) -> u64| {
            disks.map(|(now, then)| of(&now).saturating_sub(of(&then)))
        };
        let asleep = self.suspended.saturating_sub(before.suspended);
        let swapped = self.swapped_pages.zip(before.swapped_pages);
        Passed {
            device_read_bytes: moved(|disks| disks.read_bytes),
            device_written_bytes: moved(|disks| disks.written_bytes),
            device_flushes: disks
                .and_then(|(now, then)| Some(now.flushes?.saturating_sub(then.flushes?))),
            suspended_ns: u64::try_from(asleep.as_nanos()).unwrap_or(u64::MAX),
            swapped_pages: swapped.map(|(now, then)| now.saturating_sub(then)),
        }
    }
}

impl DiskCounters {
    fn of(counted: &Counted) -> Option<DiskCounters> {
        let read_bytes = sum(&counted.reads, |stat| Some(stat.read_bytes))?;
        let written_bytes = sum(&counted.writes, |stat| Some(stat.written_bytes))?;
        let flushes = sum(&counted.writes, |stat| stat.flushes);
        Some(DiskCounters { read_bytes, written_bytes, flushes })
    }
}

/// A counter of these devices, together; `None` when there are none or one cannot be read.
fn sum(devices: &[String], counter: fn(&BlockStat) -> Option<u64>) -> Option<u64> {
    let root = Root::system();
    let mut sum: Option<u64> = None;
    for dev in devices {
        let stat = block_stat::parse(&root.text(format!("sys/dev/block/{dev}/stat"))?)?;
        sum = Some(sum.unwrap_or(0).checked_add(counter(&stat)?)?);
    }
    sum
}

/// Bytes these drives have moved, read and written together.
pub fn disk_bytes(disks: &[String]) -> Option<u64> {
    let read_bytes = sum(disks, |stat| Some(stat.read_bytes))?;
    read_bytes.checked_add(sum(disks, |stat| Some(stat.written_bytes))?)
}

/// Bytes that were written to these devices and flushes that they completed, since they appeared.
pub fn written_and_flushed(devices: &WornDevices) -> Option<(u64, Option<u64>)> {
    let written_bytes = sum(&devices.bytes, |stat| Some(stat.written_bytes))?;
    Some((written_bytes, sum(&devices.flushes, |stat| stat.flushes)))
}

pub fn vmstat() -> Vmstat {
    vmstat::parse(&Root::system().text("proc/vmstat").unwrap_or_default())
}

pub fn meminfo() -> Meminfo {
    meminfo::parse(&Root::system().text("proc/meminfo").unwrap_or_default())
}

/// Memory that can be had without swapping; 0 where the kernel does not say.
pub fn available_bytes() -> u64 {
    meminfo().available_bytes.unwrap_or(0)
}

/// Time the machine has spent suspended since boot: the boot clock counts it, the monotonic does
/// not.
fn suspended() -> Duration {
    const READINGS: usize = 5;
    let read = |clock| {
        let now = clock_gettime(clock);
        let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
        Duration::new(seconds, u32::try_from(now.tv_nsec).unwrap_or(0))
    };
    // The boot clock is read first, so what comes between the two can only take away from their
    // difference, and the largest is nearest to the truth. Read last, milliseconds in which another
    // program had the CPU looked like a suspend.
    let differences = std::iter::repeat_with(|| {
        let since_boot = read(ClockId::Boottime);
        since_boot.saturating_sub(read(ClockId::Monotonic))
    });
    differences.take(READINGS).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skip;
    use bakeoff_machine::fitness::facts::Foreign;
    use std::io::Write;

    #[test]
    fn a_write_is_seen_on_the_disk_and_is_not_foreign() {
        let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let place = crate::host::place(here).unwrap();
        let disks = place.counted();
        if disks.reads.is_empty() {
            skip::skip("disk", "no drive is visible below the source directory");
            return;
        }
        let before = Evidence::take(&disks, &[]);
        let mut file = tempfile::tempfile_in(here).unwrap();
        file.write_all(&vec![1; 4 << 20]).unwrap();
        file.sync_all().unwrap();
        let mut truth = Truth::default();
        Evidence::take(&disks, &[]).since(&before, &mut truth);
        assert!(truth.device_written_bytes.unwrap() >= 4 << 20, "{truth:?}");
        assert_eq!(truth.suspended_ns, 0);
        assert_eq!(disk_bytes(&[]), None);
        assert_eq!(disk_bytes(&["999:999".to_string()]), None);
    }

    #[test]
    fn what_another_process_writes_is_foreign() {
        // A grandchild: neither we nor a child of ours. It waits for a word before it writes.
        let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let script = "echo; read go
            dd if=/dev/zero of=\"$0\" bs=1M count=8 conv=fsync 2>/dev/null; echo; read end";
        let mut setsid = std::process::Command::new("setsid")
            .args(["--fork", "sh", "-c", script])
            .arg(dir.path().join("file"))
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let (mut say, mut said) = (setsid.stdin.take().unwrap(), setsid.stdout.take().unwrap());
        let mut wait = || std::io::Read::read_exact(&mut said, &mut [0]).unwrap();
        setsid.wait().unwrap();
        wait();
        let before = IoUsers::take(&Root::system(), &[]);
        say.write_all(b"go\n").unwrap();
        wait();
        let after = IoUsers::take(&Root::system(), &[]);
        if crate::host::place(dir.path()).unwrap().disks().next().is_none() {
            skip::skip("disk", "no drive is visible below the source directory");
            return;
        }
        // Of all together it may be less: others end, and their parents ask how a moment later.
        let users = after.since(&before, &Root::system());
        let wrote = |user: &&Foreign| user.name == "sh" && user.written_bytes >= 8 << 20;
        assert!(users.iter().any(|user| wrote(&user)), "{users:?}");
        assert!(after.bytes() >= 8 << 20, "{}", after.bytes());
    }
}
