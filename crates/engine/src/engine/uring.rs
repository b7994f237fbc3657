//! `io_uring(7)`: many I/Os in flight, one system call for a batch of them.
//!
//! File and buffers are registered, which saves the kernel a look-up and a page walk for each I/O;
//! where locked memory is limited (kernels before 5.12) buffers stay unregistered. Batches adapt:
//! all that was reaped is submitted again and one completion is waited for, because waiting for
//! a full batch stalls where completions do not come inline. Direct I/O is handed over one by one:
//! bursts leave a device's queue uneven and cost up to a fifth of its rate. No kernel polling
//! thread: it takes a whole core. Source: io_uring_setup(2), io_uring_register(2),
//! io_uring_enter(2).

use std::io;
use std::os::fd::{AsRawFd, RawFd};

use io_uring::types::{Fd, Fixed, SubmitArgs, Timespec};
use io_uring::{IoUring, Probe, opcode, squeue};

use super::{Done, Engine, Op, Queued, Setup};

/// The engine and its ring.
pub struct Uring {
    ring: IoUring,
    fd: RawFd,
    fixed_file: bool,
    fixed_buffers: bool,
    /// Whether each I/O goes to the kernel by itself instead of with the next wait.
    one_by_one: bool,
    in_flight: usize,
}

/// Whether rings can be had here, tried with the smallest one.
pub fn try_out() -> io::Result<()> {
    let ring = IoUring::new(1)?;
    let mut probe = Probe::new();
    // Kernels 5.1 to 5.5 have rings but not the plain read and write.
    ring.submitter().register_probe(&mut probe)?;
    if !probe.is_supported(opcode::Read::CODE) {
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
            "use a kernel built with CONFIG_IO_URING=y, or choose --engine psync".to_string(),
        ),
        Some(libc::EPERM | libc::EACCES) if disabled => (
            "io_uring is switched off (kernel.io_uring_disabled is not 0)".to_string(),
            "sudo sysctl kernel.io_uring_disabled=0, or choose --engine psync".to_string(),
        ),
        Some(libc::EPERM | libc::EACCES) => (
            "io_uring is not allowed here, most likely by a container's seccomp profile"
                .to_string(),
            "run outside the container or allow io_uring_setup in its profile, or choose \
             --engine psync"
                .to_string(),
        ),
        Some(libc::ENOMEM) => (
            "io_uring got no locked memory".to_string(),
            "raise `ulimit -l`, or choose --engine psync".to_string(),
        ),
        _ => (format!("io_uring cannot be set up: {error}"), "choose --engine psync".to_string()),
    }
}

/// The best ring the kernel gives: completions run in our own thread when we ask for them (6.1),
/// without interrupting it (5.19), or as they come.
fn best_ring(entries: u32) -> io::Result<IoUring> {
    let deferred = IoUring::builder().setup_single_issuer().setup_defer_taskrun().build(entries);
    let invalid = |e: &io::Error| e.raw_os_error() == Some(libc::EINVAL);
    match deferred {
        Err(e) if invalid(&e) => {}
        other => return other,
    }
    match IoUring::builder().setup_coop_taskrun().build(entries) {
        Err(e) if invalid(&e) => IoUring::new(entries),
        other => other,
    }
}

impl Engine for Uring {
    fn new(setup: &Setup) -> io::Result<Uring> {
        let fd = setup.fd.ok_or(io::ErrorKind::InvalidInput)?.as_raw_fd();
        let ring = best_ring(setup.depth.next_power_of_two())?;
        let fixed_file = ring.submitter().register_files(&[fd]).is_ok();
        let buffers = setup.buffers;
        let per_slot = buffers.count() / setup.depth as usize;
        let parts: Vec<libc::iovec> = (0..setup.depth as usize)
            .map(|slot| libc::iovec {
                iov_base: buffers.block_ptr(slot * per_slot).cast(),
                iov_len: per_slot * buffers.stride(),
            })
            .collect();
        // SAFETY: the memory is the lane's, which drops the engine before it.
        let fixed_buffers = unsafe { ring.submitter().register_buffers(&parts) }.is_ok();
        let one_by_one = setup.direct;
        Ok(Uring { ring, fd, fixed_file, fixed_buffers, one_by_one, in_flight: 0 })
    }

