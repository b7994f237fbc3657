//! The threads of a cell that is measured in slices: they live through all of its slices.
//!
//! A worker lives in one thread from its preparation on (a ring belongs to the thread that made
//! it), a single one in the caller's. Between slices a thread waits in a channel and uses no CPU.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use bakeoff_tools::native::sliced::Go;

use crate::error::EngineError;
use crate::live::Live;
use crate::outcome::{Outcome, Piece};
use crate::threads::STACK_BYTES;
use crate::waiting;

pub trait Worker {
    fn slice(&mut self, go: &Go) -> Result<Piece, EngineError>;

    fn finish(self) -> Result<Outcome, EngineError>;
}

pub type Slice<'s> = &'s mut dyn FnMut(&Go) -> Result<Vec<Piece>, EngineError>;

/// Prepares `numjobs` workers and hands them to `talk`, which has them do slices. Then they
/// finish. One that fails ends the others at their next window.
pub fn with_crew<W: Worker>(
    numjobs: u32,
    live: &Live,
    prepare: impl Fn(u32) -> Result<W, EngineError> + Sync,
    talk: impl FnOnce(Slice<'_>) -> Result<(), EngineError>,
) -> Result<Vec<Outcome>, EngineError> {
    if numjobs == 1 {
        let mut worker = prepare(0)?;
        talk(&mut |go| Ok(vec![one_slice(&mut worker, go)?]))?;
        return Ok(vec![worker.finish()?]);
    }
    let prepare = &prepare;
    thread::scope(|scope| {
        let mut threads = Vec::with_capacity(numjobs as usize);
        for index in 0..numjobs {
            let (orders, taken) = channel();
            let (results, pieces) = channel();
            let work = move || member(index, live, prepare, &taken, &results);
            let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
            // Returning drops the senders, and so ends the threads that are there already.
            let thread =
                thread.map_err(|e| EngineError::io(format!("starting {numjobs} threads"), e))?;
            threads.push(CrewThread { orders, pieces, thread });
        }
        threads.iter().try_for_each(|member| member.hear(live).map(drop))?;
        talk(&mut |go| {
            for member in &threads {
                // A thread that is gone has left its error behind.
                let _ = member.orders.send(*go);
            }
            // All of them, so that no thread still works on a slice that is over.
            let all: Vec<_> = threads.iter().map(|member| member.hear(live)).collect();
            all.into_iter().filter_map(Result::transpose).collect()
        })?;
        threads.into_iter().map(CrewThread::finish).collect()
    })
}

/// A thread as the caller sees it.
struct CrewThread<'scope> {
    orders: Sender<Go>,
    /// Nothing when it is ready, then a piece for each order.
    pieces: Receiver<Result<Option<Piece>, EngineError>>,
    thread: thread::ScopedJoinHandle<'scope, Result<Outcome, EngineError>>,
}

impl CrewThread<'_> {
    fn hear(&self, live: &Live) -> Result<Option<Piece>, EngineError> {
        let heard = self.pieces.recv().unwrap_or_else(|_| Err(gone()));
        if heard.is_err() {
            live.stop();
        }
        heard
    }

    fn finish(self) -> Result<Outcome, EngineError> {
        drop(self.orders);
        match self.thread.join() {
            Ok(outcome) => outcome,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

fn member<W: Worker>(
    index: u32,
    live: &Live,
    prepare: &impl Fn(u32) -> Result<W, EngineError>,
    orders: &Receiver<Go>,
    results: &Sender<Result<Option<Piece>, EngineError>>,
) -> Result<Outcome, EngineError> {
    // A caller that is gone needs no answer any more.
    let fail = |error| {
        live.stop();
        let _ = results.send(Err(error));
        Err(gone())
    };
    let mut worker = match prepare(index) {
        Ok(worker) => worker,
        Err(error) => return fail(error),
    };
    let _ = results.send(Ok(None));
    while let Ok(go) = orders.recv() {
        match one_slice(&mut worker, &go) {
            Ok(piece) => drop(results.send(Ok(Some(piece)))),
            Err(error) => return fail(error),
        }
    }
    worker.finish()
}

fn one_slice<W: Worker>(worker: &mut W, go: &Go) -> Result<Piece, EngineError> {
    let (piece, waited_ns) = waiting::with_wait_time(|| worker.slice(go))?;
    Ok(Piece { waited_ns, ..piece })
}

#[cold]
fn gone() -> EngineError {
    EngineError::Protocol("a measuring thread has ended unexpectedly".to_string())
}
