//! Who else uses the disks: programs, arrays being checked, a filesystem still being initialised.

use super::facts::{Disk, Watched};
use super::{Check, Facts, Status};
use bakeoff_stats::distinct;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

/// Share of the time with a request in flight: of an idle disk, and of one that is in use. Percent.
const IDLE_PERCENT: f64 = 1.0;
const BUSY_PERCENT: f64 = 20.0;
const NAMED: usize = 3;

/// Programs that read or write much while they run, by the name of their process (15 characters).
const HEAVY: &str = "apt apt-get aptitude unattended-upgr dpkg dnf rpm fstrim e2scrub updatedb \
    rsync \
    badblocks fsck.ext4 f3write";

pub const IN_USE: &str = "background I/O";

pub fn disk(disk: &Disk, facts: &Facts) -> Check {
    const ID: &str = IN_USE;
    let watched = match &facts.watched {
        Ok(watched) => watched,
        Err(why) => return Check::unknown(ID, why),
    };
    let Some((_, rates)) = watched.disks.iter().find(|(name, _)| *name == disk.layer.name) else {
        return Check::unknown(ID, "the kernel has no counters for it");
    };
    let elapsed = units::duration(watched.elapsed_ns);
    if rates.util_percent < IDLE_PERCENT {
        return Check::pass(ID, format!("idle for {elapsed}"));
    }
    let (by_whom, wait_for) = source(watched);
    let found = format!(
        "in use {:.0} % of {elapsed}, reading {}, writing {}; {by_whom}",
        rates.util_percent,
        units::rate(rates.read.bytes_per_s),
        units::rate(rates.write.bytes_per_s),
    );
    let status = if rates.util_percent >= BUSY_PERCENT { Status::Stop } else { Status::Warn };
    let name = &disk.layer.name;
    Check::new(ID, status, found)
        .advise(format!("{wait_for}; check activity with `bakeoff watch {name}`"))
}

/// Who did I/O, whose bytes are not split by drive, and what to wait for.
fn source(watched: &Watched) -> (String, String) {
    let users = named(watched);
    if !users.is_empty() {
        let (list, them) = (phrases::list(&users), if users.len() > 1 { "them" } else { "it" });
        let wait_for = format!("wait for {list}, or stop {them}");
        return (format!("processes doing I/O: {list}"), wait_for);
    }
    let by_whom = match (watched.saw_all, watched.is_root) {
        (true, _) => "no process did I/O, so the kernel itself caused it",
        (false, true) => {
            "a container or sandbox hides some processes even from root: check on the host"
        }
        (false, false) => "run as root to see which process",
    };
    (by_whom.to_string(), "wait for the process, or stop it".to_string())
}

/// Processes that did I/O, the busiest first: `rsync (4711)`.
pub fn named(watched: &Watched) -> Vec<String> {
    let users = watched.users.iter().take(NAMED);
    users.map(|user| format!("{} ({})", user.name, user.pid)).collect()
}

pub fn programs(facts: &Facts) -> Check {
    const ID: &str = "maintenance";
    if let Some((name, work)) = facts.arrays.first() {
        return Check::stop(ID, format!("{name}: {work} under way")).advise(format!(
            "wait until it ends (cat /proc/mdstat), or: echo idle | sudo tee \
             /sys/block/{name}/md/sync_action"
        ));
    }
    let tasks = match &facts.tasks {
        Ok(tasks) => tasks,
        Err(why) => return Check::unknown(ID, why),
    };
    let is_heavy = |name: &&String| HEAVY.split(' ').any(|heavy| heavy == name.as_str());
    let running = distinct::sorted(tasks.iter().filter(is_heavy).cloned());
    match running.is_empty() {
        true => Check::pass(ID, "no update, copy, trim or scrub is running"),
        false => Check::warn(ID, format!("running: {}", phrases::list(&running)))
            .advise("wait until it ends"),
    }
}

/// Whether an ext4 filesystem is still being initialised.
pub fn lazyinit(facts: &Facts) -> Check {
    const ID: &str = "lazyinit";
    let tasks = match &facts.tasks {
        Ok(tasks) => tasks,
        Err(why) => return Check::unknown(ID, why),
    };
    // A container shows no threads of the kernel, of which there always are some.
    if !tasks.iter().any(|name| name == "kthreadd") {
        return Check::unknown(ID, "kernel threads are not visible from here");
    }
    match tasks.iter().any(|name| name == "ext4lazyinit") {
        false => Check::pass(ID, "no ext4 filesystem is being initialised"),
        true => Check::warn(
            ID,
            "a recently created ext4 filesystem is still initialising its inode tables",
        )
        .advise(
            "wait until `pgrep ext4lazyinit` finds nothing, or format with \
             -E lazy_itable_init=0,lazy_journal_init=0",
        ),
    }
}
