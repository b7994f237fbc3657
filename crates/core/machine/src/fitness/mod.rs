//! Is this machine and drive fit to measure on, and what limits the drive?
//!
//! Facts in, checks out; the shell's `host::fitness` gathers the facts. Each check passes, warns
//! (numbers may be off) or stops (numbers would be wrong). What cannot be known is a check of its
//! own: it is never taken for a pass. Thresholds are from methodology and practice, not from a
//! standard, and each is named where it is used.

pub mod busy;
pub mod card;
pub mod clock;
pub mod facts;
pub mod health;
pub mod link;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

use serde::Serialize;

use bakeoff_model::path::sanitize;

pub use facts::{Fact, Facts};

/// How a check came out, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Pass,
    Unknown,
    Warn,
    Stop,
}

/// One thing that was looked at. Its texts are harmless to print.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    pub id: &'static str,
    /// The drive it is about; `None` for the machine and the place.
    pub subject: Option<String>,
    pub status: Status,
    pub found: String,
    pub advice: Option<String>,
}

impl Check {
    fn new(id: &'static str, status: Status, found: impl Into<String>) -> Check {
        Check { id, subject: None, status, found: sanitize(&found.into()), advice: None }
    }

    fn pass(id: &'static str, found: impl Into<String>) -> Check {
        Check::new(id, Status::Pass, found)
    }

    fn unknown(id: &'static str, why: impl Into<String>) -> Check {
        Check::new(id, Status::Unknown, why)
    }

    fn warn(id: &'static str, found: impl Into<String>) -> Check {
        Check::new(id, Status::Warn, found)
    }

    fn stop(id: &'static str, found: impl Into<String>) -> Check {
        Check::new(id, Status::Stop, found)
    }

    fn advise(self, advice: impl Into<String>) -> Check {
        let advice = (self.status >= Status::Warn).then(|| sanitize(&advice.into()));
        Check { advice, ..self }
    }

    fn of(self, disk: &facts::Disk) -> Check {
        Check { subject: Some(sanitize(&disk.layer.name)), ..self }
    }
}

/// What would make results wrong: of the machine, of a place, and of its drives.
pub fn stops(facts: &Facts) -> Vec<Check> {
    let mut all = vec![clock::throttling(facts), clock::heat(facts)];
    for disk in &facts.disks {
        let of_disk = link::checks(disk, facts).into_iter().chain([busy::disk(disk, facts)]);
        all.extend(of_disk.map(|check| check.of(disk)));
    }
    all.retain(|check| check.status == Status::Stop);
    all
}

/// What one drive is: its link, what a card says of itself, its scheduler and health; and whether
/// the board slows down.
pub fn of_drive(disk: &facts::Disk, facts: &Facts) -> Vec<Check> {
    let mut all = link::checks(disk, facts);
    all.extend(disk.card.as_ref().map(|card| Check::pass("card", card::describe(card))));
    all.extend(disk.layer.scheduler.as_deref().map(|name| Check::pass("scheduler", name)));
    all.extend([health::of_disk(disk), clock::throttling(facts), clock::heat(facts)]);
    all
}

#[cfg(test)]
mod tests;
