//! Swapping, and memory for the measuring processes.

use super::{Check, Facts};
use bakeoff_stats::units;

const NEEDED_BYTES: u64 = 64 << 20;

pub fn swapping(facts: &Facts) -> Check {
    const ID: &str = "swap";
    match facts.watched.as_ref().ok().and_then(|w| w.swapped_pages).unwrap_or(0) {
        0 => Check::pass(ID, "quiet"),
        pages => Check::stop(ID, format!("the machine is swapping: {pages} pages while idle")),
    }
}

pub fn available(facts: &Facts) -> Check {
    const ID: &str = "memory";
    let Some(bytes) = facts.memory.available_bytes else {
        return Check::unknown(ID, "/proc/meminfo does not report the size of memory");
    };
    let available = format!("{} available", units::size(bytes));
    if bytes < NEEDED_BYTES { Check::stop(ID, available) } else { Check::pass(ID, available) }
}
