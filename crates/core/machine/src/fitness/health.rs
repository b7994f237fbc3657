//! What drives say about their health.

use super::Check;
use super::facts::Disk;

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
