//! How I/O is done: one file an engine, generic in the lane so that calls are inlined.

pub mod describe;
pub mod null;
pub mod psync;
#[cfg(io_uring)]
pub mod uring;

use std::io;
use std::os::fd::BorrowedFd;

use crate::buffer::Buffers;

/// One I/O for the kernel.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    /// Whose slot it is; comes back in [`Done`].
    pub slot: u32,
    /// Write, or read.
    pub write: bool,
    /// Bytes.
    pub len: u32,
    /// Byte offset on the target.
    pub offset: u64,
    /// The memory.
    pub memory: *mut u8,
}

/// One completed I/O.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    /// The slot of its [`Op`].
    pub slot: u32,
    /// Bytes transferred, or a negative error number.
    pub result: i32,
}

/// What an engine is made for.
pub struct Setup<'a> {
    /// The open target; `None` for an engine that does no I/O.
    pub fd: Option<BorrowedFd<'a>>,
    /// The lane's memory (only rings register it), cut into `depth` equal parts, one a slot.
    #[cfg_attr(not(io_uring), allow(dead_code))]
    pub buffers: &'a Buffers,
    /// Most I/Os in flight.
    pub depth: u32,
    /// Whether the target was opened with O_DIRECT.
    #[cfg_attr(not(io_uring), allow(dead_code))]
    pub direct: bool,
}

/// One way to do I/O. Lives in the thread that made it.
pub trait Engine: Sized {
    /// Prepares everything that can be prepared before the clock starts.
    fn new(setup: &Setup) -> io::Result<Self>;

    /// Lets go of the target, so that closing it is the last use.
    fn release(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An engine that has done the I/O when it returns.
pub trait Immediate: Engine {
    /// Does one I/O: bytes transferred, or a negative error number.
    ///
    /// # Safety
    /// The memory of the op is valid and used by nobody else, and the descriptor is open.
    unsafe fn once(&mut self, op: &Op) -> i32;
}

/// An engine with many I/Os in flight.
pub trait Queued: Engine {
    /// Hands over I/Os.
    ///
    /// # Safety
    /// The memory of every op stays valid and unused by others until its [`Done`] was reaped or
    /// the engine is dropped, and the descriptor stays open as long.
    unsafe fn submit(&mut self, ops: &[Op]) -> io::Result<()>;

    /// Appends what is done to `done`, after waiting for at least one I/O or for `patience_ns`,
    /// whichever comes first. Allocates nothing when `done` has room for every I/O in flight.
    fn reap(&mut self, patience_ns: Option<u64>, done: &mut Vec<Done>) -> io::Result<()>;
}
