//! Threads that do one part together.

use std::sync::RwLock;
use std::thread;

use bakeoff_core::model::measurement::{Figure, Measurement};

use super::meter::Meter;
use super::{Context, STACK_BYTES};
use crate::counters::Moved;
use crate::error::EngineError;
use crate::record::Kind;
use crate::usage::Usage;

/// What every thread of a part measured; at least one.
pub struct Lanes<'a> {
    /// In the order of the lanes.
    pub meters: Vec<Meter<'a>>,
    usage: Usage,
    moved: Moved,
}

impl Lanes<'_> {
    /// When the first of them began.
    pub fn start_ns(&self) -> u64 {
        self.meters.iter().map(|m| m.now_ns() - m.elapsed_ns()).min().unwrap_or(0)
    }

    /// When the last of them was done.
    pub fn end_ns(&self) -> u64 {
        self.meters.iter().map(Meter::now_ns).max().unwrap_or(0)
    }

    /// Operations, bytes and summed latency of one kind.
    pub fn total(&self, kind: Kind) -> (u64, u64, u64) {
        let add = |a: (u64, u64, u64), b: (u64, u64, u64)| (a.0 + b.0, a.1 + b.1, a.2 + b.2);
        self.meters.iter().map(|m| m.so_far(kind)).fold((0, 0, 0), add)
    }

    /// The longest of one kind, which only one of them does.
    pub fn longest_ns(&self, kind: Kind) -> u64 {
        self.meters.iter().map(|m| m.longest_ns(kind)).max().unwrap_or(0)
    }

    /// The part's numbers, with the tool's own figures beside them.
    pub fn finish(mut self, figures: Vec<Figure>) -> Measurement {
        let first = self.meters.remove(0);
        let measured = first.finish_with(self.meters, self.usage, figures);
        Measurement {
            device_read_bytes: self.moved.read_bytes,
            wrote_bytes: self.moved.written_bytes,
            ..measured
        }
    }
}

/// Lets every lane do its work at the same time, each in a thread; their clocks start when all
/// threads are there. The first failure ends all.
pub fn together<'a, T: Send>(
    context: &Context<'_>,
    lanes: Vec<(Meter<'a>, T)>,
    work: impl Fn(&mut Meter<'a>, &mut T) -> Result<(), EngineError> + Sync,
) -> Result<Lanes<'a>, EngineError> {
    let (live, counters) = (context.live, context.counters);
    let gate = RwLock::new(());
    let closed = gate.write();
    let lane = |mut meter: Meter<'a>, mut with: T| {
        drop(gate.read());
        meter.resume();
        let done = work(&mut meter, &mut with);
        if done.is_err() {
            live.stop();
        }
        done.map(|()| meter)
    };
    thread::scope(|scope| {
        let mut threads = Vec::with_capacity(lanes.len());
        let mut failure = None;
        for (meter, with) in lanes {
            let thread = thread::Builder::new().stack_size(STACK_BYTES);
            match thread.spawn_scoped(scope, || lane(meter, with)) {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    live.stop();
                    failure = Some(EngineError::io("starting the threads", error));
                    break;
                }
            }
        }
        let (before, counted_at) = (Usage::now(), counters.now());
        drop(closed);
        let mut meters = Vec::with_capacity(threads.len());
        for thread in threads {
            match thread.join() {
                Ok(Ok(meter)) => meters.push(meter),
                Ok(Err(error)) => failure = failure.or(Some(error)),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        let usage = Usage::now().since(before);
        let moved = counters.now().since(counted_at);
        failure.map_or(Ok(Lanes { meters, usage, moved }), Err)
    })
}
