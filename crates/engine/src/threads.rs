//! Runs the lanes of a cell, each in a thread of its own.

use std::sync::{RwLock, mpsc};
use std::thread;

use crate::error::EngineError;
use crate::live::Live;
use crate::usage::Usage;

/// Stack of a lane: it calls nothing deep.
pub const STACK_BYTES: usize = 256 << 10;

/// Prepares every lane, starts them together and waits for all. A lane lives in one thread from
/// its preparation on (a ring belongs to the thread that made it); a single one in this thread.
pub fn run_lanes<P, R, T: Send>(
    numjobs: u32,
    live: &Live,
    prepare: P,
) -> Result<(Vec<T>, Usage), EngineError>
where
    P: Fn(u32) -> Result<R, EngineError> + Sync,
    R: FnOnce() -> Result<T, EngineError>,
{
    if numjobs == 1 {
        let run = prepare(0)?;
        let before = Usage::now();
        let outcome = run()?;
        return Ok((vec![outcome], Usage::now().since(before)));
    }
    let gate = RwLock::new(());
    let closed = gate.write();
    let (ready, all_ready) = mpsc::channel();
    let lane = |index, ready: mpsc::Sender<()>| {
        let run = prepare(index);
        if run.is_err() {
            live.stop();
        }
        drop(ready);
        drop(gate.read());
        if live.should_stop() {
            return run.map(|_| None);
        }
        let outcome = run.and_then(|run| run());
        if outcome.is_err() {
            live.stop();
        }
        outcome.map(Some)
    };
    thread::scope(|scope| {
        let mut threads = Vec::with_capacity(numjobs as usize);
        let mut failure = None;
        for index in 0..numjobs {
            let (lane, ready) = (&lane, ready.clone());
            let thread = thread::Builder::new().stack_size(STACK_BYTES);
            match thread.spawn_scoped(scope, move || lane(index, ready)) {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    live.stop();
                    failure = Some(EngineError::io(format!("starting {numjobs} threads"), error));
                    break;
                }
            }
        }
        drop(ready);
        // Ends when the last lane is prepared, or failed to, and let go of its end.
        let _ = all_ready.recv();
        let before = Usage::now();
        drop(closed);
        let mut outcomes = Vec::with_capacity(numjobs as usize);
        for thread in threads {
            match thread.join() {
                Ok(Ok(outcome)) => outcomes.extend(outcome),
                Ok(Err(error)) => failure = failure.or(Some(error)),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        let usage = Usage::now().since(before);
        failure.map_or(Ok((outcomes, usage)), Err)
    })
}
