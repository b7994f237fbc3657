//! `check`: is this machine and place fit to measure on, and what is it?
//!
//! Facts in, checks out; the shell's `host::fitness` gathers the facts. Each check passes, warns
//! (numbers may be off, and how) or stops (numbers would be wrong), with what to do. What cannot be
//! known is a check of its own that says why: it is never taken for a pass. Thresholds are from
//! methodology and practice, not from a standard, and each is named where it is used.

mod alignment;
mod busy;
mod cache;
mod card;
mod clock;
pub mod facts;
mod health;
mod link;
mod memory;
mod monitor;
mod place;
mod render;
mod timers;

#[cfg(test)]
mod tests;

use serde::Serialize;

pub use facts::{Fact, Facts};

/// How a check came out, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// As it should be.
    Pass,
    /// It could not be found out.
    Unknown,
    /// Numbers may be off.
    Warn,
    /// Numbers would be wrong.
    Stop,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What: `governor`, `link`, ….
    pub id: &'static str,
    /// The disk it is about; `None` for the machine and the place.
    pub subject: Option<String>,
    /// How it came out.
    pub status: Status,
    /// What was found, or why nothing could be.
    pub found: String,
    /// What to do.
    pub advice: Option<String>,
}

impl Check {
    fn new(id: &'static str, status: Status, found: impl Into<String>) -> Check {
        Check { id, subject: None, status, found: found.into(), advice: None }
    }

    fn pass(id: &'static str, found: impl Into<String>) -> Check {
        Check::new(id, Status::Pass, found)
    }

    fn unknown(id: &'static str, why: impl Into<String>) -> Check {
        Check::new(id, Status::Unknown, why)
    }

    fn warn(id: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Check {
        Check { advice: Some(advice.into()), ..Check::new(id, Status::Warn, found) }
    }

    fn stop(id: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Check {
        Check { advice: Some(advice.into()), ..Check::new(id, Status::Stop, found) }
    }

    fn of(self, disk: &facts::Disk) -> Check {
        Check { subject: Some(disk.layer.name.clone()), ..self }
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
        let why = "no disk is visible below it: memory, a network, a user-space driver, or a \
            container";
        all.push(Check::unknown("disk", why));
    }
    all.iter_mut().for_each(sanitize_texts);
    all
}

/// Names from the system may hold anything; what is shown may not.
fn sanitize_texts(check: &mut Check) {
    use crate::model::path::sanitize;
    check.found = sanitize(&check.found);
    check.subject = check.subject.as_deref().map(sanitize);
    check.advice = check.advice.as_deref().map(sanitize);
}

/// The worst of them; what is not known weighs nothing.
pub fn verdict(checks: &[Check]) -> Status {
    let told = checks.iter().map(|check| check.status).filter(|s| *s != Status::Unknown);
    told.max().unwrap_or(Status::Pass)
}

pub use monitor::{prometheus, service};
pub use render::{document, json};
