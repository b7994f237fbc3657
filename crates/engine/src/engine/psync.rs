//! `pread(2)` and `pwrite(2)`, one at a time: works on every kernel and every file.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use super::{Engine, Immediate, Op, Setup};

/// The synchronous engine. The descriptor is the lane's, which outlives it.
pub struct Psync {
    fd: BorrowedFd<'static>,
}

impl Engine for Psync {
    fn new(setup: &Setup) -> io::Result<Psync> {
        let fd = setup.fd.ok_or(io::ErrorKind::InvalidInput)?.as_raw_fd();
        // SAFETY: the lane keeps it open as long as it has the engine.
        Ok(Psync { fd: unsafe { BorrowedFd::borrow_raw(fd) } })
    }
}

impl Immediate for Psync {
    #[inline]
    unsafe fn once(&mut self, op: &Op) -> Result<(), i32> {
        let len = op.len as usize;
        let result = if op.write {
            // SAFETY: the caller keeps the memory valid and unused by others.
            let bytes = unsafe { std::slice::from_raw_parts(op.memory, len) };
            rustix::io::pwrite(self.fd, bytes, op.offset)
        } else {
            // SAFETY: as above.
            let bytes = unsafe { std::slice::from_raw_parts_mut(op.memory, len) };
            rustix::io::pread(self.fd, bytes, op.offset)
        };
        match result {
            Ok(bytes) if bytes == len => Ok(()),
            // A block is at most 1 GiB.
            Ok(bytes) => Err(bytes as i32),
            Err(error) => Err(-error.raw_os_error()),
        }
    }
}
