//! The hot loop of engines that have done the I/O when they return.

use crate::clock;
use crate::engine::{Immediate, Op, describe};
use crate::error::EngineError;

use super::{Lane, Outcome};

impl<E: Immediate> Lane<'_, E> {
    /// Does the work, one I/O at a time.
    pub fn run(mut self) -> Result<Outcome, EngineError> {
        let mut now = self.begin();
        loop {
            if self.flushes.is_due(false) {
                now = self.flush(now)?;
            }
            if self.is_over(now) {
                break;
            }
            let mut start = now;
            if let Some(due_ns) = self.due_ns() {
                if due_ns > now {
                    now = self.sleep(now, due_ns);
                    continue;
                }
                start = due_ns;
            }
            let step = self.cursor.step();
            let (op, made) = self.prepare(0, step);
            if made {
                let before = now;
                now = clock::now_ns();
                self.making_ns += now - before;
                if self.pace.is_none() {
                    start = now;
                }
            }
            // SAFETY: the memory is the lane's and nobody else uses it; the descriptor is open.
            let result = unsafe { self.engine.once(&op) };
            if result != op.len as i32 {
                self.go_on(op, result)?;
            }
            now = clock::now_ns();
            if now >= self.next_check_ns {
                self.end_window(now);
            }
            self.record(op.write, now.saturating_sub(start));
        }
        if self.flushes.is_due(true) {
            now = self.flush(now)?;
        }
        self.finish(now)
    }

    /// Goes on with a transfer that stopped short, or gives up.
    #[cold]
    fn go_on(&mut self, mut op: Op, mut result: i32) -> Result<(), EngineError> {
        while result != op.len as i32 {
            op = describe::rest_of(op, result)?;
            // SAFETY: the rest of the same memory.
            result = unsafe { self.engine.once(&op) };
        }
        Ok(())
    }
}
