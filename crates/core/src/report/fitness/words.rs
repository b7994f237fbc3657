//! What a check found, in words, and what to do about it.

use super::{busy, card, drive, link, machine, place};
use crate::fitness::{Check, Finding, Status};
use crate::model::path::sanitize;

/// What was found and, where something is wrong, what to do. Names from the system in it may hold
/// anything.
pub struct Words {
    found: String,
    advice: Option<String>,
}

/// A finding that asks for nothing.
pub fn plain(found: impl Into<String>) -> Words {
    Words { found: found.into(), advice: None }
}

/// A finding and what to do about it.
pub fn advised(found: impl Into<String>, advice: impl Into<String>) -> Words {
    Words { found: found.into(), advice: Some(advice.into()) }
}

/// What was found, or why nothing could be; harmless to print.
pub fn found(check: &Check) -> String {
    sanitize(&words(&check.finding).found)
}

/// What to do; `None` where nothing is wrong. Harmless to print.
pub fn advice(check: &Check) -> Option<String> {
    let advice = words(&check.finding).advice.filter(|_| check.status >= Status::Warn);
    advice.as_deref().map(sanitize)
}

fn words(finding: &Finding) -> Words {
    match finding {
        Finding::Missing(why) => plain(machine::missing(why)),
        Finding::NoDrive => plain(
            "no drive is visible below it: memory, a network, a user-space driver, or a container",
        ),
        Finding::Governor(found) => machine::governor(found),
        Finding::Throttling(found) => machine::throttling(*found),
        Finding::Temperature(found) => machine::temperature(found),
        Finding::Swap(found) => machine::swap(found),
        Finding::CpuLoad(found) => machine::cpu_load(*found),
        Finding::Memory(found) => machine::memory(*found),
        Finding::Timers(due) => busy::timers(due),
        Finding::Maintenance(found) => busy::maintenance(found),
        Finding::Lazyinit(found) => busy::lazyinit(*found),
        Finding::KernelLog(found) => busy::kernel_log(found),
        Finding::InUse(found) => place::in_use(found),
        Finding::Place(found) => place::kind(found),
        Finding::FreeSpace(found) => place::free_space(found),
        Finding::BackgroundIo(found) => busy::background_io(found),
        Finding::Link(found) => link::link(found),
        Finding::Transport(found) => link::transport(found),
        Finding::WriteCache(found) => drive::write_cache(found),
        Finding::Trim(found) => drive::trim(*found),
        Finding::Alignment(found) => drive::alignment(found),
        Finding::Card(found) => card::words(found),
        Finding::Health(found) => drive::health(found),
    }
}
