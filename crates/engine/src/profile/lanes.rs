//! Threads that do one part together.

use std::sync::Mutex;

use bakeoff_model::measurement::{Figure, Measurement};
use bakeoff_model::wear::DriveWrites;
use bakeoff_tools::native::sliced::{Report, Request};

use super::meter::Meter;
use super::{Context, panicked};
use crate::counters::Moved;
use crate::cpu::Usage;
use crate::crew::{Worker, with_crew};
use crate::error::EngineError;
use crate::record::Kind;

/// What every thread of a part measured; at least one.
pub struct Lanes<'a> {
    pub meters: Vec<Meter<'a>>,
    usage: Usage,
    moved: Moved,
    drive_writes: Option<DriveWrites>,
}

impl Lanes<'_> {
    pub fn longest_ns(&self, kind: Kind) -> u64 {
        self.meters.iter().map(|m| m.longest_ns(kind)).max().unwrap_or(0)
    }

    /// The part's numbers, with `figures` beside them.
    pub fn finish(mut self, figures: Vec<Figure>) -> Measurement {
        let first = self.meters.remove(0);
        let measured = first.finish_with(self.meters, (self.usage, self.moved));
        Measurement { drive_writes: self.drive_writes, figures, ..measured }
    }
}

/// Lets every lane do its work at the same time, each in a thread; their clocks start when all
/// threads are there. The first failure ends all.
pub fn together<'a, T: Send>(
    context: &Context<'_>,
    lanes: Vec<(Meter<'a>, T)>,
    work: impl Fn(&mut Meter<'a>, &mut T) -> Result<(), EngineError> + Sync,
) -> Result<Lanes<'a>, EngineError> {
    let lanes: Vec<_> = lanes.into_iter().map(|lane| Mutex::new(Some(lane))).collect();
    let counted_at = context.counters.settled();
    let mut usage = Usage::default();
    let prepare = |index: u32| {
        let lane = lanes[index as usize].lock().ok().and_then(|mut lane| lane.take());
        let (meter, with) = lane.ok_or_else(panicked)?;
        Ok(PartWorker { meter, with, work: &work })
    };
    let meters = with_crew(lanes.len() as u32, context.live, prepare, |ask| {
        let before = Usage::now();
        ask(None)?;
        usage = Usage::now().since(before);
        Ok(())
    })?;
    let moved = context.counters.settled().since(counted_at);
    Ok(Lanes { meters, usage, moved, drive_writes: context.counters.drive_writes(moved) })
}

struct PartWorker<'w, 'a, T, F> {
    meter: Meter<'a>,
    with: T,
    work: &'w F,
}

impl<'a, T, F> Worker for PartWorker<'_, 'a, T, F>
where
    T: Send,
    F: Fn(&mut Meter<'a>, &mut T) -> Result<(), EngineError> + Sync,
{
    type End = Meter<'a>;

    /// Its numbers are those of its meter, which everybody gets at the end.
    fn work(&mut self, _: Option<Request>) -> Result<Report, EngineError> {
        self.meter.resume();
        (self.work)(&mut self.meter, &mut self.with)?;
        Ok(Report::default())
    }

    fn finish(self) -> Result<Meter<'a>, EngineError> {
        Ok(self.meter)
    }
}
