//! A lane at work: in slices, or on its whole cell at once.
//!
//! Between slices it keeps its place, its open file and its memory, and has nothing in flight and
//! nothing unflushed. What a slice needs is set before its clock starts, and what it recorded is
//! taken out after it stopped. The loops are those of a cell in one piece, so an I/O costs the same.

use bakeoff_model::slice::Stretch;
use bakeoff_tools::native::sliced::{Report, Request};

use super::queued::Queue;
use super::{Lane, Loop};
use crate::along::Along;
use crate::crew::{Worker, both_parts};
use crate::end::End;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::record::Kind;
use crate::report::LaneEnd;
use crate::target;
use crate::verify::Trace;
use crate::windows::{Counts, Windows};

pub struct LaneWorker<'a, E> {
    lane: Lane<'a, E>,
    queue: Queue,
    work: Loop<'a, E>,
    windows: Option<Windows>,
}

impl<'a, E: Engine> LaneWorker<'a, E> {
    pub fn new(lane: Lane<'a, E>, work: Loop<'a, E>) -> LaneWorker<'a, E> {
        let queue = lane.queue();
        LaneWorker { lane, queue, work, windows: None }
    }

    fn part(&mut self, request: &Request, units: u32) -> Result<Report, EngineError> {
        self.lane.begin_slice(request, units);
        let now = (self.work)(&mut self.lane, &mut self.queue)?;
        Ok(self.lane.end_slice(now))
    }

    /// The whole cell, with closing its file.
    fn whole(&mut self) -> Result<Report, EngineError> {
        let now = (self.work)(&mut self.lane, &mut self.queue)?;
        let lane = &mut self.lane;
        let close_start = lane.clock.now_ns();
        lane.close()?;
        let closed_ns = lane.clock.now_ns();
        let (ops, windows) = lane.recorder.end();
        self.windows = Some(windows);
        let report = Report { ops, close_ns: closed_ns - close_start, ..lane.so_long(now) };
        Ok(Report { elapsed_ns: closed_ns - report.monotonic_ns, ..report })
    }
}

impl<E: Engine> Worker for LaneWorker<'_, E> {
    type End = LaneEnd;

    fn work(&mut self, request: Option<Request>) -> Result<Report, EngineError> {
        match request {
            Some(request) => both_parts(&request, |units| self.part(&request, units)),
            None => self.whole(),
        }
    }

    fn finish(self) -> Result<LaneEnd, EngineError> {
        let LaneWorker { mut lane, windows, .. } = self;
        lane.close()?;
        let backlog = lane.pace.as_ref().map_or(0, |pace| {
            pace.backlog(lane.stopped_ns, lane.end.ask_from().saturating_sub(lane.issued))
        });
        Ok(LaneEnd {
            windows,
            backlog,
            batch_max: lane.batch_max,
            turn_ns: lane.turn_ns,
            huge: lane.buffers.is_huge(),
            trace: Some(Trace {
                span: lane.span,
                issued: lane.issued,
                pooled_from: lane.filler.pooled_from(),
                pool_buffers: lane.filler.pool_buffers(),
            }),
        })
    }
}

impl<E: Engine> Lane<'_, E> {
    fn close(&mut self) -> Result<(), EngineError> {
        let released = self.engine.release();
        released.map_err(|e| EngineError::io("releasing the file", e))?;
        self.fd.take().map_or(Ok(()), target::close)
    }

    /// What its loop did until `now`, when the last operation or flush ended, but for operations.
    fn so_long(&self, now: u64) -> Report {
        let flush_ns = self.flushes.time_ns();
        let loop_ns = now - self.start_ns;
        Report {
            monotonic_ns: self.start_ns,
            elapsed_ns: loop_ns,
            data_ns: loop_ns.saturating_sub(flush_ns + self.idle_ns + self.making_ns),
            flush_ns,
            pooled_ios: self.filler.pooled_ios(),
            ..Report::default()
        }
    }

    fn begin_slice(&mut self, request: &Request, units: u32) {
        let job = self.cell.job;
        self.end = End::of_slice(job, request, units, self.index, self.issued);
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

    fn end_slice(&mut self, now: u64) -> Report {
        let along = std::mem::take(&mut self.along).end(self.so_far(now));
        let ios = self.begun();
        let ops = self.recorder.take();
        let report = self.so_long(now);
        let written = ops.iter().filter(|(kind, _)| *kind == Kind::Write).map(|(_, t)| t.bytes);
        // A slice may be shorter than a window, which then never looks at what data costs.
        let counts = Counts { write_bytes: written.sum(), ios, ..Counts::default() };
        self.filler.reconsider(counts, report.elapsed_ns, self.issued);
        let cut = !self.end.has_least(ios, self.flushes.done());
        Report { along, ops, cut, ..report }
    }
}
