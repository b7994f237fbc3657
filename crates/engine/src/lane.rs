//! One thread's hot loop: start what may start, wait for something to finish, record it.
//!
//! Nothing in it allocates, locks or makes a system call other than the I/O. The clock is read
//! once a turn: the end of one operation is the start of the next, so with `psync` it is read once
//! an operation and with a deep queue once a batch. A batch's completions share one reading, which
//! comes after all of them: a latency is never too short, and too long by at most the time the
//! kernel took to hand over the batch. Where data is made for a write the clock is read again
//! after it, so that making it is not part of the latency.
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
use crate::engine::{Done, Engine, Op, Setup};
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

/// One in-flight I/O's state.
#[derive(Clone, Copy, Debug)]
struct Slot {
    start_ns: u64,
    op: Op,
    block: u64,
    /// Bytes an incomplete transfer has moved before.
    moved: u32,
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
    held: Option<Step>,
    end: End,
    pace: Option<Pace>,
    filler: Filler,
    flushes: Flushes,
    slots: Vec<Slot>,
    free: Vec<u32>,
    batch: Vec<Op>,
    done: Vec<Done>,
    recorder: Recorder,
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
        // bs is at most 1 GiB.
        let bs = job.bs as usize;
        let depth = cell.depth as usize;
        let per_slot = Filler::buffers_per_slot(job, depth);
        let buffers = Buffers::new(bs, depth * per_slot, job.mem)?;
        let setup =
            Setup { fd: fd.as_ref().map(AsFd::as_fd), buffers: &buffers, depth: cell.depth };
        let engine = E::new(&setup).map_err(|e| EngineError::io("setting up the I/O engine", e))?;
        let span = Span::of_lane(check::blocks(job), index, job.numjobs, check::is_apart(job));
        let op = Op { slot: 0, write: false, len: 0, offset: 0, memory: buffers.block_ptr(0) };
        let slot = Slot { start_ns: 0, op, block: u64::MAX, moved: 0 };
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
            held: None,
            end: End::of_lane(job, index),
            pace: job.rate_iops.map(|rate| Pace::new(rate, index, job.numjobs)),
            filler: Filler::new(job, Content::new(job.seed, index), depth, per_slot, cell.cost),
            flushes: Flushes::new(job),
            slots: vec![slot; depth],
            free: (0..cell.depth).rev().collect(),
            batch: Vec::with_capacity(depth),
            done: Vec::with_capacity(depth),
            recorder: Recorder::new(&kinds),
            buffers,
            start_ns: 0,
            next_check_ns: 0,
            issued: 0,
            stopping: false,
            stopped_ns: 0,
            idle_ns: 0,
            making_ns: 0,
        })
    }

    /// Does the work.
    pub fn run(mut self) -> Result<Outcome, EngineError> {
        self.start_ns = clock::now_ns();
        let mut now = self.start_ns;
        self.check_time(now);
        loop {
            now = self.issue(now)?;
            if self.free.len() == self.slots.len() {
                if self.flushes.is_due(self.stopping) {
                    now = self.flush(now)?;
                } else if self.stopping {
                    break;
                } else {
                    now = self.sleep(now);
                }
                continue;
            }
            let patience_ns = self.patience(now);
            let reaped = self.engine.reap(patience_ns, &mut self.done);
            reaped.map_err(|e| EngineError::io("waiting for I/O", e))?;
            now = clock::now_ns();
            if now >= self.next_check_ns {
                self.check_time(now);
            }
            self.complete(now)?;
        }
        self.finish(now)
    }

    /// Starts everything that may start now; returns the last clock reading.
    #[inline]
    fn issue(&mut self, now: u64) -> Result<u64, EngineError> {
        let mut now = now;
        let mut made = false;
        while !self.stopping && !self.flushes.is_due(false) {
            let Some(&slot) = self.free.last() else { break };
            let elapsed = now - self.start_ns;
            if (self.issued >= self.end.ask_from() || elapsed >= self.end.ask_at_ns())
                && self.end.reached(elapsed, self.issued, self.flushes.done())
            {
                self.stopping = true;
                self.stopped_ns = elapsed;
                break;
            }
            let due_ns = self.pace.as_ref().map(|pace| pace.due_ns(self.issued));
            if due_ns.is_some_and(|due_ns| due_ns > elapsed) {
                break;
            }
            let step = self.held.take().unwrap_or_else(|| self.cursor.step());
            if check::is_apart(self.cell.job) && self.is_in_flight(step.block) {
                // Two writes to one block at a time leave nobody knowing which came last.
                self.held = Some(step);
                break;
            }
            self.free.pop();
            let start_ns = due_ns.map_or(now, |due_ns| self.start_ns + due_ns);
            made |= self.prepare(slot, step, start_ns);
        }
        if self.batch.is_empty() {
            return Ok(now);
        }
        if made {
            let before = now;
            now = clock::now_ns();
            self.making_ns += now - before;
            if self.pace.is_none() {
                self.batch.iter().for_each(|op| self.slots[op.slot as usize].start_ns = now);
            }
        }
        // SAFETY: each slot's memory is its own until it is free again; the engine drops before
        // the buffers and before the descriptor is closed.
        let submitted = unsafe { self.engine.submit(&self.batch) };
        submitted.map_err(|e| EngineError::io("starting I/O", e))?;
        self.batch.clear();
        Ok(now)
    }

    /// Fills a slot and puts it in the batch; whether making its data took time worth measuring.
    #[inline]
    fn prepare(&mut self, slot: u32, step: Step, start_ns: u64) -> bool {
        let bs = self.cell.job.bs;
        let offset = step.block * bs;
        let mut made = false;
        let buffer = if step.write {
            self.flushes.count_write();
            let (buffer, fresh) = self.filler.fill(&mut self.buffers, slot, self.issued, offset);
            made = fresh;
            buffer
        } else {
            self.filler.read_buffer(slot)
        };
        self.issued += 1;
        let op = Op {
            slot,
            write: step.write,
            len: bs as u32,
            offset,
            memory: self.buffers.block_ptr(buffer),
        };
        self.slots[slot as usize] = Slot { start_ns, op, block: step.block, moved: 0 };
        self.batch.push(op);
        made
    }

    #[cold]
    fn is_in_flight(&self, block: u64) -> bool {
        let busy =
            |(i, slot): (usize, &Slot)| slot.block == block && !self.free.contains(&(i as u32));
        self.slots.iter().enumerate().any(busy)
    }

    /// Records what is done.
    #[inline]
    fn complete(&mut self, now: u64) -> Result<(), EngineError> {
        let bs = self.cell.job.bs;
        for i in 0..self.done.len() {
            let done = self.done[i];
            let slot = &self.slots[done.slot as usize];
            if done.result != slot.op.len as i32 {
                self.incomplete(done)?;
                continue;
            }
            let kind = if slot.op.write { Kind::Write } else { Kind::Read };
            self.recorder.record(kind, now.saturating_sub(slot.start_ns), bs);
            self.free.push(done.slot);
        }
        self.done.clear();
        Ok(())
    }

    /// Goes on with a transfer that stopped short, or gives up.
    #[cold]
    fn incomplete(&mut self, done: Done) -> Result<(), EngineError> {
        let slot = &mut self.slots[done.slot as usize];
        let doing = if slot.op.write { "writing" } else { "reading" };
        let place = format!("{doing} {} bytes at byte {}", slot.op.len, slot.op.offset);
        if done.result == 0 {
            return Err(EngineError::Invalid(format!(
                "{place} moved nothing: the target is shorter than it was"
            )));
        }
        if done.result > 0 {
            let moved = done.result as u32;
            slot.moved += moved;
            slot.op.len -= moved;
            slot.op.offset += u64::from(moved);
            // SAFETY: moved is less than the length of the block.
            slot.op.memory = unsafe { slot.op.memory.add(moved as usize) };
        } else if !matches!(-done.result, libc::EINTR | libc::EAGAIN) {
            let error = std::io::Error::from_raw_os_error(-done.result);
            return Err(EngineError::io(place, error));
        }
        let op = slot.op;
        // SAFETY: as in issue.
        let submitted = unsafe { self.engine.submit(&[op]) };
        submitted.map_err(|e| EngineError::io("starting I/O", e))
    }

    /// How long to wait for a completion: with a free slot and a next arrival, until that.
    #[inline]
    fn patience(&self, now: u64) -> Option<u64> {
        let pace = self.pace.as_ref()?;
        if self.stopping || self.free.is_empty() || self.flushes.is_due(false) {
            return None;
        }
        Some((self.start_ns + pace.due_ns(self.issued)).saturating_sub(now))
    }

    /// Nothing in flight and nothing due: waits for the next arrival or the end.
    #[cold]
    fn sleep(&mut self, now: u64) -> u64 {
        let due_ns = self.pace.as_ref().map_or(0, |pace| pace.due_ns(self.issued));
        let until = due_ns.min(self.end.ask_after_ns(now - self.start_ns));
        clock::sleep_until(self.start_ns.saturating_add(until));
        let woken = clock::now_ns();
        self.idle_ns += woken - now;
        woken
    }

    /// What happens once a window: roll it, publish, look at the cost of data.
    #[cold]
    fn check_time(&mut self, now: u64) {
        let counts = self.recorder.current();
        let elapsed = now - self.start_ns;
        let roll_ns = self.recorder.windows.roll(elapsed);
        if now > self.next_check_ns && self.next_check_ns > 0 {
            self.cell.live.publish(counts, self.index);
            self.filler.reconsider(counts, self.issued);
            if self.cell.live.should_stop() {
                self.stopping = true;
            }
        }
        self.next_check_ns = self.start_ns + roll_ns;
    }

    #[cold]
    fn flush(&mut self, now: u64) -> Result<u64, EngineError> {
        let mut now = now;
        while let Some(call) = self.flushes.next_due(self.stopping) {
            if let Some(fd) = &self.fd {
                call.make(fd)?;
            }
            let end = clock::now_ns();
            if end >= self.next_check_ns {
                self.check_time(end);
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
