//! One thread's hot loop: start what may start, wait for something to finish, record it.
//!
//! Nothing in it allocates, locks or makes a system call other than the I/O. There are two: one for
//! engines that have done the I/O when they return, one for engines with many in flight. Both do
//! as many I/Os in a row as nothing else has to be thought of (the end, a flush, a window), so that
//! an I/O pays for its offset, its call, its clock reading and its place in the histogram only.
//!
//! The clock is read once a turn: the end of one operation is the start of the next, so with
//! `psync` it is read once an operation and with a deep queue once a batch. A batch's completions
//! share one reading, taken when the kernel has handed them over, and so do the I/Os begun next:
//! a latency is too long by at most what handing a batch over takes, which is reported. Where data
//! is made for a write the clock is read again after it, so that making it is not part of the
//! latency.
//!
//! Flushes are a barrier, as in a program that writes and then calls fsync: what was started is
//! waited for, then the lane flushes, then it goes on.

use std::os::fd::{AsFd, OwnedFd};

use bakeoff_model::job::Job;

use crate::along::Along;
use crate::buffer::Buffers;
use crate::calibrate::Cost;
use crate::check;
use crate::clock::Clock;
use crate::data::Content;
use crate::end::End;
use crate::engine::{Engine, Op, Setup};
use crate::error::EngineError;
use crate::hold;
use crate::live::Live;
use crate::offsets::{Cursor, Span, Step};
use crate::pace::Pace;
use crate::record::{Kind, Recorder, Row};
use crate::windows::WINDOW_NS;

use self::filler::Filler;
use self::flush::Flushes;
use self::queued::Queue;

mod filler;
mod flush;
mod immediate;
mod queued;
pub mod worker;

#[derive(Clone, Copy)]
pub struct Cell<'a> {
    pub job: &'a Job,
    /// I/Os in flight a lane; 1 for engines that do one at a time.
    pub depth: u32,
    /// Whether lanes stand for one stream with many I/Os in flight and take turns in it.
    pub in_turns: bool,
    /// What making and bookkeeping cost; see [`crate::calibrate`].
    pub cost: Cost,
    pub clock: Clock,
    pub live: &'a Live<'a>,
}

/// One thread's work. Fields drop in order: the engine before the memory it uses.
pub struct Lane<'a, E> {
    engine: E,
    buffers: Buffers,
    fd: Option<OwnedFd>,
    cell: Cell<'a>,
    clock: Clock,
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
    batch_max: u32,
    turn_ns: u64,
    /// What was begun before the slice; `None` where a cell is measured in one piece. All other
    /// counts begin anew with each slice.
    slice_from: Option<u64>,
    along: Along,
    mark_ns: u64,
}

