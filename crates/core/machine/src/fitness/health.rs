//! What drives say about themselves, and what the kernel has said about them since boot.

use super::facts::Disk;
use super::{Check, Facts};
use bakeoff_stats::phrases;

pub fn of_disk(disk: &Disk) -> Check {
    const ID: &str = "health";
    let health = match &disk.health {
        Some(Ok(health)) => health,
        Some(Err(why)) => return Check::unknown(ID, why),
        None => return Check::unknown(ID, "cards and virtual disks do not report it"),
    };
    let complaints = health.complaints();
    let texts: Vec<&str> = complaints.iter().map(|complaint| complaint.text.as_str()).collect();
    match complaints.first() {
        None => Check::pass(ID, health.label()),
        Some(worst) if worst.is_failing => Check::stop(ID, texts.join("; "))
            .advise("back up its contents, and measure another drive"),
        Some(_) => Check::warn(ID, texts.join("; ")).advise(
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
    let found = format!(
        "{} about storage problems since boot; last: {}",
        phrases::count(lines.len() as u64, "line"),
        last.text
    );
    Check::warn(ID, found).advise(
        "check them with `sudo dmesg`; if they concern this drive, fix the cable, port or power \
         supply first",
    )
}
