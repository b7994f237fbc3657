//! Swap, idle CPUs, and memory against the size of a test file.

use super::facts::Target;
use super::{Check, Facts};
use crate::prepare::space;

/// CPU use of a machine left alone: what is usual, and from where on it is not alone. Percent.
const IDLE_PERCENT: f64 = 5.0;
const BUSY_PERCENT: f64 = 50.0;
/// Less than this and the run itself has the kernel look for memory.
const NEEDED_BYTES: u64 = 64 << 20;

/// Swap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Swapping {
    /// There is none.
    None,
    /// Pages were moved while the machine was idle.
    Active {
        /// How many.
        pages: u64,
    },
    /// It is on the drive that is to be measured.
    OnTarget {
        /// Devices and files.
        names: Vec<String>,
    },
    /// All of it is memory.
    InMemory,
    /// It is on another drive.
    Elsewhere,
}

/// Use of the CPUs of a machine left alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CpuLoad {
    /// /proc/stat cannot be read.
    NotReported,
    /// This much.
    Busy {
        /// Share of all CPUs, percent.
        percent: f64,
        /// How long it was watched.
        elapsed_ns: u64,
    },
}

/// Memory against the size of a test file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// The kernel does not report its size.
    NotReported,
    /// Less than a run needs.
    TooLittle {
        /// What is available.
        available_bytes: u64,
    },
    /// No test file is needed to judge it: a device is measured.
    Enough {
        /// What is available.
        available_bytes: u64,
    },
    /// No space for a test file.
    NoFile {
        /// All memory.
        total_bytes: u64,
    },
    /// A file of twice its size fits.
    FileExceeds {
        /// All memory.
        total_bytes: u64,
    },
    /// A file may be read from memory.
    FileFits {
        /// All memory.
        total_bytes: u64,
        /// Largest file.
        file_bytes: u64,
    },
}

/// Whether the machine swaps, and where.
pub fn swap(facts: &Facts) -> Check {
    const ID: &str = "swap";
    let pages = facts.watched.as_ref().ok().and_then(|w| w.swapped_pages).unwrap_or(0);
    if pages > 0 {
        return Check::stop(ID, Swapping::Active { pages });
    }
    let names: Vec<String> =
        facts.swaps.iter().filter(|s| s.on_target).map(|s| s.name.clone()).collect();
    if !names.is_empty() {
        return Check::warn(ID, Swapping::OnTarget { names });
    }
    Check::pass(
        ID,
        match facts.swaps.as_slice() {
            [] => Swapping::None,
            swaps if swaps.iter().all(|s| s.in_memory) => Swapping::InMemory,
            _ => Swapping::Elsewhere,
        },
    )
}

/// Whether the CPUs are idle.
pub fn cpu(facts: &Facts) -> Check {
    const ID: &str = "CPU load";
    let watched = match &facts.watched {
        Ok(watched) => watched,
        Err(why) => return Check::unknown(ID, why.clone()),
    };
    let Some(percent) = watched.cpu_percent else {
        return Check::unknown(ID, CpuLoad::NotReported);
    };
    let found = CpuLoad::Busy { percent, elapsed_ns: watched.elapsed_ns };
    match percent {
        p if p >= BUSY_PERCENT => Check::stop(ID, found),
        p if p >= IDLE_PERCENT => Check::warn(ID, found),
        _ => Check::pass(ID, found),
    }
}

/// Whether a test file could be read from memory.
pub fn against_file(facts: &Facts) -> Check {
    const ID: &str = "memory";
    let memory = &facts.memory;
    let (Some(total_bytes), Some(available_bytes)) = (memory.total_bytes, memory.available_bytes)
    else {
        return Check::unknown(ID, Memory::NotReported);
    };
    if available_bytes < NEEDED_BYTES {
        return Check::stop(ID, Memory::TooLittle { available_bytes });
    }
    let Target::Place { place, .. } = &facts.target else {
        return Check::pass(ID, Memory::Enough { available_bytes });
    };
    // What dd and bonnie++ are told to do about the page cache, and why bakeoff need not.
    let file_bytes =
        space::room_bytes(place.class, place.size_bytes, place.free_bytes, available_bytes);
    if file_bytes == 0 {
        return Check::unknown(ID, Memory::NoFile { total_bytes });
    }
    match file_bytes >= total_bytes.saturating_mul(2) {
        true => Check::pass(ID, Memory::FileExceeds { total_bytes }),
        false => Check::warn(ID, Memory::FileFits { total_bytes, file_bytes }),
    }
}
