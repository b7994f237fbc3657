//! The hot loop of engines with many I/Os in flight.

use crate::check;
use crate::clock;
use crate::engine::{Done, Op, Queued, describe};
use crate::error::EngineError;
use crate::offsets::Step;

use super::{Lane, Outcome};

/// One in-flight I/O's state.
#[derive(Clone, Copy, Debug)]
struct Slot {
    start_ns: u64,
    /// What is left of it.
    op: Op,
    block: u64,
}

/// What is in flight. All its memory is there before the clock starts.
struct Queue {
    slots: Vec<Slot>,
    free: Vec<u32>,
    batch: Vec<Op>,
    done: Vec<Done>,
    /// A write that waits for another to the same block.
    held: Option<Step>,
    apart: bool,
}

impl Queue {
    fn is_idle(&self) -> bool {
        self.free.len() == self.slots.len()
    }

    #[cold]
    fn is_in_flight(&self, block: u64) -> bool {
        let mut slots = self.slots.iter().enumerate();
        slots.any(|(i, slot)| slot.block == block && !self.free.contains(&(i as u32)))
    }
}

impl<E: Queued> Lane<'_, E> {
    /// Does the work, up to `depth` I/Os at a time.
    pub fn run_queued(mut self) -> Result<Outcome, EngineError> {
        let mut queue = self.queue();
        let mut now = self.begin();
        loop {
            now = self.issue(&mut queue, now)?;
            if queue.is_idle() {
                if self.flushes.is_due(self.stopping) {
                    now = self.flush(now)?;
                } else if self.stopping {
                    break;
                } else if let Some(due_ns) = self.due_ns() {
                    now = self.sleep(now, due_ns);
                }
                continue;
            }
            let patience_ns = self.patience(&queue, now);
            let reaped = self.engine.reap(patience_ns, &mut queue.done);
            reaped.map_err(|e| EngineError::io("waiting for I/O", e))?;
            now = clock::now_ns();
            if now >= self.next_check_ns {
                self.end_window(now);
            }
            self.complete(&mut queue, now)?;
        }
        self.finish(now)
    }

    fn queue(&self) -> Queue {
        let depth = self.cell.depth as usize;
        let memory = self.buffers.block_ptr(0);
        let op = Op { slot: 0, write: false, len: 0, offset: 0, memory };
        Queue {
            slots: vec![Slot { start_ns: 0, op, block: u64::MAX }; depth],
            free: (0..self.cell.depth).rev().collect(),
            batch: Vec::with_capacity(depth),
            done: Vec::with_capacity(depth),
            held: None,
            apart: check::is_apart(self.cell.job),
        }
    }

    /// Starts everything that may start now; returns the last clock reading.
    #[inline]
    fn issue(&mut self, queue: &mut Queue, now: u64) -> Result<u64, EngineError> {
        let mut now = now;
        let mut made = false;
        while let Some(&slot) = queue.free.last() {
            if self.flushes.is_due(false) || self.is_over(now) {
                break;
            }
            let due_ns = self.due_ns();
            if due_ns.is_some_and(|due_ns| due_ns > now) {
                break;
            }
            let step = queue.held.take().unwrap_or_else(|| self.cursor.step());
            if queue.apart && queue.is_in_flight(step.block) {
                // Two writes to one block at a time leave nobody knowing which came last.
                queue.held = Some(step);
                break;
            }
            let (op, took_time) = self.prepare(slot, step);
            made |= took_time;
            queue.free.pop();
            queue.slots[slot as usize] =
                Slot { start_ns: due_ns.unwrap_or(now), op, block: step.block };
            queue.batch.push(op);
        }
        if queue.batch.is_empty() {
            return Ok(now);
        }
        if made {
            let before = now;
            now = clock::now_ns();
            self.making_ns += now - before;
            if self.pace.is_none() {
                queue.batch.iter().for_each(|op| queue.slots[op.slot as usize].start_ns = now);
            }
        }
        self.submit(&queue.batch)?;
        queue.batch.clear();
        Ok(now)
    }

    #[inline]
    fn submit(&mut self, ops: &[Op]) -> Result<(), EngineError> {
        // SAFETY: each slot's memory is its own until it is free again; the engine drops before
        // the buffers and before the descriptor is closed.
        let submitted = unsafe { self.engine.submit(ops) };
        submitted.map_err(|e| EngineError::io("starting I/O", e))
    }

    /// Records what is done.
    #[inline]
    fn complete(&mut self, queue: &mut Queue, now: u64) -> Result<(), EngineError> {
        for done in queue.done.drain(..) {
            let slot = &mut queue.slots[done.slot as usize];
            if done.result != slot.op.len as i32 {
                slot.op = describe::rest_of(slot.op, done.result)?;
                let rest = slot.op;
                self.submit(&[rest])?;
                continue;
            }
            let (write, latency_ns) = (slot.op.write, now.saturating_sub(slot.start_ns));
            self.record(write, latency_ns);
            queue.free.push(done.slot);
        }
        Ok(())
    }

    /// How long to wait for a completion: with a free slot and a next arrival, until that.
    #[inline]
    fn patience(&self, queue: &Queue, now: u64) -> Option<u64> {
        let due_ns = self.due_ns()?;
        if self.stopping
            || queue.held.is_some()
            || queue.free.is_empty()
            || self.flushes.is_due(false)
        {
            return None;
        }
        Some(due_ns.saturating_sub(now))
    }
}
