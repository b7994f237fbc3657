//! No I/O at all: everything succeeds at once. What a run with it takes is the generator's own
//! cost, and it is how that cost is calibrated.

use std::io;

use super::{Done, Engine, Immediate, Op, Queued, Setup};

pub struct Null {
    ops: Vec<Op>,
    taken: Vec<u32>,
    done: Vec<u32>,
}

impl Engine for Null {
    fn new(setup: &Setup) -> io::Result<Null> {
        let depth = setup.depth as usize;
        let memory = setup.buffers.block_ptr(0);
        let op = Op { slot: 0, write: false, len: 0, offset: 0, memory };
        let (taken, done) = (Vec::with_capacity(depth), Vec::with_capacity(depth));
        Ok(Null { ops: vec![op; depth], taken, done })
    }
}

impl Immediate for Null {
    #[inline]
    unsafe fn once(&mut self, op: &Op) -> Result<(), i32> {
        // The place is what there is to find out for an I/O; all else is as in the last one.
        std::hint::black_box(op.offset);
        Ok(())
    }
}

impl Queued for Null {
    #[inline]
    unsafe fn push(&mut self, op: &Op) -> io::Result<()> {
        self.ops[op.slot as usize] = *op;
        self.taken.push(op.slot);
        Ok(())
    }

    #[inline]
    unsafe fn push_again(&mut self, slot: u32, offset: u64) -> io::Result<()> {
        self.ops[slot as usize].offset = offset;
        self.taken.push(slot);
        Ok(())
    }

    fn op_of(&self, slot: u32) -> Op {
        self.ops[slot as usize]
    }

    #[inline]
    fn wait(&mut self, _: Option<u64>) -> io::Result<u32> {
        std::mem::swap(&mut self.taken, &mut self.done);
        Ok(self.done.len() as u32)
    }

    #[inline]
    fn pop(&mut self) -> Done {
        let slot = self.done.pop().unwrap_or(u32::MAX);
        let op = self.ops.get(slot as usize);
        Done { slot, result: std::hint::black_box(op.map_or(0, |op| op.len as i32)) }
    }
}
