//! What else is at work: programs, timers, arrays, the kernel.

use super::words::{Words, advised, plain};
use crate::fitness::busy::{BackgroundIo, Lazyinit, Maintenance, Source};
use crate::fitness::facts::Foreign;
use crate::fitness::health::KernelLog;
use crate::fitness::timers::Due;
use crate::phrases;
use crate::units;

/// `rsync (4711)`.
pub fn named(users: &[Foreign]) -> Vec<String> {
    users.iter().map(|user| format!("{} ({})", user.name, user.pid)).collect()
}

pub fn background_io(found: &BackgroundIo) -> Words {
    match found {
        BackgroundIo::NoCounters => plain("the kernel has no counters for it"),
        BackgroundIo::Idle { elapsed_ns } => {
            plain(format!("idle for {}", units::duration(*elapsed_ns)))
        }
        BackgroundIo::InUse {
            disk,
            util_percent,
            elapsed_ns,
            read_bytes_per_s,
            written_bytes_per_s,
            source,
        } => advised(
            format!(
                "in use {util_percent:.0} % of {}, reading {}, writing {}; {}",
                units::duration(*elapsed_ns),
                units::rate(*read_bytes_per_s),
                units::rate(*written_bytes_per_s),
                by_whom(source)
            ),
            format!("{}; check activity with `bakeoff watch {disk}`", wait_for(source)),
        ),
    }
}

fn by_whom(source: &Source) -> String {
    match source {
        Source::Processes(users) => {
            format!("processes doing I/O: {}", phrases::list(&named(users)))
        }
        Source::Kernel => "no process did I/O, so the kernel itself caused it".to_string(),
        Source::HiddenFromRoot => {
            "a container or sandbox hides some processes even from root: check on the host"
                .to_string()
        }
        Source::HiddenFromUser => "run as root to see which process".to_string(),
    }
}

fn wait_for(source: &Source) -> String {
    match source {
        Source::Processes(users) => format!(
            "wait for {}, or stop {}",
            phrases::list(&named(users)),
            if users.len() > 1 { "them" } else { "it" }
        ),
        Source::Kernel | Source::HiddenFromRoot | Source::HiddenFromUser => {
            "wait for the process, or stop it".to_string()
        }
    }
}

pub fn maintenance(found: &Maintenance) -> Words {
    match found {
        Maintenance::None => plain("no update, copy, trim or scrub is running"),
        Maintenance::Programs(names) => {
            advised(format!("running: {}", phrases::list(names)), "wait until it ends")
        }
        Maintenance::Array { name, work } => advised(
            format!("{name}: {work} under way"),
            format!(
                "wait until it ends (cat /proc/mdstat), or: echo idle | sudo tee \
                 /sys/block/{name}/md/sync_action"
            ),
        ),
    }
}

pub fn lazyinit(found: Lazyinit) -> Words {
    match found {
        Lazyinit::ThreadsHidden => plain("kernel threads are not visible from here"),
        Lazyinit::None => plain("no ext4 filesystem is being initialised"),
        Lazyinit::Running => advised(
            "a recently created ext4 filesystem is still initialising its inode tables",
            "wait until `pgrep ext4lazyinit` finds nothing, or format with \
             -E lazy_itable_init=0,lazy_journal_init=0",
        ),
    }
}

pub fn timers(due: &[Due]) -> Words {
    if due.is_empty() {
        return plain(
            "no systemd timer for a heavy task is due within 30 minutes (cron is not checked)",
        );
    }
    let due: Vec<String> = due
        .iter()
        .map(|timer| format!("{} in {}", timer.unit, units::duration(timer.left_ns)))
        .collect();
    advised(
        phrases::list(&due),
        "wait until it has finished, or stop it for now: sudo systemctl stop NAME.timer, and start \
         it afterwards",
    )
}

pub fn kernel_log(found: &KernelLog) -> Words {
    match &found.last {
        None => plain("no resets, timeouts or I/O errors"),
        Some(last) => advised(
            format!(
                "{} about storage problems since boot; last: {last}",
                phrases::count(found.lines as u64, "line")
            ),
            "check them with `sudo dmesg`; if they concern this drive, fix the cable, port or \
             power supply first",
        ),
    }
}
