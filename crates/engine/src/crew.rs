//! The threads of a cell: they live through all of its slices.
//!
//! A worker lives in one thread from its preparation on (a ring belongs to the thread that made
//! it), a single one in the caller's. Between slices a thread waits in a channel and uses no CPU.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use bakeoff_tools::native::sliced::{Report, Request};

use crate::cpu;
use crate::error::EngineError;
use crate::hold::{self, AtWork};
use crate::live::Live;

pub const STACK_BYTES: usize = 256 << 10;

pub trait Worker {
    type End: Send;

    /// Does a slice; without a request all that there is to do.
    fn work(&mut self, request: Option<Request>) -> Result<Report, EngineError>;

    fn finish(self) -> Result<Self::End, EngineError>;
}

/// Has every worker do what is requested; gives what each did.
pub type Ask<'s> = &'s mut dyn FnMut(Option<Request>) -> Result<Vec<Report>, EngineError>;

/// Prepares `numjobs` workers and hands them to `talk`, which gives them requests. Then they finish.
/// One that fails ends the others at their next window.
pub fn with_crew<W: Worker>(
    numjobs: u32,
    live: &Live,
    prepare: impl Fn(u32) -> Result<W, EngineError> + Sync,
    talk: impl FnOnce(Ask<'_>) -> Result<(), EngineError>,
) -> Result<Vec<W::End>, EngineError> {
    if numjobs == 1 {
        let mut worker = prepare(0)?;
        talk(&mut |request| Ok(vec![work(&mut worker, request)?]))?;
        return Ok(vec![worker.finish()?]);
    }
    let prepare = &prepare;
    // The caller only waits for them.
    hold::more_workers(numjobs - 1);
    let ended = thread::scope(|scope| {
        let mut threads = Vec::with_capacity(numjobs as usize);
        for index in 0..numjobs {
            let (requests, taken) = channel();
            let (results, done) = channel();
            let work = move || member(index, live, prepare, &taken, &results);
            let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
            // Returning drops the senders, and so ends the threads that are there already.
            let thread =
                thread.map_err(|e| EngineError::io(format!("starting {numjobs} threads"), e))?;
            threads.push(CrewThread::<W> { requests, done, thread });
        }
        threads.iter().try_for_each(|member| member.hear(live).map(drop))?;
        talk(&mut |request| {
            for member in &threads {
                // A thread that is gone has left its error behind.
                let _ = member.requests.send(request);
            }
            // All of them, so that no thread still works on a slice that is over.
            let all: Vec<_> = threads.iter().map(|member| member.hear(live)).collect();
            all.into_iter().filter_map(Result::transpose).collect()
        })?;
        threads.into_iter().map(CrewThread::finish).collect()
    });
    hold::more_workers(1);
    ended
}

struct CrewThread<'scope, W: Worker> {
    requests: Sender<Option<Request>>,
    done: Receiver<Result<Option<Report>, EngineError>>,
    thread: thread::ScopedJoinHandle<'scope, Result<W::End, EngineError>>,
}

impl<W: Worker> CrewThread<'_, W> {
    fn hear(&self, live: &Live) -> Result<Option<Report>, EngineError> {
        let heard = self.done.recv().unwrap_or_else(|_| Err(gone()));
        if heard.is_err() {
            live.stop();
        }
        heard
    }

    fn finish(self) -> Result<W::End, EngineError> {
        drop(self.requests);
        match self.thread.join() {
            Ok(end) => end,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

fn member<W: Worker>(
    index: u32,
    live: &Live,
    prepare: &impl Fn(u32) -> Result<W, EngineError>,
    requests: &Receiver<Option<Request>>,
    results: &Sender<Result<Option<Report>, EngineError>>,
) -> Result<W::End, EngineError> {
    let mut at_work = Some(AtWork);
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
    while let Ok(request) = requests.recv() {
        let done = work(&mut worker, request);
        at_work = None;
        match done {
            Ok(done) => drop(results.send(Ok(Some(done)))),
            Err(error) => return fail(error),
        }
    }
    drop(at_work);
    worker.finish()
}

#[cold]
fn gone() -> EngineError {
    EngineError::protocol("a measuring thread has ended unexpectedly")
}

/// What a worker does in this thread, with the time that it waits for a CPU meanwhile.
fn work(worker: &mut impl Worker, request: Option<Request>) -> Result<Report, EngineError> {
    let before = cpu::waited_ns();
    let report = worker.work(request)?;
    let waited_ns =
        cpu::waited_ns().zip(before).map(|(after, before)| after.saturating_sub(before));
    Ok(Report { waited_ns, ..report })
}

/// A slice of a worker: the part in which the drive settles, and at once the part that counts.
pub fn both_parts(
    request: &Request,
    mut part: impl FnMut(u32) -> Result<Report, EngineError>,
) -> Result<Report, EngineError> {
    let settling = match request.settling {
        0 => Vec::new(),
        units => part(units)?.along,
    };
    Ok(Report { settling, ..part(request.counted)? })
}