/// Does a lane's work up to the end that is set, flushes, and has nothing in flight afterwards.
/// Returns the last clock reading.
pub type Loop<'a, E> = fn(&mut Lane<'a, E>, &mut Queue) -> Result<u64, EngineError>;

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
        let blocks = check::blocks(job);
        let cost = cell.cost;
        // Lanes that share a file; with files of their own one each, or those in place of a queue.
        let sharing = (job.numjobs / job.own_files.max(1)).max(1);
        let span = if cell.in_turns && !job.rw.is_random() {
            Span::in_turns(blocks, index, job.numjobs)
        } else {
            Span::of_lane(blocks, index % sharing, sharing, check::is_apart(job))
        };
        let mut kinds = Vec::new();
        kinds.extend(job.rw.reads().then_some(Kind::Read));
        kinds.extend(job.rw.writes().then_some(Kind::Write));
        kinds.extend((job.rw.writes() && job.is_durable()).then_some(Kind::Flush));
        Ok(Lane {
            engine,
            fd,
            cell,
            clock: cell.clock,
            index,
            cursor: Cursor::new(job, span, index),
            span,
            end: End::of_lane(job, index),
            pace: Pace::of_lane(job, index),
            filler: Filler::new(job, Content::new(job.seed, index), depth, per_slot, cost),
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
            batch_max: 1,
            turn_ns: 0,
            slice_from: None,
            along: Along::default(),
            mark_ns: u64::MAX,
        })
    }

    fn begin(&mut self) -> u64 {
        hold::ready();
        self.start_ns = self.clock.now_ns();
        if self.slice_from.is_some() {
            self.mark_ns = self.start_ns.saturating_add(self.along.due_ns());
        }
        self.next_check_ns = self.start_ns + self.recorder.first_window_ns();
        self.start_ns
    }

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
        let ios = self.begun();
        if self.stopping {
            return true;
        }
        if self.end.reached(elapsed, ios, self.flushes.done()) {
            self.stopping = true;
            self.stopped_ns = elapsed;
        } else {
            self.end.wait_for_least(self.issued, ios);
        }
        self.stopping
    }

    /// I/Os begun of the slice, or of the cell in one piece.
    fn begun(&self) -> u64 {
        self.issued - self.slice_from.unwrap_or(0)
    }

    /// How many I/Os may begin before anything else has to be thought of, as far as counts go;
    /// at least 1.
    #[inline]
    fn undisturbed(&self) -> u64 {
        let left = self.end.ask_from().saturating_sub(self.issued);
        left.min(self.flushes.writes_left()).max(1)
    }

    /// The kind of operation, where one differs from the next only in its place: all are reads, or
    /// all writes of the same zeros, none is due at a time of its own and none has to wait.
    fn moves_only(&self) -> Option<Kind> {
        let job = self.cell.job;
        let may_differ = self.pace.is_some() || check::makes_data(job) || check::is_apart(job);
        match (job.rw.reads(), job.rw.writes()) {
            _ if may_differ => None,
            (true, false) => Some(Kind::Read),
            (false, true) => Some(Kind::Write),
            _ => None,
        }
    }

    /// A row of I/Os was begun and recorded.
    fn end_row(&mut self, kind: Kind, row: &Row) {
        self.recorder.tally_mut(kind).add_row(row, u64::from(self.bs));
    }

    /// So many I/Os of a kind were begun.
    fn count_begun(&mut self, kind: Kind, ios: u64) {
        self.issued += ios;
        if kind == Kind::Write {
            self.flushes.count_writes(ios);
        }
    }

    #[inline]
    fn until_ns(&self) -> u64 {
        let asked_ns = self.start_ns.saturating_add(self.end.ask_at_ns());
        self.next_check_ns.min(asked_ns).min(self.mark_ns)
    }

    /// Makes the I/O of a step, with its data; whether making it took time worth measuring.
    #[inline]
    fn prepare(&mut self, slot: u32, step: Step) -> (Op, bool) {
        let offset = step.block * u64::from(self.bs);
        let (buffer, made) = if step.write {
            self.flushes.count_writes(1);
            self.filler.fill(&mut self.buffers, slot, self.issued, offset)
        } else {
            (self.filler.read_buffer(slot), false)
        };
        self.issued += 1;
        if let Some(pace) = &mut self.pace {
            pace.begin();
        }
        let memory = self.buffers.block_ptr(buffer);
        (Op { slot, write: step.write, len: self.bs, offset, memory }, made)
    }

    #[inline]
    fn record(&mut self, write: bool, latency_ns: u64) {
        let kind = if write { Kind::Write } else { Kind::Read };
        self.recorder.record(kind, latency_ns, u64::from(self.bs));
    }

    /// Data was made since `before`: what the clock says now.
    fn after_making(&mut self, before: u64) -> u64 {
        let now = self.clock.now_ns();
        self.making_ns += now - before;
        now
    }

    /// When an open loop's next operation is due.
    fn due_ns(&self) -> Option<u64> {
        self.pace.as_ref().map(|pace| self.start_ns.saturating_add(pace.due_ns()))
    }

    /// Nothing in flight and nothing due: waits for the next arrival or the end.
    #[cold]
    fn sleep(&mut self, now: u64, due_ns: u64) -> u64 {
        let end_ns = self.start_ns.saturating_add(self.end.ask_after_ns(now - self.start_ns));
        self.clock.sleep_until(due_ns.min(end_ns));
        let woken = self.clock.now_ns();
        self.idle_ns += woken - now;
        self.stop_if_told(woken);
        woken
    }

    /// What happens once a window: roll it, publish, look at the cost of data.
    #[cold]
    fn end_window(&mut self, now: u64) {
        let (counts, next_ns) = self.recorder.end_window(now - self.start_ns);
        self.next_check_ns = self.start_ns + next_ns;
        self.cell.live.publish(counts, self.index);
        self.filler.reconsider(counts, WINDOW_NS, self.issued);
        self.stop_if_told(now);
    }

    fn stop_if_told(&mut self, now: u64) {
        if self.cell.live.should_stop() && !self.stopping {
            (self.stopping, self.stopped_ns) = (true, now - self.start_ns);
        }
    }

    #[cold]
    fn flush(&mut self, now: u64) -> Result<u64, EngineError> {
        let mut now = now;
        while let Some(call) = self.flushes.next_due(self.stopping) {
            if let Some(fd) = &self.fd {
                call.make(fd)?;
            }
            let end = self.clock.now_ns();
            if end >= self.next_check_ns {
                self.end_window(end);
            }
            self.recorder.record(Kind::Flush, end - now, 0);
            self.flushes.add_time(end - now);
            now = end;
        }
        Ok(now)
    }
}
