//! Who else uses the drives.

use super::facts::{Disk, Watched};
use super::{Check, Facts, Status};
use bakeoff_stats::phrases;
use bakeoff_stats::units;

/// Share of the time with a request in flight: of an idle disk, and of one that is in use. Percent.
const IDLE_PERCENT: f64 = 1.0;
const BUSY_PERCENT: f64 = 20.0;
const NAMED: usize = 3;

pub fn disk(disk: &Disk, facts: &Facts) -> Check {
    const ID: &str = "background I/O";
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
    let users = phrases::list(&named(watched));
    let by_whom = if users.is_empty() { users } else { format!("; processes doing I/O: {users}") };
    let found = format!(
        "in use {:.0} % of {elapsed}, reading {}, writing {}{by_whom}",
        rates.util_percent,
        units::rate(rates.read.bytes_per_s),
        units::rate(rates.write.bytes_per_s),
    );
    let status = if rates.util_percent >= BUSY_PERCENT { Status::Stop } else { Status::Warn };
    Check::new(ID, status, found)
}

/// Processes that did I/O, the busiest first: `rsync (4711)`.
fn named(watched: &Watched) -> Vec<String> {
    let users = watched.users.iter().take(NAMED);
    users.map(|user| format!("{} ({})", user.name, user.pid)).collect()
}
