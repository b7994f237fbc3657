//! No I/O at all: everything succeeds at once. What a run with it takes is the generator's own
//! cost, and it is how that cost is calibrated.

use std::io;

use super::{Done, Engine, Immediate, Op, Queued, Setup};

/// The engine that does nothing.
pub struct Null {
    done: Vec<Done>,
}

impl Engine for Null {
    fn new(setup: &Setup) -> io::Result<Null> {
        Ok(Null { done: Vec::with_capacity(setup.depth as usize) })
    }
}

impl Immediate for Null {
    #[inline]
    unsafe fn once(&mut self, op: &Op) -> i32 {
        // A block is at most 1 GiB.
        std::hint::black_box(op).len as i32
    }
}

impl Queued for Null {
    #[inline]
    unsafe fn submit(&mut self, ops: &[Op]) -> io::Result<()> {
        self.done.extend(ops.iter().map(|op| Done { slot: op.slot, result: op.len as i32 }));
        Ok(())
    }

    #[inline]
    fn reap(&mut self, _: Option<u64>, done: &mut Vec<Done>) -> io::Result<()> {
        done.append(&mut self.done);
        Ok(())
    }
}
