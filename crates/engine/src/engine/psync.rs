//! `pread(2)` and `pwrite(2)`, one at a time: works on every kernel and every file.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

use super::{Engine, Immediate, Op, Setup};

/// The synchronous engine. The descriptor is the lane's, which outlives it.
pub struct Psync {
    fd: RawFd,
}

impl Engine for Psync {
    fn new(setup: &Setup) -> io::Result<Psync> {
        Ok(Psync { fd: setup.fd.ok_or(io::ErrorKind::InvalidInput)?.as_raw_fd() })
    }
}

impl Immediate for Psync {
    #[inline]
    unsafe fn once(&mut self, op: &Op) -> i32 {
        let len = op.len as usize;
        // SAFETY: the caller keeps the descriptor open.
        let fd = unsafe { BorrowedFd::borrow_raw(self.fd) };
        let result = if op.write {
            // SAFETY: the caller keeps the memory valid and unused by others.
            let bytes = unsafe { std::slice::from_raw_parts(op.memory, len) };
            rustix::io::pwrite(fd, bytes, op.offset)
        } else {
            // SAFETY: as above.
            let bytes = unsafe { std::slice::from_raw_parts_mut(op.memory, len) };
            rustix::io::pread(fd, bytes, op.offset)
        };
        match result {
            // A block is at most 1 GiB.
            Ok(bytes) => bytes as i32,
            Err(error) => -error.raw_os_error(),
        }
    }
}
