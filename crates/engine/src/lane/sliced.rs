//! A lane that works in slices: it keeps its place, its open file and its memory from one to the
//! next, and has nothing in flight and nothing unflushed between them.
//!
//! What a slice needs is set before its clock starts, and what it recorded is taken out after it
//! stopped. The loops are those of a cell in one piece, so an I/O costs the same.

use bakeoff_model::slice::Stretch;
use bakeoff_tools::native::sliced::Go;

use super::queued::Queue;
use super::{Lane, Loop};
use crate::along::Along;
use crate::crew::Worker;
use crate::end::End;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::outcome::{Outcome, Piece};
use crate::record::Kind;
use crate::slice_report::both_parts;
use crate::windows::Counts;

pub struct SlicedLane<'a, E> {
    lane: Lane<'a, E>,
    queue: Queue,
    work: Loop<'a, E>,
}

impl<'a, E: Engine> SlicedLane<'a, E> {
    pub fn new(lane: Lane<'a, E>, work: Loop<'a, E>) -> SlicedLane<'a, E> {
        let queue = lane.queue();
        SlicedLane { lane, queue, work }
    }

    fn part(&mut self, go: &Go, units: u32) -> Result<Piece, EngineError> {
        self.lane.begin_slice(go, units);
        let now = (self.work)(&mut self.lane, &mut self.queue)?;
        Ok(self.lane.end_slice(now))
    }
}

impl<E: Engine> Worker for SlicedLane<'_, E> {
    type Order = Go;
    type Done = Piece;
    type End = Outcome;

    fn work(&mut self, go: Go) -> Result<Piece, EngineError> {
        both_parts(go, |units| self.part(&go, units))
    }

    fn finish(self) -> Result<Outcome, EngineError> {
        let now = self.lane.clock.now_ns();
        self.lane.finish(now)
    }
}

impl<E: Engine> Lane<'_, E> {
    fn begin_slice(&mut self, go: &Go, units: u32) {
        let job = self.cell.job;
        self.end = End::of_slice(job, go, units, self.index, self.issued);
        self.along = Along::default();
        self.flushes.again(job);
        (self.stopping, self.stopped_ns) = (false, 0);
        self.slice_from = Some(self.issued);
        (self.idle_ns, self.making_ns) = (0, 0);
        self.filler.count_anew();
    }

    /// What was done of the part until `now`; the recorder began anew with it.
    fn so_far(&self, now: u64) -> Stretch {
        let tallies = [Kind::Read, Kind::Write].map(|kind| self.recorder.tally(kind));
        let bytes: u64 = tallies.into_iter().flatten().map(|tally| tally.bytes).sum();
        Stretch {
            elapsed_ns: now - self.start_ns,
            ios: bytes / u64::from(self.bs),
            bytes,
            flushes: self.flushes.done(),
            flush_ns: self.flushes.time_ns(),
        }
    }

    #[cold]
    pub fn mark(&mut self, now: u64) {
        let so_far = self.so_far(now);
        self.along.mark(so_far);
        self.mark_ns = self.start_ns.saturating_add(self.along.due_ns());
    }

    /// `now` is when the last operation or flush ended.
    fn end_slice(&mut self, now: u64) -> Piece {
        let loop_ns = now - self.start_ns;
        let end_ns = now;
        let along = std::mem::take(&mut self.along).end(self.so_far(end_ns));
        let ios = self.begun();
        let flush_ns = self.flushes.time_ns();
        let other_ns = flush_ns + self.idle_ns + self.making_ns;
        let ops = self.recorder.take();
        let written = ops.iter().filter(|(kind, _)| *kind == Kind::Write).map(|(_, t)| t.bytes);
        // A slice may be shorter than a window, which then never looks at what data costs.
        let counts = Counts { write_bytes: written.sum(), ios, ..Counts::default() };
        self.filler.reconsider(counts, loop_ns, self.issued);
        Piece {
            along,
            start_ns: self.start_ns,
            end_ns,
            data_ns: loop_ns.saturating_sub(other_ns),
            flush_ns,
            ops,
            pooled_ios: self.filler.pooled_ios(),
            cut: !self.end.has_least(ios, self.flushes.done()),
            ..Piece::default()
        }
    }
}
