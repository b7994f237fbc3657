//! How I/O is done: one file an engine, generic in the lane so that calls are inlined.

pub mod libaio;
pub mod null;
pub mod psync;
mod ring;
pub mod uring;

use std::io;
use std::os::fd::BorrowedFd;

use crate::buffer::Buffers;
use crate::error::EngineError;

/// One I/O for the kernel.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    /// Whose slot it is; comes back in [`Done`].
    pub slot: u32,
    pub write: bool,
    pub len: u32,
    pub offset: u64,
    pub memory: *mut u8,
}

#[derive(Clone, Copy, Debug)]
pub struct Done {
    pub slot: u32,
    /// Bytes transferred, or a negative error number.
    pub result: i32,
}

pub struct Setup<'a> {
    /// The open target; `None` for an engine that does no I/O.
    pub fd: Option<BorrowedFd<'a>>,
    /// The lane's memory, cut into `depth` equal parts, one a slot.
    pub buffers: &'a Buffers,
    /// Most I/Os in flight.
    pub depth: u32,
    pub direct: bool,
}

/// One way to do I/O. Lives in the thread that made it.
pub trait Engine: Sized {
    fn new(setup: &Setup) -> io::Result<Self>;

    /// Lets go of the target, so that closing it is the last use.
    fn release(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An engine that has done the I/O when it returns.
pub trait Immediate: Engine {
    /// Does one I/O. If it did not do the whole of it: bytes transferred, or a negative error
    /// number.
    ///
    /// # Safety
    /// The memory of the op is valid and used by nobody else, and the descriptor is open.
    unsafe fn once(&mut self, op: &Op) -> Result<(), i32>;
}

/// An engine with many I/Os in flight, one a slot.
pub trait Queued: Engine {
    /// Takes an I/O, to be handed to the kernel with the next [`Queued::wait`] at the latest.
    ///
    /// # Safety
    /// The memory of the op stays valid and unused by others until its [`Done`] was popped or the
    /// engine is dropped, and the descriptor stays open as long.
    unsafe fn push(&mut self, op: &Op) -> io::Result<()>;

    /// Takes the I/O that `slot` had last, whole, at another byte offset.
    ///
    /// # Safety
    /// As for [`Queued::push`], which this slot has seen before.
    unsafe fn push_again(&mut self, slot: u32, offset: u64) -> io::Result<()>;

    /// Pops `ready` I/Os and takes each again at the offset `next` answers, where it does.
    ///
    /// # Safety
    /// As for [`Queued::push_again`], with every slot that `next` answers for.
    #[inline]
    unsafe fn again(
        &mut self,
        ready: u32,
        mut next: impl FnMut(Done) -> Option<u64>,
    ) -> io::Result<()> {
        for _ in 0..ready {
            let done = self.pop();
            if let Some(offset) = next(done) {
                // SAFETY: as the caller promises.
                unsafe { self.push_again(done.slot, offset) }?;
            }
        }
        Ok(())
    }

    fn op_of(&self, slot: u32) -> Op;

    /// Hands over what was taken, and waits until at least one I/O is done or for `patience_ns`,
    /// whichever comes first. Returns how many are to be popped. Allocates nothing.
    fn wait(&mut self, patience_ns: Option<u64>) -> io::Result<u32>;

    /// The next I/O that is done: as often as [`Queued::wait`] said.
    fn pop(&mut self) -> Done;
}

/// What is left to do of `op` after `result`, or why there is no going on. Short transfers are
/// legal: a signal, or a device that filled up in the middle, whose error comes with the rest.
pub fn rest_of(mut op: Op, result: i32) -> Result<Op, EngineError> {
    let doing = if op.write { "writing" } else { "reading" };
    let place = || format!("{doing} {} bytes at byte {}", op.len, op.offset);
    if result == 0 {
        return Err(EngineError::invalid(format!(
            "{} transferred no data: the target is shorter than before",
            place()
        )));
    }
    if result < 0 {
        return match -result {
            libc::EINTR | libc::EAGAIN => Ok(op),
            errno => Err(EngineError::io(place(), io::Error::from_raw_os_error(errno))),
        };
    }
    let moved = result.unsigned_abs().min(op.len);
    op.len -= moved;
    op.offset += u64::from(moved);
    // Within the block, or one past its end.
    op.memory = op.memory.wrapping_add(moved as usize);
    Ok(op)
}

#[cfg(test)]
mod tests {
    use bakeoff_tools::native::FailureKind;

    use super::*;

    #[test]
    fn a_short_transfer_goes_on_and_an_error_names_its_place() {
        let mut block = [0u8; 4096];
        let memory = block.as_mut_ptr();
        let op = Op { slot: 3, write: true, len: 4096, offset: 8192, memory };
        let rest = rest_of(op, 1000).unwrap();
        assert_eq!((rest.slot, rest.len, rest.offset), (3, 3096, 9192));
        assert_eq!(rest.memory as usize, memory as usize + 1000);
        assert_eq!(rest_of(op, -libc::EINTR).unwrap().len, 4096);
        let full = rest_of(rest, -libc::ENOSPC).unwrap_err();
        assert!(full.to_string().contains("writing 3096 bytes at byte 9192"), "{full}");
        assert!(full.kind() == FailureKind::NoSpace);
        assert!(rest_of(op, 0).unwrap_err().to_string().contains("shorter"));
    }
}
