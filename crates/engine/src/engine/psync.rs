//! `pread(2)` and `pwrite(2)`, one at a time: works on every kernel and every file.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

use super::{Done, Engine, Op, Setup};

/// The synchronous engine. The descriptor is the lane's, which outlives it.
pub struct Psync {
    fd: RawFd,
    last: Option<Done>,
}

impl Engine for Psync {
    fn new(setup: &Setup) -> io::Result<Psync> {
        let fd = setup.fd.ok_or(io::ErrorKind::InvalidInput)?.as_raw_fd();
        Ok(Psync { fd, last: None })
    }

    #[inline]
    unsafe fn submit(&mut self, ops: &[Op]) -> io::Result<()> {
        for op in ops {
            debug_assert!(self.last.is_none(), "psync has one I/O at a time");
            // SAFETY: the caller keeps memory and descriptor valid.
            let result = unsafe { do_op(BorrowedFd::borrow_raw(self.fd), op) };
            let result = match result {
                // A block is at most 1 GiB.
                Ok(bytes) => bytes as i32,
                Err(error) => -error.raw_os_error(),
            };
            self.last = Some(Done { slot: op.slot, result });
        }
        Ok(())
    }

    #[inline]
    fn reap(&mut self, _: Option<u64>, done: &mut Vec<Done>) -> io::Result<()> {
        done.extend(self.last.take());
        Ok(())
    }
}

/// # Safety
/// `op.memory` is valid for `op.len` bytes and used by nobody else.
#[inline]
unsafe fn do_op(fd: BorrowedFd, op: &Op) -> rustix::io::Result<usize> {
    if op.write {
        // SAFETY: see above.
        let bytes = unsafe { std::slice::from_raw_parts(op.memory, op.len as usize) };
        rustix::io::pwrite(fd, bytes, op.offset)
    } else {
        // SAFETY: see above.
        let bytes = unsafe { std::slice::from_raw_parts_mut(op.memory, op.len as usize) };
        rustix::io::pread(fd, bytes, op.offset)
    }
}
