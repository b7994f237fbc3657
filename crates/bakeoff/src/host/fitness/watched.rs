//! The machine left alone for a moment: CPUs, drives and who did I/O.

use std::time::{Duration, Instant};

use bakeoff_machine::fitness::Fact;
use bakeoff_machine::fitness::facts::{Disk, Watched};
use bakeoff_machine::sysinfo::block_stat::{self, BlockStat};
use bakeoff_machine::sysinfo::cpu_stat;
use bakeoff_machine::telemetry::rates;

use crate::host::io_users::IoUsers;
use crate::host::root::Root;
use crate::signals::Cancel;

const TICK: Duration = Duration::from_millis(100);

struct WatchedLook {
    at: Instant,
    cpu: Option<(u64, u64)>,
    disks: Vec<Option<BlockStat>>,
    users: IoUsers,
}

/// Watches for so long; Ctrl-C ends it early, and then nothing is told.
pub fn watch(root: &Root, disks: &[Disk], time: Duration, cancel: &Cancel) -> Fact<Watched> {
    let before = look(root, disks);
    while before.at.elapsed() < time {
        if cancel.is_set() {
            return Err("interrupted".to_string());
        }
        std::thread::sleep(TICK);
    }
    let after = look(root, disks);
    let elapsed_ns = after.at.duration_since(before.at).as_nanos();
    let elapsed_ns = u64::try_from(elapsed_ns).unwrap_or(u64::MAX);
    let cpu = after.cpu.zip(before.cpu).and_then(|((busy, all), (busy_then, all_then))| {
        let all = all.checked_sub(all_then).filter(|ticks| *ticks > 0)?;
        Some(busy.saturating_sub(busy_then) as f64 * 100.0 / all as f64)
    });
    let of_disk = |((disk, before), after): ((&Disk, &Option<BlockStat>), &Option<BlockStat>)| {
        let rates = rates::device(&(*before)?, &(*after)?, elapsed_ns)?;
        Some((disk.layer.name.clone(), rates))
    };
    Ok(Watched {
        elapsed_ns,
        cpu_percent: cpu,
        disks: disks.iter().zip(&before.disks).zip(&after.disks).filter_map(of_disk).collect(),
        users: after.users.since(&before.users, root),
    })
}

fn look(root: &Root, disks: &[Disk]) -> WatchedLook {
    let users = IoUsers::take(root, &[]);
    let at = Instant::now();
    let stat = |disk: &Disk| {
        block_stat::parse(&root.text(format!("sys/dev/block/{}/stat", disk.layer.dev))?)
    };
    WatchedLook {
        at,
        cpu: root.text("proc/stat").map(|text| ticks(&text)),
        disks: disks.iter().map(stat).collect(),
        users,
    }
}

fn ticks(text: &str) -> (u64, u64) {
    let (mut busy, mut all) = (0u64, 0u64);
    cpu_stat::cpus(text, |_, t| {
        let used = [t.user, t.system, t.interrupt, t.steal];
        let used = used.iter().fold(0, |sum: u64, n| sum.saturating_add(*n));
        busy = busy.saturating_add(used);
        all = all.saturating_add(used.saturating_add(t.idle));
    });
    (busy, all)
}
