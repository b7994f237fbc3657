//! `io_uring(7)`: many I/Os in flight, one system call for a batch of them.
//!
//! File and buffers are registered, which saves the kernel a look-up and a page walk for each I/O;
//! where locked memory is limited (kernels before 5.12) buffers stay unregistered. Batches adapt:
//! all that was reaped is submitted again and one completion is waited for, because waiting for
//! a full batch stalls where completions do not come inline. Direct I/O is handed over a few at a
//! time ([`TOGETHER`]). No kernel polling thread: it takes a whole core. Source:
//! io_uring_setup(2), io_uring_register(2), io_uring_enter(2).

use std::io;
use std::os::fd::AsRawFd;

use super::ring::{Ring, Sqe};
use super::{Done, Engine, Op, Queued, Setup};

const OP_READ_FIXED: u8 = 4;
const OP_WRITE_FIXED: u8 = 5;
const OP_READ: u8 = 22;
const OP_WRITE: u8 = 23;
const SQE_FIXED_FILE: u8 = 1;

const SETUP_COOP_TASKRUN: u32 = 1 << 8;
const SETUP_SINGLE_ISSUER: u32 = 1 << 12;
const SETUP_DEFER_TASKRUN: u32 = 1 << 13;

const REGISTER_BUFFERS: u32 = 0;
const REGISTER_FILES: u32 = 2;
const UNREGISTER_FILES: u32 = 3;
const REGISTER_PROBE: u32 = 8;

/// Most I/Os of a drive handed over in one call. All at once they come in bursts, which leave the
/// drive's queue uneven and cost a tenth of its rate and more; one by one each pays for a system
/// call. Four keep the rate and cost a tenth less CPU than one by one (virtio disk, depth 32).
const TOGETHER: u32 = 4;

pub struct Uring {
    ring: Ring,
    fixed_file: bool,
    read: u8,
    write: u8,
    fd: i32,
    /// I/Os that go to the kernel as soon as there are as many; fewer go with the next wait.
    together: u32,
}

pub fn try_out() -> io::Result<()> {
    /// What io_uring_register(2) fills in: a head and an entry for each operation.
    #[repr(C)]
    struct Probe {
        last_op: u8,
        ops_len: u8,
        resv: u16,
        resv2: [u32; 3],
        ops: [[u8; 8]; 256],
    }
    let ring = Ring::new(1, 0)?;
    let mut probe = Probe { last_op: 0, ops_len: 0, resv: 0, resv2: [0; 3], ops: [[0; 8]; 256] };
    // SAFETY: a probe with room for as many operations as are asked for.
    unsafe { ring.register(REGISTER_PROBE, (&raw mut probe).cast(), 256) }?;
    // Kernels 5.1 to 5.5 have rings but not the plain read and write.
    if probe.last_op < OP_WRITE {
        return Err(io::Error::from_raw_os_error(libc::ENOSYS));
    }
    Ok(())
}

/// Why [`try_out`] failed and what mends it, for people.
pub fn explain(error: &io::Error) -> (String, String) {
    let disabled = std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled");
    let disabled = disabled.is_ok_and(|value| value.trim() != "0");
    match error.raw_os_error() {
        Some(libc::ENOSYS) => (
            "this kernel has no io_uring, or one before 5.6".to_string(),
            "use a kernel built with CONFIG_IO_URING=y, or choose the psync engine".to_string(),
        ),
        Some(libc::EPERM | libc::EACCES) if disabled => (
            "io_uring is disabled (kernel.io_uring_disabled is not 0)".to_string(),
            "sudo sysctl kernel.io_uring_disabled=0, or choose the psync engine".to_string(),
        ),
        Some(libc::EPERM | libc::EACCES) => (
            "io_uring is not allowed here, most likely by a container's seccomp profile"
                .to_string(),
            "run outside the container or allow io_uring_setup in its profile, or choose \
             the psync engine"
                .to_string(),
        ),
        Some(libc::ENOMEM) => (
            "io_uring could not lock memory".to_string(),
            "raise `ulimit -l`, or choose the psync engine".to_string(),
        ),
        _ => (format!("io_uring cannot be set up: {error}"), "choose the psync engine".to_string()),
    }
}

/// The best ring the kernel gives: completions run in our own thread when we ask for them (6.1),
/// without interrupting it (5.19), or as they come.
fn best_ring(entries: u32) -> io::Result<Ring> {
    let mut answer = Err(io::ErrorKind::Unsupported.into());
    for flags in [SETUP_SINGLE_ISSUER | SETUP_DEFER_TASKRUN, SETUP_COOP_TASKRUN, 0] {
        answer = Ring::new(entries, flags);
        if !matches!(&answer, Err(error) if error.raw_os_error() == Some(libc::EINVAL)) {
            break;
        }
    }
    answer
}

