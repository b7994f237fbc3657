//! One thread's hot loop: start what may start, wait for something to finish, record it.
//!
//! Nothing in it allocates, locks or makes a system call other than the I/O. There are two: one for
//! engines that have done the I/O when they return, one for engines with many in flight. The clock
//! is read once a turn: the end of one operation is the start of the next, so with `psync` it is
//! read once an operation and with a deep queue once a batch. A batch's completions share one
//! reading, which comes after all of them: a latency is never too short, and too long by at most
//! the time the kernel took to hand over the batch. Where data is made for a write the clock is
//! read again after it, so that making it is not part of the latency.
//!
//! Flushes are a barrier, as in a program that writes and then calls fsync: what was started is
//! waited for, then the lane flushes, then it goes on.

use std::os::fd::{AsFd, OwnedFd};

use bakeoff_core::model::job::Job;

use crate::buffer::Buffers;
use crate::check;
use crate::clock;
use crate::data::Content;
use crate::end::End;
use crate::engine::{Engine, Op, Setup};
use crate::error::EngineError;
use crate::live::Live;
use crate::offsets::{Cursor, Span, Step};
use crate::pace::Pace;
use crate::record::{Kind, Recorder};
use crate::target;
use crate::verify::Trace;

use self::filler::Filler;
use self::flush::Flushes;

mod filler;
mod flush;
mod immediate;
mod queued;

/// What every lane of a cell has in common.
#[derive(Clone, Copy)]
pub struct Cell<'a> {
    /// The work.
    pub job: &'a Job,
    /// I/Os in flight a lane; 1 for engines that do one at a time.
    pub depth: u32,
    /// What making and bookkeeping cost; see [`crate::cost`].
    pub cost: crate::cost::Cost,
    /// Shared state.
    pub live: &'a Live<'a>,
}

/// One thread's work. Fields drop in order: the engine before the memory it uses.
pub struct Lane<'a, E> {
    engine: E,
    buffers: Buffers,
    fd: Option<OwnedFd>,
    cell: Cell<'a>,
    index: u32,
    cursor: Cursor,
    span: Span,
    end: End,
    pace: Option<Pace>,
    filler: Filler,
    flushes: Flushes,
    recorder: Recorder,
    bs: u32,
    start_ns: u64,
    next_check_ns: u64,
    issued: u64,
    stopping: bool,
    stopped_ns: u64,
    idle_ns: u64,
    making_ns: u64,
}

/// What a lane brings home.
pub struct Outcome {
    /// Latencies and windows.
    pub recorder: Recorder,
    /// First operation.
    pub start_ns: u64,
    /// Last flush or close.
    pub end_ns: u64,
    /// Time in data calls.
    pub data_ns: u64,
    /// Time in flush calls.
    pub flush_ns: u64,
    /// Time in close.
    pub close_ns: u64,
    /// Writes whose data came from the pool.
    pub pooled_ios: u64,
    /// Operations due but not begun, in an open loop.
    pub backlog: u64,
    /// Whether the buffers are huge pages.
    pub huge: bool,
    /// What verification needs to know.
    pub trace: Option<Trace>,
}

impl<'a, E: Engine> Lane<'a, E> {
    /// Allocates and prepares everything, before the clock starts and in the thread that runs it.
    pub fn new(cell: Cell<'a>, index: u32, fd: Option<OwnedFd>) -> Result<Self, EngineError> {
        let job = cell.job;
        let depth = cell.depth as usize;
        let per_slot = Filler::buffers_per_slot(job, depth);
        // bs is at most 1 GiB.
        let buffers = Buffers::new(job.bs as usize, depth * per_slot, job.mem)?;
        let setup = Setup {
            fd: fd.as_ref().map(AsFd::as_fd),
            buffers: &buffers,
            depth: cell.depth,
            direct: job.direct,
        };
        let engine = E::new(&setup).map_err(|e| EngineError::io("setting up the I/O engine", e))?;
        let span = Span::of_lane(check::blocks(job), index, job.numjobs, check::is_apart(job));
        let mut kinds = Vec::new();
        kinds.extend(job.rw.reads().then_some(Kind::Read));
        kinds.extend(job.rw.writes().then_some(Kind::Write));
        kinds.extend((job.rw.writes() && job.is_durable()).then_some(Kind::Flush));
        Ok(Lane {
            engine,
            fd,
            cell,
            index,
            cursor: Cursor::new(job, span, index),
            span,
            end: End::of_lane(job, index),
            pace: job.rate_iops.map(|rate| Pace::new(rate, index, job.numjobs)),
            filler: Filler::new(job, Content::new(job.seed, index), depth, per_slot, cell.cost),
            flushes: Flushes::new(job),
            recorder: Recorder::new(&kinds),
            buffers,
            bs: job.bs as u32,
            start_ns: 0,
            next_check_ns: 0,
            issued: 0,
            stopping: false,
            stopped_ns: 0,
            idle_ns: 0,
            making_ns: 0,
        })
    }

