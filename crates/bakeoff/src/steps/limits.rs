//! Holds a run to its limits of time and bytes while something is under way that cannot know them:
//! a slice, a profile, mkfs. Before a block begins `core::decide` asks whether it fits; what takes
//! longer or writes more than expected ends here.
//!
//! The record knows what its cells did. It does not know what mkfs writes, what a profile writes
//! beside what it reports, or what a filesystem adds. What arrives at a target, which is ours
//! alone, the kernel counts. The larger number counts. A drive that is shared does not help, and
//! neither does `/proc/PID/io`: since filesystems have large folios, a write of 4 KiB counts there
//! as all of its folio, up to 2 MiB.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use bakeoff_judge::decide::cost;
use bakeoff_model::path::RawPath;
use bakeoff_model::run::Run;

use crate::host;
use crate::signals::{Cancel, Limit};

const PAUSE: Duration = Duration::from_millis(100);
/// Share of the time that putting everything back and the report get, and the most of it.
const ENDING_SHARE: u64 = 40;
const ENDING_MOST_NS: u64 = 5_000_000_000;

/// Bytes that a run has written since this process took it in hand, as the kernel counts them.
#[derive(Clone, Debug)]
pub struct Spent {
    before_bytes: u64,
    targets: Vec<(RawPath, u64)>,
    /// What slices wrote that the record does not have: tried, or to find their length.
    unrecorded_bytes: u64,
}

impl Spent {
    pub fn begin(run: &Run) -> Spent {
        let devices = run.header.regions().filter(|region| !region.is_image);
        let targets = devices.filter_map(|region| {
            let written = host::device_written_bytes(region.target.as_path())?;
            Some((region.target.clone(), written))
        });
        Spent {
            before_bytes: cost::written_bytes(run),
            targets: targets.collect(),
            unrecorded_bytes: 0,
        }
    }

    /// Bytes since then that arrived at targets; 0 where none is a device.
    pub fn own_bytes(&self) -> u64 {
        let arrived = |(path, then): &(RawPath, u64)| {
            host::device_written_bytes(path.as_path()).map_or(0, |now| now.saturating_sub(*then))
        };
        self.targets.iter().map(arrived).fold(0, u64::saturating_add)
    }

    pub fn of_run(&self, run: &Run) -> u64 {
        let recorded = cost::written_bytes(run).saturating_add(self.unrecorded_bytes);
        recorded.max(self.before_bytes.saturating_add(self.own_bytes()))
    }

    /// So many bytes were written that the record does not have.
    pub fn add_unrecorded(&mut self, bytes: u64) {
        self.unrecorded_bytes = self.unrecorded_bytes.saturating_add(bytes);
    }
}

#[derive(Debug)]
pub struct Watchdog {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

const PREPARING_NS: u64 = 60_000_000_000;

impl Watchdog {
    /// Watches from here on, at so much active time of the run; `None` where nothing is limited. A
    /// thread that cannot be started leaves the limits to the blocks.
    pub fn start(run: &Run, elapsed_ns: u64, spent: &Spent, cancel: &Cancel) -> Option<Watchdog> {
        let (time_ns, max_write_bytes) =
            (run.header.protocol.time_ns, run.header.protocol.max_write_bytes);
        if time_ns.is_none() && max_write_bytes.is_none() {
            return None;
        }
        // Preparing finds out how much time an answer needs, which is reported if it is too little.
        let least_ns = if run.rehearsal.is_none() { PREPARING_NS } else { 0 };
        let until = time_ns.map(|limit| {
            let measuring_ns = limit - (limit / ENDING_SHARE).min(ENDING_MOST_NS);
            let left_ns = measuring_ns.max(least_ns).saturating_sub(elapsed_ns);
            Instant::now() + Duration::from_nanos(left_ns)
        });
        let left_bytes = max_write_bytes.map(|limit| limit.saturating_sub(spent.of_run(run)));
        let is_over = Arc::new(AtomicBool::new(false));
        let (over, cancel) = (Arc::clone(&is_over), cancel.clone());
        let spent = Spent::begin(run);
        let watch = move || {
            while !over.load(Ordering::Relaxed) {
                if until.is_some_and(|until| Instant::now() >= until) {
                    return cancel.reach(Limit::Time);
                }
                if left_bytes.is_some_and(|left| spent.own_bytes() >= left) {
                    return cancel.reach(Limit::Bytes);
                }
                thread::park_timeout(PAUSE);
            }
        };
        let thread = thread::Builder::new().name("limits".to_string()).spawn(watch).ok();
        Some(Watchdog { is_over, thread })
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}
