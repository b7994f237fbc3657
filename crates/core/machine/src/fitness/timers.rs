//! What starts by itself while a test runs.

use super::{Check, Facts};
use bakeoff_stats::phrases;
use bakeoff_stats::units;

const AHEAD_NS: i64 = 30 * 60 * 1_000_000_000;

/// Timers of Debian, Ubuntu, Fedora and Raspberry Pi OS that read or write much. The rest (log
/// rotation, clean-up of /tmp) moves little.
const HEAVY: &str = "apt-daily apt-daily-upgrade anacron btrfs-balance btrfs-scrub \
    dnf-makecache e2scrub_all \
    fstrim man-db mdcheck_continue mdcheck_start mlocate-updatedb plocate-updatedb \
    raid-check snapper-timeline updatedb xfs_scrub_all";

pub fn check(facts: &Facts) -> Check {
    const ID: &str = "timers";
    let timers = match &facts.timers {
        Ok(timers) => timers,
        Err(why) => return Check::unknown(ID, why),
    };
    let is_heavy = |unit: &str| {
        let name = unit.strip_suffix(".timer").unwrap_or(unit);
        let name = name.split('@').next().unwrap_or(name);
        HEAVY.split(' ').any(|heavy| heavy == name)
    };
    // One that is overdue fires at any moment.
    let soon = timers.iter().filter(|t| t.next_unix_ns - facts.now_unix_ns <= AHEAD_NS);
    let due: Vec<String> = soon
        .filter(|t| is_heavy(&t.unit))
        .map(|t| {
            let left_ns = u64::try_from(t.next_unix_ns - facts.now_unix_ns).unwrap_or(0);
            format!("{} in {}", t.unit, units::duration(left_ns))
        })
        .collect();
    if due.is_empty() {
        return Check::pass(
            ID,
            "no systemd timer for a heavy task is due within 30 minutes (cron is not checked)",
        );
    }
    Check::warn(ID, phrases::list(&due)).advise(
        "wait until it has finished, or stop it for now: sudo systemctl stop NAME.timer, and start \
         it afterwards",
    )
}