    /// The clock starts.
    fn begin(&mut self) -> u64 {
        self.start_ns = clock::now_ns();
        self.next_check_ns = self.start_ns + self.recorder.windows.roll(0);
        self.start_ns
    }

    /// Whether to start nothing more.
    #[inline]
    fn is_over(&mut self, now: u64) -> bool {
        let elapsed = now - self.start_ns;
        if self.issued < self.end.ask_from() && elapsed < self.end.ask_at_ns() {
            return self.stopping;
        }
        self.ask_end(elapsed)
    }

    #[cold]
    fn ask_end(&mut self, elapsed: u64) -> bool {
        if !self.stopping && self.end.reached(elapsed, self.issued, self.flushes.done()) {
            self.stopping = true;
            self.stopped_ns = elapsed;
        }
        self.stopping
    }

    /// Makes the I/O of a step, with its data; whether making it took time worth measuring.
    #[inline]
    fn prepare(&mut self, slot: u32, step: Step) -> (Op, bool) {
        let offset = step.block * u64::from(self.bs);
        let (buffer, made) = if step.write {
            self.flushes.count_write();
            self.filler.fill(&mut self.buffers, slot, self.issued, offset)
        } else {
            (self.filler.read_buffer(slot), false)
        };
        self.issued += 1;
        let memory = self.buffers.block_ptr(buffer);
        (Op { slot, write: step.write, len: self.bs, offset, memory }, made)
    }

    #[inline]
    fn record(&mut self, write: bool, latency_ns: u64) {
        let kind = if write { Kind::Write } else { Kind::Read };
        self.recorder.record(kind, latency_ns, u64::from(self.bs));
    }

    /// When an open loop's next operation is due.
    fn due_ns(&self) -> Option<u64> {
        self.pace.as_ref().map(|pace| self.start_ns.saturating_add(pace.due_ns(self.issued)))
    }

    /// Nothing in flight and nothing due: waits for the next arrival or the end.
    #[cold]
    fn sleep(&mut self, now: u64, due_ns: u64) -> u64 {
        let end_ns = self.start_ns.saturating_add(self.end.ask_after_ns(now - self.start_ns));
        clock::sleep_until(due_ns.min(end_ns));
        let woken = clock::now_ns();
        self.idle_ns += woken - now;
        woken
    }

    /// What happens once a window: roll it, publish, look at the cost of data.
    #[cold]
    fn end_window(&mut self, now: u64) {
        let counts = self.recorder.current();
        let roll_ns = self.recorder.windows.roll(now - self.start_ns);
        self.next_check_ns = self.start_ns + roll_ns;
        self.cell.live.publish(counts, self.index);
        self.filler.reconsider(counts, self.issued);
        if self.cell.live.should_stop() {
            self.stopping = true;
        }
    }

    /// Makes every flush that is due.
    #[cold]
    fn flush(&mut self, now: u64) -> Result<u64, EngineError> {
        let mut now = now;
        while let Some(call) = self.flushes.next_due(self.stopping) {
            if let Some(fd) = &self.fd {
                call.make(fd)?;
            }
            let end = clock::now_ns();
            if end >= self.next_check_ns {
                self.end_window(end);
            }
            self.recorder.record(Kind::Flush, end - now, 0);
            self.flushes.add_time(end - now);
            now = end;
        }
        Ok(now)
    }

    fn finish(mut self, now: u64) -> Result<Outcome, EngineError> {
        let released = self.engine.release();
        released.map_err(|e| EngineError::io("letting go of the file", e))?;
        let loop_ns = now - self.start_ns;
        let close_start = clock::now_ns();
        if let Some(fd) = self.fd.take() {
            target::close(fd)?;
        }
        let end_ns = clock::now_ns();
        let backlog = self.pace.as_ref().map_or(0, |pace| {
            pace.due_by(self.stopped_ns).min(self.end.ask_from()).saturating_sub(self.issued)
        });
        let other_ns = self.flushes.time_ns() + self.idle_ns + self.making_ns;
        Ok(Outcome {
            recorder: self.recorder,
            start_ns: self.start_ns,
            end_ns,
            data_ns: loop_ns.saturating_sub(other_ns),
            flush_ns: self.flushes.time_ns(),
            close_ns: end_ns - close_start,
            pooled_ios: self.filler.pooled_ios(),
            backlog,
            huge: self.buffers.is_huge(),
            trace: Some(Trace {
                span: self.span,
                issued: self.issued,
                pooled_from: self.filler.pooled_from(),
                pool_buffers: self.filler.pool_buffers(),
            }),
        })
    }
}
