//! `check`: is this machine and place fit to measure on, and what is it?
//!
//! Facts in, checks out; the shell's `host::fitness` gathers the facts. Each check passes, warns
//! (numbers may be off) or stops (numbers would be wrong). What cannot be known is a check of its
//! own: it is never taken for a pass. Thresholds are from methodology and practice, not from a
//! standard, and each is named where it is used. The page is in `fitness`.

pub mod alignment;
pub mod busy;
pub mod cache;
pub mod card;
pub mod clock;
pub mod facts;
pub mod health;
pub mod link;
pub mod memory;
pub mod place;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod timers;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod words_tests;

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

/// Everything that was looked at, in the order of the page: the machine, the place, its disks.
pub fn checks(facts: &Facts) -> Vec<Check> {
    let mut all = vec![clock::governor(facts), clock::throttling(facts), clock::heat(facts)];
    all.extend([memory::swap(facts), memory::cpu(facts), timers::check(facts)]);
    all.extend([busy::programs(facts), busy::lazyinit(facts), health::log(facts)]);
    all.extend(place::checks(facts));
    all.push(memory::against_file(facts));
    for disk in &facts.disks {
        let mut of_disk = vec![busy::disk(disk, facts)];
        of_disk.extend(link::checks(disk, facts));
        of_disk.extend([cache::write_cache(disk), cache::trim(disk)]);
        of_disk.extend(alignment::check(disk));
        of_disk.extend(card::check(disk));
        of_disk.push(health::of_disk(disk));
        all.extend(of_disk.into_iter().map(|check| check.of(disk)));
    }
    if facts.disks.is_empty() {
        all.push(Check::unknown(
            "disk",
            "no drive is visible below it: memory, a network, a user-space driver, or a container",
        ));
    }
    all
}

pub fn verdict(checks: &[Check]) -> Status {
    let told = checks.iter().map(|check| check.status).filter(|s| *s != Status::Unknown);
    told.max().unwrap_or(Status::Pass)
}