    fn release(&mut self) -> io::Result<()> {
        // Otherwise the file stays open until the kernel has torn the ring down, some time after
        // this process ended, and unmounting would fail as busy.
        if self.fixed_file { self.ring.submitter().unregister_files() } else { Ok(()) }
    }
}

impl Uring {
    /// Gives the kernel what is in the ring. What it cannot take now goes with the next wait.
    fn hand_over(&self) -> io::Result<()> {
        match self.ring.submit() {
            Ok(_) => Ok(()),
            Err(e) => match e.raw_os_error() {
                Some(libc::EINTR | libc::EAGAIN | libc::EBUSY) => Ok(()),
                _ => Err(e),
            },
        }
    }
}

impl Queued for Uring {
    #[inline]
    unsafe fn submit(&mut self, ops: &[Op]) -> io::Result<()> {
        let how = (self.fixed_file, self.fixed_buffers);
        for op in ops {
            let entry = entry(op, self.fd, how);
            // SAFETY: the caller keeps memory and descriptor valid; the ring has an entry for
            // every slot.
            let pushed = unsafe { self.ring.submission().push(&entry) };
            if pushed.is_err() {
                return Err(io::Error::other("the submission ring is full"));
            }
            self.in_flight += 1;
            if self.one_by_one {
                self.hand_over()?;
            }
        }
        Ok(())
    }

    #[inline]
    fn reap(&mut self, patience_ns: Option<u64>, done: &mut Vec<Done>) -> io::Result<()> {
        let waited = match patience_ns {
            None => self.ring.submit_and_wait(1),
            Some(ns) => {
                let patience =
                    Timespec::new().sec(ns / 1_000_000_000).nsec((ns % 1_000_000_000) as u32);
                let args = SubmitArgs::new().timespec(&patience);
                self.ring.submitter().submit_with_args(1, &args)
            }
        };
        match waited {
            Ok(_) => {}
            // A signal, or patience ran out: what is done is done.
            Err(e) if matches!(e.raw_os_error(), Some(libc::EINTR | libc::ETIME)) => {}
            Err(e) => return Err(e),
        }
        let before = done.len();
        done.extend(
            self.ring
                .completion()
                .map(|entry| Done { slot: entry.user_data() as u32, result: entry.result() }),
        );
        self.in_flight -= done.len() - before;
        Ok(())
    }
}

/// The ring's entry for `op`.
#[inline]
fn entry(op: &Op, fd: RawFd, (fixed_file, fixed_buffers): (bool, bool)) -> squeue::Entry {
    // A lane has at most 4096 slots.
    let slot = op.slot as u16;
    macro_rules! build {
        ($file:expr) => {
            match (op.write, fixed_buffers) {
                (false, true) => {
                    opcode::ReadFixed::new($file, op.memory, op.len, slot).offset(op.offset).build()
                }
                (false, false) => {
                    opcode::Read::new($file, op.memory, op.len).offset(op.offset).build()
                }
                (true, true) => opcode::WriteFixed::new($file, op.memory, op.len, slot)
                    .offset(op.offset)
                    .build(),
                (true, false) => {
                    opcode::Write::new($file, op.memory, op.len).offset(op.offset).build()
                }
            }
        };
    }
    let entry = if fixed_file { build!(Fixed(0)) } else { build!(Fd(fd)) };
    entry.user_data(op.slot.into())
}

impl Drop for Uring {
    /// Waits for what is in flight: the kernel may still write to the lane's memory.
    fn drop(&mut self) {
        let mut done = Vec::with_capacity(self.in_flight);
        while self.in_flight > 0 && self.reap(None, &mut done).is_ok() {}
    }
}
