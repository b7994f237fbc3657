//! What drives say about themselves, and what the kernel has said about them since boot.

use super::facts::Disk;
use super::{Check, Facts};

pub fn of_disk(disk: &Disk) -> Check {
    const ID: &str = "health";
    let health = match &disk.health {
        Some(Ok(health)) => health,
        Some(Err(why)) => return Check::unknown(ID, why),
        None => return Check::unknown(ID, "cards and virtual disks do not report it"),
    };
    let (complaints, is_failing) = health.complaints();
    let found = complaints.join("; ");
    match (complaints.is_empty(), is_failing) {
        (true, _) => Check::pass(ID, health.label()),
        (false, true) => Check::stop(ID, found, "back up its contents, and measure another drive"),
        (false, false) => Check::warn(
            ID,
            found,
            "check whether the numbers grow during a run (bakeoff records them before and after); \
             for damaged transfers try another cable",
        ),
    }
}

pub fn log(facts: &Facts) -> Check {
    const ID: &str = "kernel log";
    let lines = match &facts.log {
        Ok(lines) => lines,
        Err(why) => return Check::unknown(ID, why),
    };
    let Some(last) = lines.last() else {
        return Check::pass(ID, "no resets, timeouts or I/O errors");
    };
    let count = lines.len();
    let lines_word = if count == 1 { "line" } else { "lines" };
    Check::warn(
        ID,
        format!("{count} {lines_word} about storage problems since boot; last: {}", last.text),
        "check them with `sudo dmesg`; if they concern this disk, fix the cable, port or power \
         supply first",
    )
}
