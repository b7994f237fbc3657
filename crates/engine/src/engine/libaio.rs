//! Linux AIO, `io_submit(2)`: many I/Os in flight on kernels and machines without rings.
//!
//! Asynchronous with O_DIRECT only: a buffered I/O is done inside of io_submit(2), one after
//! another. By raw system calls, since the library of the name only wraps them. I/Os are handed
//! over one by one. Source: io_setup(2), io_submit(2), io_getevents(2),
//! include/uapi/linux/aio_abi.h.

use std::ffi::{c_long, c_ulong};
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;

use super::{Done, Engine, Op, Queued, Setup};

const PREAD: u16 = 0;
const PWRITE: u16 = 1;

/// One I/O, as the kernel reads it; where it keeps its own key depends on the byte order.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Iocb {
    data: u64,
    key_or_flags: [u32; 2],
    opcode: u16,
    reqprio: i16,
    fd: u32,
    buf: u64,
    nbytes: u64,
    offset: i64,
    reserved: u64,
    flags: u32,
    resfd: u32,
}

/// One completed I/O, as the kernel writes it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct IoEvent {
    data: u64,
    iocb: u64,
    result: i64,
    result2: i64,
}

/// The time these calls take: of the machine's width.
#[repr(C)]
struct KernelTimespec {
    sec: c_long,
    nsec: c_long,
}

const _: () = assert!(size_of::<Iocb>() == 64 && size_of::<IoEvent>() == 32);

/// The engine and its context. The kernel reads an [`Iocb`] only inside of io_submit(2).
pub struct Libaio {
    context: c_ulong,
    fd: u32,
    iocbs: Vec<Iocb>,
    events: Vec<IoEvent>,
    /// Events of the last wait that are not popped yet end here.
    ready: usize,
    popped: usize,
    in_flight: u32,
}

pub fn try_out() -> io::Result<()> {
    let context = set_up(1)?;
    destroy(context);
    Ok(())
}

/// Why [`try_out`] failed and what mends it, for people.
pub fn explain(error: &io::Error) -> (String, String) {
    match error.raw_os_error() {
        Some(libc::ENOSYS) => (
            "this kernel has no AIO".to_string(),
            "use a kernel built with CONFIG_AIO=y, or choose the psync engine".to_string(),
        ),
        Some(libc::EAGAIN) => (
            "all of the system's AIO requests are in use".to_string(),
            "raise fs.aio-max-nr with sysctl, or lower iodepth".to_string(),
        ),
        _ => (format!("AIO cannot be set up: {error}"), "choose the psync engine".to_string()),
    }
}

fn set_up(depth: u32) -> io::Result<c_ulong> {
    let mut context: c_ulong = 0;
    // SAFETY: context is zero, as the call wants it, and lives until it returns.
    let done = unsafe { libc::syscall(libc::SYS_io_setup, depth, &raw mut context) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(context) }
}

fn destroy(context: c_ulong) {
    // SAFETY: a context of ours, not used again. Waits for what is in flight; cannot fail then.
    unsafe { libc::syscall(libc::SYS_io_destroy, context) };
}

impl Engine for Libaio {
    fn new(setup: &Setup) -> io::Result<Libaio> {
        let fd = setup.fd.ok_or(io::ErrorKind::InvalidInput)?.as_raw_fd();
        let depth = setup.depth as usize;
        Ok(Libaio {
            context: set_up(setup.depth)?,
            // A descriptor is not negative.
            fd: fd as u32,
            iocbs: vec![Iocb::default(); depth],
            events: vec![IoEvent::default(); depth],
            ready: 0,
            popped: 0,
            in_flight: 0,
        })
    }
}

impl Libaio {
    fn submit(&mut self, slot: u32) -> io::Result<()> {
        let mut iocb = ptr::from_mut(&mut self.iocbs[slot as usize]);
        loop {
            // SAFETY: one pointer to one block, whose memory the caller keeps valid.
            let taken = unsafe {
                libc::syscall(libc::SYS_io_submit, self.context, 1 as c_long, &raw mut iocb)
            };
            if taken == 1 {
                self.in_flight += 1;
                return Ok(());
            }
            let error = io::Error::last_os_error();
            // The block layer has no room right now: what is in flight makes some.
            if !matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EINTR)) {
                return Err(error);
            }
            std::thread::yield_now();
        }
    }
}

impl Queued for Libaio {
    unsafe fn push(&mut self, op: &Op) -> io::Result<()> {
        self.iocbs[op.slot as usize] = Iocb {
            data: op.slot.into(),
            opcode: if op.write { PWRITE } else { PREAD },
            fd: self.fd,
            buf: op.memory.expose_provenance() as u64,
            nbytes: op.len.into(),
            // Offsets lie within a file, whose length is a signed 64-bit number.
            offset: op.offset as i64,
            ..Iocb::default()
        };
        self.submit(op.slot)
    }

    #[inline]
    unsafe fn push_again(&mut self, slot: u32, offset: u64) -> io::Result<()> {
        self.iocbs[slot as usize].offset = offset as i64;
        self.submit(slot)
    }

    fn op_of(&self, slot: u32) -> Op {
        let iocb = &self.iocbs[slot as usize];
        Op {
            slot,
            write: iocb.opcode == PWRITE,
            // What was put in as 32 bits.
            len: iocb.nbytes as u32,
            offset: iocb.offset as u64,
            memory: ptr::with_exposed_provenance_mut(iocb.buf as usize),
        }
    }

    fn wait(&mut self, patience_ns: Option<u64>) -> io::Result<u32> {
        let time = patience_ns.map(|ns| KernelTimespec {
            sec: (ns / 1_000_000_000) as c_long,
            nsec: (ns % 1_000_000_000) as c_long,
        });
        let time = time.as_ref().map_or(ptr::null(), ptr::from_ref);
        let room = self.events.len() as c_long;
        // SAFETY: there is room for as many events, and time lives until the call returns.
        let got = unsafe {
            libc::syscall(
                libc::SYS_io_getevents,
                self.context,
                1 as c_long,
                room,
                self.events.as_mut_ptr(),
                time,
            )
        };
        if got < 0 {
            let error = io::Error::last_os_error();
            return if error.kind() == io::ErrorKind::Interrupted { Ok(0) } else { Err(error) };
        }
        (self.ready, self.popped) = (got as usize, 0);
        Ok(got as u32)
    }

    #[inline]
    fn pop(&mut self) -> Done {
        debug_assert!(self.popped < self.ready);
        let event = self.events[self.popped];
        self.popped += 1;
        self.in_flight -= 1;
        // Bytes of an I/O of at most 1 GiB, or a negative error number.
        Done { slot: event.data as u32, result: event.result as i32 }
    }
}

impl Drop for Libaio {
    /// Waits for what is in flight: the kernel may still write to the lane's memory.
    fn drop(&mut self) {
        destroy(self.context);
    }
}
