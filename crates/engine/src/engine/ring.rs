//! The ring of `io_uring(7)`: its memory, its entries and its system calls, nothing of our use.
//!
//! Own code and not the io-uring crate: an entry of ours is filled in once for each slot and only
//! its offset changes, which takes 35 instructions less an I/O than building one each time, and
//! the crate refuses to build on 32-bit machines. Source: io_uring_setup(2), io_uring_enter(2),
//! include/uapi/linux/io_uring.h.

use std::ffi::{c_int, c_long, c_void};
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

const SYS_SETUP: c_long = 425;
const SYS_ENTER: c_long = 426;
const SYS_REGISTER: c_long = 427;

const OFFSET_SQ_RING: u64 = 0;
const OFFSET_CQ_RING: u64 = 0x800_0000;
const OFFSET_SQES: u64 = 0x1000_0000;

const ENTER_GETEVENTS: u32 = 1;
const ENTER_EXT_ARG: u32 = 1 << 3;

/// One submission, as the kernel reads it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Sqe {
    pub opcode: u8,
    pub flags: u8,
    pub ioprio: u16,
    pub fd: i32,
    pub off: u64,
    pub addr: u64,
    pub len: u32,
    pub op_flags: u32,
    pub user_data: u64,
    pub buf_index: u16,
    pub personality: u16,
    pub file_index: u32,
    pub rest: [u64; 2],
}

