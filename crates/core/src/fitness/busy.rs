//! Who else uses the disks: programs, arrays being checked, a filesystem still being initialised.

use super::facts::{Disk, Foreign, Watched};
use super::{Check, Facts};
use crate::distinct;

/// Share of the time with a request in flight: of an idle disk, and of one that is in use. Percent.
const IDLE_PERCENT: f64 = 1.0;
const BUSY_PERCENT: f64 = 20.0;
/// Processes named.
const NAMED: usize = 3;

/// Programs that read or write much while they run, by the name of their process (15 characters).
const HEAVY: [&str; 14] = [
    "apt",
    "apt-get",
    "aptitude",
    "unattended-upgr",
    "dpkg",
    "dnf",
    "rpm",
    "fstrim",
    "e2scrub",
    "updatedb",
    "rsync",
    "badblocks",
    "fsck.ext4",
    "f3write",
];

/// Use of a drive by others while nothing of ours ran.
#[derive(Clone, Debug, PartialEq)]
pub enum BackgroundIo {
    /// The kernel has no counters for the drive.
    NoCounters,
    /// Hardly a request.
    Idle {
        /// How long it was watched.
        elapsed_ns: u64,
    },
    /// Requests were in flight.
    InUse {
        /// The drive.
        disk: String,
        /// Share of the time with a request in flight, percent.
        util_percent: f64,
        /// How long it was watched.
        elapsed_ns: u64,
        /// Read per second.
        read_bytes_per_s: f64,
        /// Written per second.
        written_bytes_per_s: f64,
        /// Who did it.
        source: Source,
    },
}

/// Who did I/O. Bytes of processes are not split by drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// These processes, the busiest first.
    Processes(Vec<Foreign>),
    /// No process, so the kernel itself.
    Kernel,
    /// A container or sandbox hides some processes even from root.
    HiddenFromRoot,
    /// Without root not every process can be looked at.
    HiddenFromUser,
}

/// Programs and arrays at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Maintenance {
    /// None.
    None,
    /// Programs that read or write much.
    Programs(Vec<String>),
    /// An array is being checked or rebuilt.
    Array {
        /// Its name.
        name: String,
        /// What is done, in the kernel's word: `resync`.
        work: &'static str,
    },
}

/// ext4 writes its inode tables after mkfs, in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lazyinit {
    /// Threads of the kernel cannot be seen.
    ThreadsHidden,
    /// No ext4 is being initialised.
    None,
    /// One is.
    Running,
}

/// The check that a drive is idle.
pub const IN_USE: &str = "background I/O";

/// Whether others use the drive.
pub fn disk(disk: &Disk, facts: &Facts) -> Check {
    const ID: &str = IN_USE;
    let watched = match &facts.watched {
        Ok(watched) => watched,
        Err(why) => return Check::unknown(ID, why.clone()),
    };
    let Some((_, rates)) = watched.disks.iter().find(|(name, _)| *name == disk.layer.name) else {
        return Check::unknown(ID, BackgroundIo::NoCounters);
    };
    let elapsed_ns = watched.elapsed_ns;
    if rates.util_percent < IDLE_PERCENT {
        return Check::pass(ID, BackgroundIo::Idle { elapsed_ns });
    }
    let found = BackgroundIo::InUse {
        disk: disk.layer.name.clone(),
        util_percent: rates.util_percent,
        elapsed_ns,
        read_bytes_per_s: rates.read.bytes_per_s,
        written_bytes_per_s: rates.write.bytes_per_s,
        source: source(watched),
    };
    match rates.util_percent {
        percent if percent >= BUSY_PERCENT => Check::stop(ID, found),
        _ => Check::warn(ID, found),
    }
}

fn source(watched: &Watched) -> Source {
    match (users(watched), watched.saw_all) {
        (users, _) if !users.is_empty() => Source::Processes(users.to_vec()),
        (_, true) => Source::Kernel,
        (_, false) if watched.is_root => Source::HiddenFromRoot,
        (_, false) => Source::HiddenFromUser,
    }
}

/// Processes that did I/O, the busiest first, as many as are named.
pub fn users(watched: &Watched) -> &[Foreign] {
    &watched.users[..watched.users.len().min(NAMED)]
}

/// Whether maintenance is under way.
pub fn programs(facts: &Facts) -> Check {
    const ID: &str = "maintenance";
    if let Some((name, work)) = facts.arrays.first() {
        return Check::stop(ID, Maintenance::Array { name: name.clone(), work });
    }
    let tasks = match &facts.tasks {
        Ok(tasks) => tasks,
        Err(why) => return Check::unknown(ID, why.clone()),
    };
    let running =
        distinct::sorted(tasks.iter().filter(|name| HEAVY.contains(&name.as_str())).cloned());
    match running.is_empty() {
        true => Check::pass(ID, Maintenance::None),
        false => Check::warn(ID, Maintenance::Programs(running)),
    }
}

/// Whether an ext4 filesystem is still being initialised.
pub fn lazyinit(facts: &Facts) -> Check {
    const ID: &str = "lazyinit";
    let tasks = match &facts.tasks {
        Ok(tasks) => tasks,
        Err(why) => return Check::unknown(ID, why.clone()),
    };
    // A container shows no threads of the kernel, of which there always are some.
    if !tasks.iter().any(|name| name == "kthreadd") {
        return Check::unknown(ID, Lazyinit::ThreadsHidden);
    }
    match tasks.iter().any(|name| name == "ext4lazyinit") {
        false => Check::pass(ID, Lazyinit::None),
        true => Check::warn(ID, Lazyinit::Running),
    }
}
