//! What drives say about themselves, and what the kernel has said about them since boot.

use super::facts::Disk;
use super::{Check, Facts};
use crate::model::health::Health;
use crate::setup::manager::Manager;
use crate::sysinfo::smartctl::NoFigures;

/// What a drive reports about itself.
#[derive(Clone, Debug, PartialEq)]
pub enum SelfReport {
    /// Nothing, as cards and virtual disks.
    None,
    /// Nothing, though it might.
    Missing(NoHealth),
    /// This.
    Health(Box<Health>),
}

/// Why a drive that could have reported its health did not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoHealth {
    /// Only root may ask.
    NeedsRoot,
    /// smartctl is not installed; this machine installs it with that manager.
    NoSmartctl(Option<Manager>),
    /// smartctl could not be run, in the words of the error.
    NotRun {
        /// The error.
        error: String,
    },
    /// smartctl's output has no figure.
    NoFigures(NoFigures),
}

/// What the kernel logged about storage since boot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelLog {
    /// Lines about resets, timeouts and errors.
    pub lines: usize,
    /// The last of them, in the kernel's words.
    pub last: Option<String>,
}

/// The drive's own word.
pub fn of_disk(disk: &Disk) -> Check {
    const ID: &str = "health";
    let health = match &disk.health {
        Some(Ok(health)) => health,
        Some(Err(why)) => return Check::unknown(ID, SelfReport::Missing(why.clone())),
        None => return Check::unknown(ID, SelfReport::None),
    };
    let complaints = health.complaints();
    let found = SelfReport::Health(Box::new(health.clone()));
    match complaints.first() {
        None => Check::pass(ID, found),
        Some(worst) if worst.is_failing() => Check::stop(ID, found),
        Some(_) => Check::warn(ID, found),
    }
}

/// The kernel's log.
pub fn log(facts: &Facts) -> Check {
    const ID: &str = "kernel log";
    let lines = match &facts.log {
        Ok(lines) => lines,
        Err(why) => return Check::unknown(ID, why.clone()),
    };
    let last = lines.last().map(|line| line.text.clone());
    let found = KernelLog { lines: lines.len(), last };
    if lines.is_empty() { Check::pass(ID, found) } else { Check::warn(ID, found) }
}
