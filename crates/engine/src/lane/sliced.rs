//! A lane that works in slices: it keeps its place, its open file and its memory from one to the
//! next, and has nothing in flight and nothing unflushed between them.
//!
//! What a slice needs is set before its clock starts, and what it recorded is taken out after it
//! stopped. The loops are those of a cell in one piece, so an I/O costs the same.

use bakeoff_model::slice::Stretch;
use bakeoff_tools::native::sliced::Go;

use super::queued::Queue;
use super::{Lane, Run};
use crate::along::Along;
use crate::control;
use crate::crew::Worker;
use crate::end::End;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::outcome::{Outcome, Piece};
use crate::record::Kind;
use crate::windows::Counts;

#[derive(Clone, Copy, Debug, Default)]
pub struct Base {
    pub is_slice: bool,
    pub issued: u64,
    pub flushes: u64,
    flush_ns: u64,
    idle_ns: u64,
    making_ns: u64,
    pooled_ios: u64,
}

pub struct SlicedLane<'a, E> {
    lane: Lane<'a, E>,
    queue: Queue,
    piece: OnePiece<'a, E>,
}

/// See [`Run::piece`].
type OnePiece<'a, E> = fn(&mut Lane<'a, E>, &mut Queue) -> Result<u64, EngineError>;

impl<'a, E: Engine> SlicedLane<'a, E> {
    /// Allocates the rest of what the slices need.
    pub fn new(lane: Lane<'a, E>, run: &Run<'a, E>) -> SlicedLane<'a, E> {
        let queue = (run.queue)(&lane);
        SlicedLane { lane, queue, piece: run.piece }
    }
}

impl<E: Engine> Worker for SlicedLane<'_, E> {
    fn slice(&mut self, go: &Go) -> Result<Piece, EngineError> {
        let settling = match go.settling {
            0 => Vec::new(),
            units => self.part(go, units)?.along,
        };
        Ok(Piece { settling, ..self.part(go, go.counted)? })
    }

    fn finish(self) -> Result<Outcome, EngineError> {
        let now = self.lane.clock.now_ns();
        self.lane.finish(now)
    }
}

impl<E: Engine> SlicedLane<'_, E> {
    /// Does one part of a slice; the next may follow at once.
    fn part(&mut self, go: &Go, units: u32) -> Result<Piece, EngineError> {
        self.lane.begin_slice(go, units);
        let now = (self.piece)(&mut self.lane, &mut self.queue)?;
        Ok(self.lane.end_slice(now))
    }
}

impl<E: Engine> Lane<'_, E> {
    fn begin_slice(&mut self, go: &Go, units: u32) {
        let job = self.cell.job;
        self.end = End::of_slice(job, go, units, self.index, self.issued);
        self.along = Along::default();
        self.flushes.again(job);
        (self.stopping, self.stopped_ns) = (false, 0);
        self.base = Base {
            is_slice: true,
            issued: self.issued,
            flushes: self.flushes.done(),
            flush_ns: self.flushes.time_ns(),
            idle_ns: self.idle_ns,
            making_ns: self.making_ns,
            pooled_ios: self.filler.pooled_ios(),
        };
    }

    /// What was done of the part until `now`; the recorder began anew with it.
    fn so_far(&self, now: u64) -> Stretch {
        let tallies = [Kind::Read, Kind::Write].map(|kind| self.recorder.tally(kind));
        let bytes: u64 = tallies.into_iter().flatten().map(|tally| tally.bytes).sum();
        Stretch {
            elapsed_ns: now - self.start_ns,
            ios: bytes / u64::from(self.bs),
            bytes,
            flushes: self.flushes.done() - self.base.flushes,
            flush_ns: self.flushes.time_ns() - self.base.flush_ns,
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
        let base = self.base;
        let loop_ns = now - self.start_ns;
        let end_ns = control::hold_back(self.clock, self.cell.job, self.start_ns, now);
        let along = std::mem::take(&mut self.along).end(self.so_far(end_ns));
        let ios = self.issued - base.issued;
        let flush_ns = self.flushes.time_ns() - base.flush_ns;
        let other_ns = flush_ns + self.idle_ns - base.idle_ns + self.making_ns - base.making_ns;
        let ops = self.recorder.take();
        let written = ops.iter().filter(|(kind, _)| *kind == Kind::Write).map(|(_, t)| t.bytes);
        // A slice may be shorter than a window, which then never looks at what data costs.
        let counts = Counts { write_bytes: written.sum(), ios, ..Counts::default() };
        self.filler.reconsider(counts, loop_ns, self.issued);
        Piece {
            settling: Vec::new(),
            along,
            start_ns: self.start_ns,
            end_ns,
            data_ns: loop_ns.saturating_sub(other_ns),
            flush_ns,
            close_ns: 0,
            ops,
            pooled_ios: self.filler.pooled_ios() - base.pooled_ios,
            cut: !self.end.has_least(ios, self.flushes.done() - base.flushes),
            waited_ns: None,
        }
    }
}
