//! Who else uses the disks: programs, arrays being checked, a filesystem still being initialised.

use super::facts::{Disk, Foreign, Watched};
use super::{Check, Facts};
use crate::phrases;
use crate::units;

/// Share of the time with a request in flight: of an idle disk, and of one that is in use. Percent.
const IDLE_PERCENT: f64 = 1.0;
const BUSY_PERCENT: f64 = 20.0;
/// Processes named.
const NAMED: usize = 3;

/// Programs that read or write much while they run, by the name of their process (15 characters).
const HEAVY: [&str; 14] = [
    "apt",
    "apt-get",
    "aptitude",
    "unattended-upgr",
    "dpkg",
    "dnf",
    "rpm",
    "fstrim",
    "e2scrub",
    "updatedb",
    "rsync",
    "badblocks",
    "fsck.ext4",
    "f3write",
];

/// The check that a disk is idle.
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
    let span = units::duration(watched.elapsed_ns);
    if rates.util_percent < IDLE_PERCENT {
        return Check::pass(ID, format!("idle over {span}"));
    }
    let rate = |bytes_per_s: f64, what: &str| format!("{what} {}", units::rate(bytes_per_s));
    let found = format!(
        "in use {:.0} % of {span}, {}, {}{}",
        rates.util_percent,
        rate(rates.read.bytes_per_s, "reading"),
        rate(rates.write.bytes_per_s, "writing"),
        by_whom(watched)
    );
    let users = users(watched);
    let whom = if users.is_empty() { "the process".to_string() } else { phrases::list(&users) };
    let mend = format!(
        "wait for {whom}, or stop {}; check activity with `bakeoff watch {}`",
        if users.len() > 1 { "them" } else { "it" },
        disk.layer.name
    );
    match rates.util_percent {
        percent if percent >= BUSY_PERCENT => Check::stop(ID, found, mend),
        _ => Check::warn(ID, found, mend),
    }
}

/// ", most of it by rsync (4711)". Bytes of processes are not split by disk.
fn by_whom(watched: &Watched) -> String {
    let names = users(watched);
    match (names.is_empty(), watched.saw_all) {
        (false, _) => format!("; processes doing I/O: {}", phrases::list(&names)),
        (true, true) => "; no process did I/O, so the kernel itself caused it".to_string(),
        (true, false) if watched.is_root => {
            "; a container or sandbox hides some processes even from root: check on the host"
                .to_string()
        }
        (true, false) => "; run as root to see which process".to_string(),
    }
}

/// "rsync (4711)": processes that did I/O, the busiest first.
pub fn users(watched: &Watched) -> Vec<String> {
    let name = |user: &Foreign| format!("{} ({})", user.name, user.pid);
    watched.users.iter().take(NAMED).map(name).collect()
}

pub fn programs(facts: &Facts) -> Check {
    const ID: &str = "maintenance";
    if let Some((array, work)) = facts.arrays.first() {
        return Check::stop(
            ID,
            format!("{array}: {work} under way"),
            format!(
                "wait until it ends (cat /proc/mdstat), or: echo idle | sudo tee \
                     /sys/block/{array}/md/sync_action"
            ),
        );
    }
    let tasks = match &facts.tasks {
        Ok(tasks) => tasks,
        Err(why) => return Check::unknown(ID, why),
    };
    let mut running: Vec<String> =
        tasks.iter().filter(|name| HEAVY.contains(&name.as_str())).cloned().collect();
    running.sort();
    running.dedup();
    match running.is_empty() {
        true => Check::pass(ID, "no update, copy, trim or scrub is running"),
        false => {
            Check::warn(ID, format!("running: {}", phrases::list(&running)), "wait until it ends")
        }
    }
}

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
        false => Check::pass(ID, "no ext4 filesystem is being initialized"),
        true => Check::warn(
            ID,
            "a recently created ext4 filesystem is still initializing its inode tables",
            "wait until `pgrep ext4lazyinit` finds nothing, or format with \
             -E lazy_itable_init=0,lazy_journal_init=0",
        ),
    }
}
