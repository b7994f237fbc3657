//! The hot loop of engines that have done the I/O when they return.

use crate::engine::{Immediate, Op, rest_of};
use crate::error::EngineError;
use crate::offsets::{Order, Walk};
use crate::record::{Kind, Row};

use super::Lane;
use super::queued::Queue;

/// Latencies kept before they are put into the histogram. A store whose place depends on a reading
/// of the clock holds up the next reading: measured at 6 ns an I/O, of 16 with everything else.
const KEPT: usize = 256;

impl<E: Immediate> Lane<'_, E> {
    /// The loop for one I/O at a time, which needs no queue.
    pub fn one_by_one(&mut self, _: &mut Queue) -> Result<u64, EngineError> {
        let only = self.moves_only();
        let mut now = self.begin();
        loop {
            if self.flushes.is_due(false) {
                now = self.flush(now)?;
            }
            if now >= self.mark_ns {
                self.mark(now);
            }
            if self.is_over(now) {
                break;
            }
            now = match self.due_ns() {
                None if only.is_some() => self.move_on(now, only)?,
                None => self.in_a_row(now, None, self.undisturbed())?,
                Some(due_ns) if due_ns > now => self.sleep(now, due_ns),
                due_ns => self.in_a_row(now, due_ns, 1)?,
            };
        }
        if self.flushes.is_due(true) {
            now = self.flush(now)?;
        }
        Ok(now)
    }

    /// Does up to `ios` I/Os in a row; the first began at `due_ns`, if that is given. Returns the
    /// last clock reading.
    #[inline(never)]
    fn in_a_row(&mut self, now: u64, due_ns: Option<u64>, ios: u64) -> Result<u64, EngineError> {
        let clock = self.clock;
        let until_ns = self.until_ns();
        let mut now = now;
        for _ in 0..ios {
            let step = self.cursor.step();
            let (op, made) = self.prepare(0, step);
            let mut start = due_ns.unwrap_or(now);
            if made {
                now = self.after_making(now);
                start = due_ns.unwrap_or(now);
            }
            // SAFETY: the memory is the lane's and nobody else uses it; the descriptor is open.
            if let Err(result) = unsafe { self.engine.once(&op) } {
                go_on(&mut self.engine, op, result)?;
            }
            now = clock.now_ns();
            if now < until_ns {
                self.record(op.write, now.saturating_sub(start));
                continue;
            }
            if now >= self.next_check_ns {
                self.end_window(now);
            }
            self.record(op.write, now.saturating_sub(start));
            break;
        }
        Ok(now)
    }

    /// Does as many I/Os of one kind as nothing else has to be thought of. Returns the last clock
    /// reading.
    fn move_on(&mut self, now: u64, only: Option<Kind>) -> Result<u64, EngineError> {
        let Some(kind) = only else { return Ok(now) };
        let order = self.cursor.take_walk();
        let (now, order) = match order {
            Order::Uniform(walk) => {
                let (now, walk) = self.move_along(now, kind, walk)?;
                (now, Order::Uniform(walk))
            }
            Order::Linear(walk) => {
                let (now, walk) = self.move_along(now, kind, walk)?;
                (now, Order::Linear(walk))
            }
            other @ (Order::Once(_) | Order::Zipf(_)) => self.move_along(now, kind, other)?,
        };
        self.cursor.order = order;
        Ok(now)
    }

    /// The shortest loop there is: place, call, clock; the histogram a few at a time.
    #[inline(never)]
    fn move_along<W: Walk>(
        &mut self,
        now: u64,
        kind: Kind,
        mut walk: W,
    ) -> Result<(u64, W), EngineError> {
        let (clock, until_ns, ios) = (self.clock, self.until_ns(), self.undisturbed());
        let (bs, base) = (self.bs, self.cursor.base);
        let memory = self.buffers.block_ptr(self.filler.read_buffer(0));
        let write = kind == Kind::Write;
        let engine = &mut self.engine;
        let mut latencies = self.recorder.tally_mut(kind).latencies();
        let mut row = Row::new();
        let mut kept = [0; KEPT];
        let mut start = now;
        let mut last_ns = None;
        while row.count < ios && last_ns.is_none() {
            let room = (ios - row.count).min(KEPT as u64) as usize;
            let mut done = 0;
            while done < room {
                let offset = (base + walk.next_block()) * u64::from(bs);
                let op = Op { slot: 0, write, len: bs, offset, memory };
                // SAFETY: the memory is the lane's and nobody else uses it; the descriptor is open.
                if let Err(result) = unsafe { engine.once(&op) } {
                    go_on(engine, op, result)?;
                }
                let end = clock.now_ns();
                let latency_ns = end.wrapping_sub(start);
                start = end;
                if end >= until_ns {
                    last_ns = Some(latency_ns);
                    break;
                }
                // Never more than there is room for, which the compiler need not look for.
                kept[done % KEPT] = latency_ns;
                done += 1;
            }
            latencies.record_all(&kept[..done]);
            row.add_all(&kept[..done]);
        }
        row.check()?;
        self.end_row(kind, &row);
        self.count_begun(kind, row.count);
        if let Some(latency_ns) = last_ns {
            // It belongs to the window in which it ended.
            if start >= self.next_check_ns {
                self.end_window(start);
            }
            self.count_begun(kind, 1);
            self.record(write, latency_ns);
        }
        Ok((start, walk))
    }
}

#[cold]
fn go_on<E: Immediate>(engine: &mut E, mut op: Op, mut result: i32) -> Result<(), EngineError> {
    loop {
        op = rest_of(op, result)?;
        // SAFETY: the rest of the same memory.
        match unsafe { engine.once(&op) } {
            Ok(()) => return Ok(()),
            Err(less) => result = less,
        }
    }
}