impl Engine for Uring {
    fn new(setup: &Setup) -> io::Result<Uring> {
        let ring = best_ring(setup.depth.next_power_of_two())?;
        let fd = setup.fd.ok_or(io::ErrorKind::InvalidInput)?.as_raw_fd();
        let buffers = setup.buffers;
        let per_slot = buffers.count() / setup.depth as usize;
        let parts: Vec<libc::iovec> = (0..setup.depth as usize)
            .map(|slot| libc::iovec {
                iov_base: buffers.block_ptr(slot * per_slot).cast(),
                iov_len: per_slot * buffers.stride(),
            })
            .collect();
        // SAFETY: one descriptor, which the lane keeps open longer than the engine.
        let fixed_file =
            unsafe { ring.register(REGISTER_FILES, (&raw const fd).cast(), 1) }.is_ok();
        // SAFETY: the memory is the lane's, which drops the engine before it.
        let fixed = unsafe { ring.register(REGISTER_BUFFERS, parts.as_ptr().cast(), setup.depth) };
        let (read, write) =
            if fixed.is_ok() { (OP_READ_FIXED, OP_WRITE_FIXED) } else { (OP_READ, OP_WRITE) };
        let together = if setup.direct { TOGETHER } else { u32::MAX };
        Ok(Uring { ring, fixed_file, read, write, fd, together })
    }

    fn release(&mut self) -> io::Result<()> {
        // Otherwise the file stays open until the kernel has torn the ring down, some time after
        // this process ended, and unmounting would fail as busy.
        if !self.fixed_file {
            return Ok(());
        }
        self.fixed_file = false;
        // SAFETY: takes no argument, and nothing is in flight any more.
        unsafe { self.ring.register(UNREGISTER_FILES, std::ptr::null(), 0) }
    }
}

impl Uring {
    #[inline]
    fn take(&mut self, slot: u32) -> io::Result<()> {
        self.ring.take(slot);
        if self.ring.waiting() >= self.together { self.ring.hand_over() } else { Ok(()) }
    }
}

impl Queued for Uring {
    unsafe fn push(&mut self, op: &Op) -> io::Result<()> {
        let (fd, flags) = if self.fixed_file { (0, SQE_FIXED_FILE) } else { (self.fd, 0) };
        *self.ring.entry(op.slot) = Sqe {
            opcode: if op.write { self.write } else { self.read },
            flags,
            fd,
            off: op.offset,
            addr: op.memory.expose_provenance() as u64,
            len: op.len,
            user_data: u64::from(op.slot) | u64::from(op.write) << 32,
            // A lane has at most 4096 slots.
            buf_index: op.slot as u16,
            ..Sqe::default()
        };
        self.take(op.slot)
    }

    #[inline]
    unsafe fn push_again(&mut self, slot: u32, offset: u64) -> io::Result<()> {
        self.ring.entry(slot).off = offset;
        self.take(slot)
    }

    #[inline]
    unsafe fn again(
        &mut self,
        ready: u32,
        mut next: impl FnMut(Done) -> Option<u64>,
    ) -> io::Result<()> {
        self.ring.again(ready, self.together, |cqe| {
            let slot = cqe.user_data as u32;
            next(Done { slot, result: cqe.result }).map(|offset| (slot, offset))
        })
    }

    fn op_of(&self, slot: u32) -> Op {
        let sqe = self.ring.entry_of(slot);
        Op {
            slot,
            write: sqe.user_data >> 32 != 0,
            len: sqe.len,
            offset: sqe.off,
            memory: std::ptr::with_exposed_provenance_mut(sqe.addr as usize),
        }
    }

    #[inline]
    fn wait(&mut self, patience_ns: Option<u64>) -> io::Result<u32> {
        self.ring.release();
        match self.ring.enter(1, patience_ns) {
            Ok(()) => {}
            // A signal, or patience ran out: what is done is done.
            Err(e) if matches!(e.raw_os_error(), Some(libc::EINTR | libc::ETIME)) => {}
            Err(e) => return Err(e),
        }
        Ok(self.ring.ready())
    }

    #[inline]
    fn pop(&mut self) -> Done {
        let cqe = self.ring.pop();
        Done { slot: cqe.user_data as u32, result: cqe.result }
    }
}

impl Drop for Uring {
    /// Waits for what is in flight: the kernel may still write to the lane's memory.
    fn drop(&mut self) {
        while self.ring.in_flight() > 0 {
            let Ok(ready) = self.wait(None) else { break };
            (0..ready).for_each(|_| _ = self.pop());
        }
    }
}
