//! The clock of a companion: it stands still while its candidate is not measured.
//!
//! A companion works at a fixed pace beside another workload, and rests between the slices of that
//! workload, which belong to other candidates. Its pace counts from a clock that rests with it, so
//! that nothing piles up meanwhile. Who reads the clock while it stands waits until it goes on:
//! that is what stops all loops of the engine at their next operation, wherever they are.
//!
//! One for a process, because a companion is a process of its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::clock;

static IS_HELD: AtomicBool = AtomicBool::new(false);
static IS_OVER: AtomicBool = AtomicBool::new(false);
static STATE: Mutex<State> = Mutex::new(State::new());
static CHANGED: Condvar = Condvar::new();

struct State {
    /// When the clock last went on; `None` = it stands.
    since_ns: Option<u64>,
    /// What it showed then.
    shown_ns: u64,
    /// Whether everything is prepared and the first operation may begin.
    is_ready: bool,
    has_ended: bool,
    /// Threads that work, and those of them that wait for the clock.
    workers: u32,
    waiting: u32,
}

impl State {
    const fn new() -> State {
        State {
            since_ns: None,
            shown_ns: 0,
            is_ready: false,
            has_ended: false,
            workers: 1,
            waiting: 0,
        }
    }

    fn now_ns(&self) -> Option<u64> {
        let since_ns = self.since_ns?;
        Some(self.shown_ns + clock::now_ns().saturating_sub(since_ns))
    }

    fn stop(&mut self) {
        self.shown_ns = self.now_ns().unwrap_or(self.shown_ns);
        self.since_ns = None;
    }

    fn go(&mut self) {
        self.since_ns.get_or_insert_with(clock::now_ns);
    }
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait<'s>(held: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
    CHANGED.wait(held).unwrap_or_else(PoisonError::into_inner)
}

/// Waits until the clock goes on; what it shows then.
fn running(mut held: MutexGuard<'static, State>) -> (MutexGuard<'static, State>, u64) {
    if held.since_ns.is_none() {
        held.waiting += 1;
        // Once: those that wait already would wake each other without end.
        CHANGED.notify_all();
        while held.since_ns.is_none() {
            held = wait(held);
        }
        held.waiting -= 1;
    }
    let now_ns = held.now_ns().unwrap_or(held.shown_ns);
    (held, now_ns)
}

/// This process is a companion: clocks found from now on can be held. It runs until it is ready.
pub fn begin() {
    state().go();
    IS_HELD.store(true, Ordering::Relaxed);
}

pub fn is_held() -> bool {
    IS_HELD.load(Ordering::Relaxed)
}

/// Whether a companion is to end as if its time were over.
pub fn is_over() -> bool {
    IS_OVER.load(Ordering::Relaxed)
}

pub fn now_ns() -> u64 {
    running(state()).1
}

pub fn sleep_until(due_ns: u64) {
    let mut held = state();
    loop {
        let now_ns;
        (held, now_ns) = running(held);
        let left_ns = due_ns.saturating_sub(now_ns);
        if left_ns == 0 {
            return;
        }
        let waited = CHANGED.wait_timeout(held, Duration::from_nanos(left_ns));
        held = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// The measured part begins: the first time the clock stops here, until it is told to go on.
pub fn ready() {
    let mut held = state();
    if is_held() && !held.is_ready {
        held.is_ready = true;
        held.stop();
        CHANGED.notify_all();
    }
}

/// The work has ended, of itself or by an error: nobody has to wait for it any more.
pub fn ended() {
    let mut held = state();
    (held.is_ready, held.has_ended) = (true, true);
    CHANGED.notify_all();
}

pub fn has_ended() -> bool {
    state().has_ended
}

/// Waits until the work is prepared, or has ended.
pub fn until_ready() {
    let mut held = state();
    while !held.is_ready {
        held = wait(held);
    }
}

pub fn go() {
    state().go();
    CHANGED.notify_all();
}

/// Stops the clock, and waits until every thread has ended what it was doing.
pub fn rest() {
    let mut held = state();
    held.stop();
    CHANGED.notify_all();
    while held.waiting < held.workers && !held.has_ended {
        held = wait(held);
    }
}

/// Ends the work at its next operations.
pub fn end() {
    IS_OVER.store(true, Ordering::Relaxed);
    go();
}

/// So many more threads work.
pub fn more_workers(more: u32) {
    let mut held = state();
    held.workers = held.workers.saturating_add(more);
}

/// A thread that works; dropped, it does no more.
pub struct AtWork;

impl Drop for AtWork {
    fn drop(&mut self) {
        let mut held = state();
        held.workers = held.workers.saturating_sub(1);
        CHANGED.notify_all();
    }
}
