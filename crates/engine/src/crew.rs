//! The threads of a cell: they live through all of its slices.
//!
//! A worker lives in one thread from its preparation on (a ring belongs to the thread that made
//! it), a single one in the caller's. Between slices a thread waits in a channel and uses no CPU.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::error::EngineError;
use crate::hold::{self, AtWork};
use crate::live::Live;
use crate::usage::Usage;

pub const STACK_BYTES: usize = 256 << 10;

pub trait Worker {
    type Order: Copy + Send;
    type Done: Send;
    type End: Send;

    fn work(&mut self, order: Self::Order) -> Result<Self::Done, EngineError>;

    fn finish(self) -> Result<Self::End, EngineError>;
}

/// Has every worker do one order; gives what each did.
pub type Ask<'s, W> =
    &'s mut dyn FnMut(<W as Worker>::Order) -> Result<Vec<<W as Worker>::Done>, EngineError>;

/// Prepares `numjobs` workers and hands them to `talk`, which gives them orders. Then they finish.
/// One that fails ends the others at their next window.
pub fn with_crew<W: Worker>(
    numjobs: u32,
    live: &Live,
    prepare: impl Fn(u32) -> Result<W, EngineError> + Sync,
    talk: impl FnOnce(Ask<'_, W>) -> Result<(), EngineError>,
) -> Result<Vec<W::End>, EngineError> {
    if numjobs == 1 {
        let mut worker = prepare(0)?;
        talk(&mut |order| Ok(vec![worker.work(order)?]))?;
        return Ok(vec![worker.finish()?]);
    }
    let prepare = &prepare;
    // The caller only waits for them.
    hold::more_workers(numjobs - 1);
    let ended = thread::scope(|scope| {
        let mut threads = Vec::with_capacity(numjobs as usize);
        for index in 0..numjobs {
            let (orders, taken) = channel();
            let (results, done) = channel();
            let work = move || member(index, live, prepare, &taken, &results);
            let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
            // Returning drops the senders, and so ends the threads that are there already.
            let thread =
                thread.map_err(|e| EngineError::io(format!("starting {numjobs} threads"), e))?;
            threads.push(CrewThread::<W> { orders, done, thread });
        }
        threads.iter().try_for_each(|member| member.hear(live).map(drop))?;
        talk(&mut |order| {
            for member in &threads {
                // A thread that is gone has left its error behind.
                let _ = member.orders.send(order);
            }
            // All of them, so that no thread still works on an order that is over.
            let all: Vec<_> = threads.iter().map(|member| member.hear(live)).collect();
            all.into_iter().filter_map(Result::transpose).collect()
        })?;
        threads.into_iter().map(CrewThread::finish).collect()
    });
    hold::more_workers(1);
    ended
}

struct CrewThread<'scope, W: Worker> {
    orders: Sender<W::Order>,
    done: Receiver<Result<Option<W::Done>, EngineError>>,
    thread: thread::ScopedJoinHandle<'scope, Result<W::End, EngineError>>,
}

impl<W: Worker> CrewThread<'_, W> {
    fn hear(&self, live: &Live) -> Result<Option<W::Done>, EngineError> {
        let heard = self.done.recv().unwrap_or_else(|_| Err(gone()));
        if heard.is_err() {
            live.stop();
        }
        heard
    }

    fn finish(self) -> Result<W::End, EngineError> {
        drop(self.orders);
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
    orders: &Receiver<W::Order>,
    results: &Sender<Result<Option<W::Done>, EngineError>>,
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
    while let Ok(order) = orders.recv() {
        let done = worker.work(order);
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

struct Whole<F>(Option<F>);

impl<F: FnOnce() -> Result<T, EngineError>, T: Send> Worker for Whole<F> {
    type Order = ();
    type Done = Option<T>;
    type End = ();

    fn work(&mut self, (): ()) -> Result<Option<T>, EngineError> {
        self.0.take().map(|work| work()).transpose()
    }

    fn finish(self) -> Result<(), EngineError> {
        Ok(())
    }
}

/// Prepares every lane, starts them together and waits for all; also gives the CPU time they used.
pub fn run_lanes<T: Send, R: FnOnce() -> Result<T, EngineError>>(
    numjobs: u32,
    live: &Live,
    prepare: impl Fn(u32) -> Result<R, EngineError> + Sync,
) -> Result<(Vec<T>, Usage), EngineError> {
    let (mut all, mut usage) = (Vec::new(), Usage::default());
    with_crew(
        numjobs,
        live,
        |index| Ok(Whole(Some(prepare(index)?))),
        |ask| {
            let before = Usage::now();
            all = ask(())?;
            usage = Usage::now().since(before);
            Ok(())
        },
    )?;
    Ok((all.into_iter().flatten().collect(), usage))
}
