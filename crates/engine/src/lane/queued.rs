//! The hot loop of engines with many I/Os in flight.

use crate::check;
use crate::engine::{Done, Engine, Op, Queued, rest_of};
use crate::error::EngineError;
use crate::offsets::{Order, Step, Walk};
use crate::record::{Kind, Row};

use super::Lane;

/// What is in flight. All its memory is there before the clock starts.
pub struct Queue {
    /// When the I/O of each slot began.
    start_ns: Vec<u64>,
    blocks: Vec<u64>,
    free: Vec<u32>,
    /// I/Os prepared in this turn and not handed over yet.
    prepared: Vec<Op>,
    /// Completions of this turn that are not of whole I/Os.
    odd: Vec<Done>,
    held: Option<Step>,
    apart: bool,
    /// A slot's I/O only ever moves to another place: the kind where it is so.
    only: Option<Kind>,
}

#[derive(Clone, Copy)]
struct QueuedTurn {
    kind: Kind,
    ready: u32,
    now: u64,
}

impl Queue {
    fn is_idle(&self) -> bool {
        self.free.len() == self.start_ns.len()
    }

    #[cold]
    fn is_in_flight(&self, block: u64) -> bool {
        let mut blocks = self.blocks.iter().enumerate();
        blocks.any(|(i, at)| *at == block && !self.free.contains(&(i as u32)))
    }
}

impl<E: Engine> Lane<'_, E> {
    pub fn queue(&self) -> Queue {
        let job = self.cell.job;
        let depth = self.cell.depth as usize;
        let apart = check::is_apart(job);
        Queue {
            start_ns: vec![0; depth],
            blocks: vec![u64::MAX; depth],
            free: (0..self.cell.depth).rev().collect(),
            prepared: Vec::with_capacity(depth),
            odd: Vec::with_capacity(depth),
            held: None,
            apart,
            only: self.moves_only(),
        }
    }
}

impl<E: Queued> Lane<'_, E> {
    /// The loop for many I/Os in flight.
    pub fn queued(&mut self, queue: &mut Queue) -> Result<u64, EngineError> {
        let mut now = self.begin();
        let mut larger = true;
        loop {
            if now >= self.mark_ns {
                self.mark(now);
            }
            if !queue.free.is_empty() {
                now = self.issue(queue, now)?;
            }
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
            if std::mem::take(&mut larger) {
                self.turn_ns = self.turn_ns.max(self.clock.now_ns().saturating_sub(now));
            }
            let patience_ns = self.patience(queue, now);
            let ready = self.engine.wait(patience_ns).map_err(waiting)?;
            now = self.clock.now_ns();
            if now >= self.next_check_ns {
                self.end_window(now);
            }
            larger = ready > self.batch_max;
            self.batch_max = self.batch_max.max(ready);
            let goes_on = now < self.until_ns() && u64::from(ready) < self.undisturbed();
            match queue.only.filter(|_| goes_on && !self.stopping) {
                Some(kind) => self.again(queue, kind, ready, now)?,
                None => self.complete(queue, ready, now)?,
            }
        }
        Ok(now)
    }

    /// Records `ready` completions, which `now` is the moment of, and begins as many I/Os in their
    /// slots, which differ from those before only in where they go.
    fn again(
        &mut self,
        queue: &mut Queue,
        kind: Kind,
        ready: u32,
        now: u64,
    ) -> Result<(), EngineError> {
        let turn = QueuedTurn { kind, ready, now };
        match self.cursor.take_walk() {
            Order::Uniform(mut walk) => {
                self.move_all(queue, turn, &mut walk)?;
                self.cursor.order = Order::Uniform(walk);
            }
            mut other @ (Order::Linear(_) | Order::Once(_) | Order::Zipf(_)) => {
                self.move_all(queue, turn, &mut other)?;
                self.cursor.order = other;
            }
        }
        Ok(())
    }

    /// The shortest loop there is: completion, histogram, place, entry.
    #[inline(never)]
    fn move_all<W: Walk>(
        &mut self,
        queue: &mut Queue,
        turn: QueuedTurn,
        walk: &mut W,
    ) -> Result<(), EngineError> {
        let QueuedTurn { kind, ready, now } = turn;
        let (bs, base) = (self.bs, self.cursor.base);
        let mut latencies = self.recorder.tally_mut(kind).latencies();
        let mut row = Row::new();
        let (starts, odd) = (queue.start_ns.as_mut_slice(), &mut queue.odd);
        let next = |done: Done| {
            let start_ns = starts.get_mut(done.slot as usize);
            let Some(start_ns) = start_ns.filter(|_| done.result == bs as i32) else {
                // Rare: a part of an I/O, or the rest of one. Looked at when the others are done.
                odd.push(done);
                return None;
            };
            let latency_ns = now.saturating_sub(*start_ns);
            *start_ns = now;
            latencies.record(latency_ns);
            row.add(latency_ns);
            Some((base + walk.next_block()) * u64::from(bs))
        };
        // SAFETY: the I/Os of these slots are over, and their memory is their own as before.
        unsafe { self.engine.again(ready, next) }.map_err(starting)?;
        self.end_row(kind, &row);
        self.count_begun(kind, row.count);
        while let Some(done) = queue.odd.pop() {
            self.end(queue, done, now)?;
        }
        Ok(())
    }

    /// Starts everything that may start now; returns the last clock reading. All data of a turn is
    /// made first and the clock read then, because handing an I/O over may take as long as the I/O:
    /// io_submit(2) blocks where a write extends a file or fills a hole.
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
            queue.prepared.push(op);
            queue.start_ns[slot as usize] = due_ns.unwrap_or(now);
            queue.blocks[slot as usize] = step.block;
        }
        if made {
            now = self.after_making(now);
            if self.pace.is_none() {
                let starts = &mut queue.start_ns;
                queue.prepared.iter().for_each(|op| starts[op.slot as usize] = now);
            }
        }
        for op in queue.prepared.drain(..) {
            // SAFETY: each slot's memory is its own until it is free again; the engine drops
            // before the buffers and before the descriptor is closed.
            unsafe { self.engine.push(&op) }.map_err(starting)?;
        }
        Ok(now)
    }

    /// Records `ready` completions, which `now` is the moment of.
    fn complete(&mut self, queue: &mut Queue, ready: u32, now: u64) -> Result<(), EngineError> {
        for _ in 0..ready {
            let done = self.engine.pop();
            self.end(queue, done, now)?;
        }
        Ok(())
    }

    /// One I/O is done, or a part of it, whose rest then follows.
    fn end(&mut self, queue: &mut Queue, done: Done, now: u64) -> Result<(), EngineError> {
        let Some(start_ns) = queue.start_ns.get(done.slot as usize) else {
            return Err(strange(done));
        };
        let op = self.engine.op_of(done.slot);
        if done.result != op.len as i32 {
            let rest = rest_of(op, done.result)?;
            // SAFETY: the rest of the same memory.
            return unsafe { self.engine.push(&rest) }.map_err(starting);
        }
        self.record(op.write, now.saturating_sub(*start_ns));
        queue.free.push(done.slot);
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

fn starting(error: std::io::Error) -> EngineError {
    EngineError::io("starting I/O", error)
}

fn waiting(error: std::io::Error) -> EngineError {
    EngineError::io("waiting for I/O", error)
}

#[cold]
fn strange(done: Done) -> EngineError {
    EngineError::io(
        "waiting for I/O",
        std::io::Error::other(format!(
            "the kernel completed I/O {}, which was not started",
            done.slot
        )),
    )
}
