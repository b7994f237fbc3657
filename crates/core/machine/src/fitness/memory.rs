//! Swap, idle CPUs, and memory against the size of a test file.

use super::facts::Target;
use super::{Check, Facts, Status};
use crate::prepare::space;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

/// CPU use of a machine left alone: what is usual, and from where on it is not alone. Percent.
const IDLE_PERCENT: f64 = 5.0;
const BUSY_PERCENT: f64 = 50.0;
const NEEDED_BYTES: u64 = 64 << 20;

pub fn swap(facts: &Facts) -> Check {
    const ID: &str = "swap";
    let pages = facts.watched.as_ref().ok().and_then(|w| w.swapped_pages).unwrap_or(0);
    if pages > 0 {
        return Check::stop(ID, format!("the machine is swapping: {pages} pages while idle"))
            .advise(
                "close programs, or add memory; results from a drive that is also used for swap \
                 are not usable",
            );
    }
    let names: Vec<String> =
        facts.swaps.iter().filter(|s| s.on_target).map(|s| s.name.clone()).collect();
    if !names.is_empty() {
        let are = phrases::agreeing(&names, ["is", "are"]);
        return Check::warn(ID, format!("{are} on the drive to be measured")).advise(format!(
            "run: sudo swapoff {} (after the test: sudo swapon with the same names)",
            names.join(" ")
        ));
    }
    Check::pass(
        ID,
        match facts.swaps.as_slice() {
            [] => "none",
            swaps if swaps.iter().all(|s| s.in_memory) => "in memory (zram), quiet",
            _ => "on another drive, quiet",
        },
    )
}

pub const CPU_LOAD: &str = "CPU load";

pub fn cpu(facts: &Facts) -> Check {
    const ID: &str = CPU_LOAD;
    let watched = match &facts.watched {
        Ok(watched) => watched,
        Err(why) => return Check::unknown(ID, why),
    };
    let Some(percent) = watched.cpu_percent else {
        return Check::unknown(ID, "/proc/stat cannot be read");
    };
    let status = match percent {
        p if p >= BUSY_PERCENT => Status::Stop,
        p if p >= IDLE_PERCENT => Status::Warn,
        _ => Status::Pass,
    };
    let elapsed = units::duration(watched.elapsed_ns);
    let found = format!("{percent:.0} % busy in the last {elapsed}");
    Check::new(ID, status, found)
        .advise("stop running programs (see: top), or measure at night: `bakeoff run … --at 03:00`")
}

pub fn against_file(facts: &Facts) -> Check {
    const ID: &str = "memory";
    let memory = &facts.memory;
    let (Some(total_bytes), Some(available_bytes)) = (memory.total_bytes, memory.available_bytes)
    else {
        return Check::unknown(ID, "/proc/meminfo does not report the size of memory");
    };
    let available = format!("{} available", units::size(available_bytes));
    if available_bytes < NEEDED_BYTES {
        return Check::stop(ID, available)
            .advise("close programs; the measuring processes themselves need 64 MiB");
    }
    let Target::Place { place, .. } = &facts.target else {
        return Check::pass(ID, available);
    };
    let file_bytes =
        space::room_bytes(place.class, place.size_bytes, place.free_bytes, available_bytes);
    let ram = format!("{} of RAM", units::size(total_bytes));
    if file_bytes == 0 {
        return Check::unknown(ID, format!("{ram}; no space here for a test file"));
    }
    match file_bytes >= total_bytes.saturating_mul(2) {
        true => Check::pass(ID, format!("{ram}; files of twice that size fit here")),
        false => Check::warn(
            ID,
            format!(
                "{ram}, and a test file can be at most {} here: such a file may be read from \
                 memory",
                units::size(file_bytes)
            ),
        )
        .advise(
            "bakeoff drops its files from the page cache before each read and verifies this; with \
             dd, bonnie++ or iozone use direct I/O (oflag=direct, -D, -I) here",
        ),
    }
}