/// One completion, as the kernel writes it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Cqe {
    pub user_data: u64,
    pub result: i32,
    pub flags: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct SqOffsets {
    head: u32,
    tail: u32,
    ring_mask: u32,
    ring_entries: u32,
    flags: u32,
    dropped: u32,
    array: u32,
    resv1: u32,
    user_addr: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct CqOffsets {
    head: u32,
    tail: u32,
    ring_mask: u32,
    ring_entries: u32,
    overflow: u32,
    cqes: u32,
    flags: u32,
    resv1: u32,
    user_addr: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Params {
    sq_entries: u32,
    cq_entries: u32,
    flags: u32,
    sq_thread_cpu: u32,
    sq_thread_idle: u32,
    features: u32,
    wq_fd: u32,
    resv: [u32; 3],
    sq_off: SqOffsets,
    cq_off: CqOffsets,
}

/// What io_uring_enter(2) takes with `IORING_ENTER_EXT_ARG`.
#[repr(C)]
struct WaitArg {
    sigmask: u64,
    sigmask_sz: u32,
    pad: u32,
    ts: u64,
}

/// The kernel's 64-bit time, on 32-bit machines too.
#[repr(C)]
struct WaitTime {
    sec: i64,
    nsec: i64,
}

const _: () = assert!(size_of::<Sqe>() == 64 && size_of::<Cqe>() == 16);
const _: () = assert!(size_of::<Params>() == 120 && size_of::<WaitArg>() == 24);

struct Shared {
    memory: NonNull<u8>,
    bytes: usize,
}

impl Shared {
    fn map(fd: &OwnedFd, offset: u64, bytes: usize) -> io::Result<Shared> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::SHARED | MapFlags::POPULATE;
        // SAFETY: a fresh mapping of the ring, which aliases nothing of ours.
        let memory = unsafe { mmap(ptr::null_mut(), bytes, access, flags, fd, offset) }?;
        let memory = NonNull::new(memory.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Shared { memory, bytes })
    }

    /// The place `offset` bytes in, as the kernel gave it.
    fn at<T>(&self, offset: u32) -> NonNull<T> {
        debug_assert!((offset as usize) < self.bytes);
        // SAFETY: the kernel's offsets lie within what it told to map.
        unsafe { self.memory.add(offset as usize).cast() }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: exactly what was mapped, and the ring that used it goes with it.
        let unmapped = unsafe { munmap(self.memory.as_ptr().cast::<c_void>(), self.bytes) };
        debug_assert!(unmapped.is_ok());
    }
}

pub struct Ring {
    tail: u32,
    handed: u32,
    sq_mask: u32,
    cq_mask: u32,
    head: u32,
    sq_tail: NonNull<AtomicU32>,
    sq_array: NonNull<u32>,
    sqes: NonNull<Sqe>,
    cq_head: NonNull<AtomicU32>,
    cq_tail: NonNull<AtomicU32>,
    cqes: NonNull<Cqe>,
    entries: u32,
    // What the pointers point into, and what made it, in the order to let go of.
    _sqe_memory: Shared,
    _cq_memory: Shared,
    _sq_memory: Shared,
    fd: OwnedFd,
}

impl Ring {
    /// A ring with room for `entries` I/Os in flight, set up with `flags`.
    pub fn new(entries: u32, flags: u32) -> io::Result<Ring> {
        let mut params = Params { flags, ..Params::default() };
        // SAFETY: params is the struct the call reads and writes, and lives until it returns.
        let fd = unsafe { libc::syscall(SYS_SETUP, entries, &raw mut params) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a descriptor that the kernel has just made for us.
        let fd = unsafe { OwnedFd::from_raw_fd(fd as c_int) };
        let (sq, cq) = (params.sq_off, params.cq_off);
        let sq_bytes = sq.array as usize + params.sq_entries as usize * size_of::<u32>();
        let cq_bytes = cq.cqes as usize + params.cq_entries as usize * size_of::<Cqe>();
        let sqe_bytes = params.sq_entries as usize * size_of::<Sqe>();
        let sq_memory = Shared::map(&fd, OFFSET_SQ_RING, sq_bytes)?;
        let cq_memory = Shared::map(&fd, OFFSET_CQ_RING, cq_bytes)?;
        let sqe_memory = Shared::map(&fd, OFFSET_SQES, sqe_bytes)?;
        Ok(Ring {
            tail: 0,
            handed: 0,
            sq_mask: params.sq_entries - 1,
            cq_mask: params.cq_entries - 1,
            head: 0,
            sq_tail: sq_memory.at(sq.tail),
            sq_array: sq_memory.at(sq.array),
            sqes: sqe_memory.at(0),
            cq_head: cq_memory.at(cq.head),
            cq_tail: cq_memory.at(cq.tail),
            cqes: cq_memory.at(cq.cqes),
            entries: params.sq_entries,
            _sqe_memory: sqe_memory,
            _cq_memory: cq_memory,
            _sq_memory: sq_memory,
            fd,
        })
    }

    /// io_uring_register(2).
    ///
    /// # Safety
    /// `arg` is what `opcode` takes, and what is registered stays valid as long as the ring is.
    pub unsafe fn register(&self, opcode: u32, arg: *const c_void, count: u32) -> io::Result<()> {
        // SAFETY: as the caller promises.
        let done =
            unsafe { libc::syscall(SYS_REGISTER, self.fd.as_fd().as_raw_fd(), opcode, arg, count) };
        if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Entry `slot`, to fill in or to change.
    ///
    /// # Panics
    /// When there are not so many entries.
    #[inline]
    pub fn entry(&mut self, slot: u32) -> &mut Sqe {
        assert!(slot < self.entries);
        // SAFETY: one of the entries; the kernel reads them only inside of calls of this thread.
        unsafe { self.sqes.add(slot as usize).as_mut() }
    }

    #[inline]
    pub fn entry_of(&self, slot: u32) -> &Sqe {
        assert!(slot < self.entries);
        // SAFETY: one of the entries, which nobody changes while self is borrowed.
        unsafe { self.sqes.add(slot as usize).as_ref() }
    }

    /// Takes entry `slot`, once for each I/O. There are never more taken than entries.
    #[inline]
    pub fn take(&mut self, slot: u32) {
        let at = (self.tail & self.sq_mask) as usize;
        // SAFETY: the mask keeps the place within the array.
        unsafe { self.sq_array.add(at).write(slot) };
        self.tail = self.tail.wrapping_add(1);
    }

    /// I/Os taken that the kernel has not been given.
    #[inline]
    pub fn waiting(&self) -> u32 {
        self.tail.wrapping_sub(self.handed)
    }

    /// I/Os taken and not popped.
    pub fn in_flight(&self) -> u32 {
        self.tail.wrapping_sub(self.head)
    }

    /// Pops `ready` completions and takes the entry of each again, at the offset `next` answers
    /// to it, where it does. The counters stay in registers meanwhile. As soon as `together` are
    /// taken they are handed over.
    #[inline]
    pub fn again(
        &mut self,
        ready: u32,
        together: u32,
        mut next: impl FnMut(Cqe) -> Option<(u32, u64)>,
    ) -> io::Result<()> {
        let (mut head, mut tail) = (self.head, self.tail);
        let (sq_mask, cq_mask, entries) = (self.sq_mask, self.cq_mask, self.entries);
        for _ in 0..ready {
            // SAFETY: the mask keeps the place within the ring, and the kernel has written it.
            let cqe = unsafe { self.cqes.add((head & cq_mask) as usize).read() };
            head = head.wrapping_add(1);
            let Some((slot, offset)) = next(cqe) else { continue };
            assert!(slot < entries);
            // SAFETY: one of the entries, whose last I/O is over; the mask keeps the place within
            // the array.
            unsafe {
                (*self.sqes.add(slot as usize).as_ptr()).off = offset;
                self.sq_array.add((tail & sq_mask) as usize).write(slot);
            }
            tail = tail.wrapping_add(1);
            if tail.wrapping_sub(self.handed) >= together {
                self.tail = tail;
                self.hand_over()?;
            }
        }
        (self.head, self.tail) = (head, tail);
        Ok(())
    }

    /// Gives the kernel what was taken. What it cannot take now goes with the next wait.
    pub fn hand_over(&mut self) -> io::Result<()> {
        match self.enter(0, None) {
            Err(e)
                if matches!(e.raw_os_error(), Some(libc::EINTR | libc::EAGAIN | libc::EBUSY)) =>
            {
                Ok(())
            }
            done => done,
        }
    }

    /// Gives the kernel all that was taken, and waits until `wait_for` are done or for
    /// `patience_ns`.
    pub fn enter(&mut self, wait_for: u32, patience_ns: Option<u64>) -> io::Result<()> {
        // SAFETY: a counter of the ring, which only this thread writes.
        unsafe { self.sq_tail.as_ref() }.store(self.tail, Ordering::Release);
        let count = self.tail.wrapping_sub(self.handed);
        let time = patience_ns.map(|ns| WaitTime {
            sec: (ns / 1_000_000_000) as i64,
            nsec: (ns % 1_000_000_000) as i64,
        });
        let arg = time.as_ref().map(|time| WaitArg {
            sigmask: 0,
            sigmask_sz: 0,
            pad: 0,
            ts: ptr::from_ref(time).addr() as u64,
        });
        let mut flags = if wait_for > 0 { ENTER_GETEVENTS } else { 0 };
        let (arg, arg_bytes) = match &arg {
            None => (ptr::null(), 0),
            Some(arg) => {
                flags |= ENTER_EXT_ARG;
                (ptr::from_ref(arg), size_of::<WaitArg>())
            }
        };
        // SAFETY: the entries taken are filled in with memory that stays valid, as whoever took
        // them promised; arg and time live until the call returns.
        let handed = unsafe {
            libc::syscall(SYS_ENTER, self.fd.as_raw_fd(), count, wait_for, flags, arg, arg_bytes)
        };
        if handed < 0 {
            return Err(io::Error::last_os_error());
        }
        self.handed = self.handed.wrapping_add(handed as u32);
        Ok(())
    }

    /// How many I/Os are done and not popped.
    #[inline]
    pub fn ready(&self) -> u32 {
        // SAFETY: a counter of the ring, which the kernel writes.
        let tail = unsafe { self.cq_tail.as_ref() }.load(Ordering::Acquire);
        tail.wrapping_sub(self.head)
    }

    #[inline]
    pub fn pop(&mut self) -> Cqe {
        let at = (self.head & self.cq_mask) as usize;
        // SAFETY: the mask keeps the place within the ring, and the kernel has written it.
        let cqe = unsafe { self.cqes.add(at).read() };
        self.head = self.head.wrapping_add(1);
        cqe
    }

    /// Lets the kernel use the places of what was popped.
    #[inline]
    pub fn release(&mut self) {
        // SAFETY: a counter of the ring, which only this thread writes.
        unsafe { self.cq_head.as_ref() }.store(self.head, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skip;

    const NOP: u8 = 0;

    #[test]
    fn nothing_comes_back_as_often_as_it_was_asked_for() {
        let mut ring = match Ring::new(4, 0) {
            Ok(ring) => ring,
            Err(error) => return skip::skip("kernel io_uring", &format!("no ring here: {error}")),
        };
        let mut seen = [0; 4];
        for round in 0..100 {
            let count = round % 4 + 1;
            for slot in 0..count {
                *ring.entry(slot) = Sqe { opcode: NOP, user_data: slot.into(), ..Sqe::default() };
                ring.take(slot);
            }
            ring.enter(count, None).unwrap();
            assert_eq!(ring.ready(), count);
            for _ in 0..count {
                let done = ring.pop();
                assert_eq!(done.result, 0);
                seen[done.user_data as usize] += 1;
            }
            ring.release();
        }
        assert_eq!(seen, [100, 75, 50, 25]);
    }

    #[test]
    fn patience_runs_out() {
        let Ok(mut ring) = Ring::new(1, 0) else {
            return skip::skip("kernel io_uring", "no ring here");
        };
        let error = ring.enter(1, Some(1_000_000)).unwrap_err();
        // ETIME from 5.11 on; before, there is no such wait.
        assert!(matches!(error.raw_os_error(), Some(libc::ETIME | libc::EINVAL)), "{error}");
    }
}
