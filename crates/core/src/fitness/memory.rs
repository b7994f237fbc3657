//! Swap, idle CPUs, and memory against the size of a test file.

use super::facts::Target;
use super::{Check, Facts};
use crate::phrases;
use crate::prepare::space;
use crate::units;

/// CPU use of a machine left alone: what is usual, and from where on it is not alone. Percent.
const IDLE_PERCENT: f64 = 5.0;
const BUSY_PERCENT: f64 = 50.0;
/// Less than this and the run itself has the kernel look for memory.
const NEEDED_BYTES: u64 = 64 << 20;

pub fn swap(facts: &Facts) -> Check {
    const ID: &str = "swap";
    let moved = facts.watched.as_ref().ok().and_then(|w| w.swapped_pages).unwrap_or(0);
    if moved > 0 {
        return Check::stop(
            ID,
            format!("the machine is swapping: {moved} pages while idle"),
            "close programs, or add memory; results from a disk that is also used for swap are not \
             usable",
        );
    }
    let on_target: Vec<String> =
        facts.swaps.iter().filter(|s| s.on_target).map(|s| s.name.clone()).collect();
    if !on_target.is_empty() {
        let names = phrases::list(&on_target);
        return Check::warn(
            ID,
            format!("{names} is on the disk to be measured"),
            format!(
                "run: sudo swapoff {} (after the test: sudo swapon with the same names)",
                on_target.join(" ")
            ),
        );
    }
    match facts.swaps.as_slice() {
        [] => Check::pass(ID, "none"),
        swaps if swaps.iter().all(|s| s.in_memory) => Check::pass(ID, "in memory (zram), quiet"),
        _ => Check::pass(ID, "on another disk, quiet"),
    }
}

pub fn cpu(facts: &Facts) -> Check {
    const ID: &str = "CPU load";
    let watched = match &facts.watched {
        Ok(watched) => watched,
        Err(why) => return Check::unknown(ID, why),
    };
    let Some(percent) = watched.cpu_percent else {
        return Check::unknown(ID, "/proc/stat cannot be read");
    };
    let words = format!("{percent:.0} % busy over {}", units::duration(watched.elapsed_ns));
    let mend = "stop running programs (see: top), or measure at night: `bakeoff run … --at 03:00`";
    match percent {
        p if p >= BUSY_PERCENT => Check::stop(ID, words, mend),
        p if p >= IDLE_PERCENT => Check::warn(ID, words, mend),
        _ => Check::pass(ID, words),
    }
}

pub fn against_file(facts: &Facts) -> Check {
    const ID: &str = "memory";
    let (Some(total), Some(available)) = (facts.memory.total_bytes, facts.memory.available_bytes)
    else {
        return Check::unknown(ID, "/proc/meminfo does not report the size of memory");
    };
    if available < NEEDED_BYTES {
        return Check::stop(
            ID,
            format!("{} available", units::size(available)),
            "close programs; the measuring processes themselves need 64 MiB",
        );
    }
    let Target::Place { place, .. } = &facts.target else {
        return Check::pass(ID, format!("{} available", units::size(available)));
    };
    // What dd and bonnie++ are told to do about the page cache, and why bakeoff need not.
    let room = space::room_bytes(place.class, place.size_bytes, place.free_bytes, available);
    let words = format!("{} of RAM", units::size(total));
    if room == 0 {
        return Check::unknown(ID, format!("{words}; no space here for a test file"));
    }
    match room >= total.saturating_mul(2) {
        true => Check::pass(ID, format!("{words}; files of twice that size fit here")),
        false => Check::warn(
            ID,
            format!(
                "{words}, and a test file can be at most {} here: such a file may be read from \
                 memory",
                units::size(room)
            ),
            "bakeoff drops its files from the page cache before each read and verifies this; with \
             dd, bonnie++ or iozone use direct I/O (oflag=direct, -D, -I) here",
        ),
    }
}
