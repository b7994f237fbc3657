//! How long a thread was ready to run and had to wait for a CPU, as its scheduler counts it.
//!
//! The second number of `/proc/PID/task/TID/schedstat`, in nanoseconds: `run_delay` of
//! `Documentation/scheduler/sched-stats.rst`. Time that a quota keeps a thread from running is in
//! it. Looked at before the first and after the last operation, never in between.

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::read;

use crate::error::EngineError;
use crate::outcome::{Outcome, Piece};

/// Runs a lane in this thread and notes how long it waited for a CPU meanwhile.
pub fn counted(run: impl FnOnce() -> Result<Outcome, EngineError>) -> Result<Outcome, EngineError> {
    let (outcome, waited_ns) = with_wait_time(run)?;
    Ok(Outcome { rest: Piece { waited_ns, ..outcome.rest }, ..outcome })
}

/// Runs something in this thread; returns its result and how long the thread waited for a CPU.
pub fn with_wait_time<T>(
    run: impl FnOnce() -> Result<T, EngineError>,
) -> Result<(T, Option<u64>), EngineError> {
    let before = waited_ns();
    let done = run()?;
    let waited_ns = waited_ns().zip(before).map(|(after, before)| after.saturating_sub(before));
    Ok((done, waited_ns))
}

/// What this thread has waited so far; `None` where the kernel does not count it
/// (`CONFIG_SCHED_INFO`).
fn waited_ns() -> Option<u64> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let file = openat(CWD, c"/proc/thread-self/schedstat", flags, Mode::empty()).ok()?;
    let mut buffer = [0; 96];
    let len = read(&file, &mut buffer).ok()?;
    second(std::str::from_utf8(&buffer[..len]).ok()?)
}

fn second(text: &str) -> Option<u64> {
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_number_is_the_waiting() {
        assert_eq!(second("929693 133147 2\n"), Some(133_147));
        assert_eq!(second("929693"), None);
        assert_eq!(second(""), None);
    }
}
