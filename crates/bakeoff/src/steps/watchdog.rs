//! Holds a run to its limits of time and bytes while something is under way that cannot know them:
//! a slice, a profile, mkfs. Before a block begins `core::decide` asks whether it fits; what takes
//! longer or writes more than expected ends here.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use bakeoff_model::run::Run;

use super::spent::Spent;
use crate::signals::{Cancel, Limit};

const PAUSE: Duration = Duration::from_millis(100);
/// Share of the time that putting everything back and the report get, and the most of it.
const ENDING_SHARE: u64 = 40;
const ENDING_MOST_NS: u64 = 5_000_000_000;

#[derive(Debug)]
pub struct Watchdog {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

const PREPARING_NS: u64 = 60_000_000_000;

/// What is left of a run's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LimitsLeft {
    time_ns: Option<u64>,
    bytes: Option<u64>,
}

impl LimitsLeft {
    fn of(run: &Run, elapsed_ns: u64, written_bytes: u64) -> LimitsLeft {
        let protocol = &run.header.protocol;
        // Preparing finds out how much time an answer needs, which is said where it is not enough.
        let least_ns = if run.rehearsal.is_none() { PREPARING_NS } else { 0 };
        let measuring =
            |limit: u64| (limit - (limit / ENDING_SHARE).min(ENDING_MOST_NS)).max(least_ns);
        LimitsLeft {
            time_ns: protocol.time_ns.map(|limit| measuring(limit).saturating_sub(elapsed_ns)),
            bytes: protocol.max_write_bytes.map(|limit| limit.saturating_sub(written_bytes)),
        }
    }
}

impl Watchdog {
    /// Watches from here on, at so much active time of the run; `None` where nothing is limited. A
    /// thread that cannot be started leaves the limits to the blocks.
    pub fn start(run: &Run, elapsed_ns: u64, spent: &Spent, cancel: &Cancel) -> Option<Watchdog> {
        let left = LimitsLeft::of(run, elapsed_ns, spent.of_run(run));
        if left == (LimitsLeft { time_ns: None, bytes: None }) {
            return None;
        }
        let is_over = Arc::new(AtomicBool::new(false));
        let (over, cancel) = (Arc::clone(&is_over), cancel.clone());
        let spent = Spent::begin(run);
        let until = left.time_ns.map(|ns| Instant::now() + Duration::from_nanos(ns));
        let watch = move || {
            while !over.load(Ordering::Relaxed) {
                if until.is_some_and(|until| Instant::now() >= until) {
                    return cancel.reach(Limit::Time);
                }
                if left.bytes.is_some_and(|left| spent.own_bytes() >= left) {
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
