//! The pipes of a child: the parent that waits for it writes its input and reads its
//! output. A thread for each pipe could be refused in the middle of cleaning up.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;

const STEP_BYTES: usize = 4 << 10;
const STEPS: u32 = 64;

/// The pipes that are still open, and what came out of them.
pub struct Pipes {
    input: Option<ChildStdin>,
    unwritten: Vec<u8>,
    output: Option<ChildStdout>,
    errors: Option<ChildStderr>,
    keep_bytes: usize,
    /// Whether the input stays open when all is written.
    stays_open: bool,
    /// Standard output, cut to the limit.
    pub stdout: Vec<u8>,
    /// Standard error, cut to the limit.
    pub stderr: Vec<u8>,
}

impl Pipes {
    /// Takes the pipes of a child.
    ///
    /// # Errors
    /// The kernel cannot do without waiting for one.
    pub fn of(child: &mut Child, input: Vec<u8>, keep_bytes: usize) -> io::Result<Pipes> {
        let pipes = Pipes {
            input: child.stdin.take(),
            unwritten: input,
            output: child.stdout.take(),
            errors: child.stderr.take(),
            keep_bytes,
            stays_open: false,
            stdout: Vec::new(),
            stderr: Vec::new(),
        };
        for fd in pipes.read().chain(pipes.input.as_ref().map(AsFd::as_fd)) {
            ioctl_fionbio(fd, true)?;
        }
        Ok(pipes)
    }

    fn read(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let (output, errors) = (self.output.as_ref(), self.errors.as_ref());
        output.map(AsFd::as_fd).into_iter().chain(errors.map(AsFd::as_fd))
    }

    /// Sends `bytes`, and leaves the input open for more. A process that does not read any more
    /// answers with its end.
    pub fn send(&mut self, bytes: &[u8]) {
        self.stays_open = true;
        self.unwritten.extend_from_slice(bytes);
        self.write();
    }

    pub fn close_input(&mut self) {
        self.input = None;
    }

    pub fn has_output(&self) -> bool {
        self.output.is_some()
    }

    pub fn are_over(&self) -> bool {
        self.output.is_none() && self.errors.is_none()
    }

    /// Waits until a pipe or the process has something to say, a signal arrives or `longest` is
    /// over, and moves what there is.
    pub fn wait(&mut self, process: Option<BorrowedFd<'_>>, longest: Duration) {
        let reading = process.into_iter().chain(self.read());
        let reading = reading.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        let input = self.input.iter().filter(|_| !self.unwritten.is_empty());
        let writing = input.map(|input| PollFd::new(input, PollFlags::OUT));
        let mut watched: Vec<PollFd<'_>> = reading.chain(writing).collect();
        // An interrupted wait is a signal, which the caller looks for.
        let _ = poll(&mut watched, Some(&timespec(longest)));
        drop(watched);
        self.write();
        read_on(&mut self.output, &mut self.stdout, self.keep_bytes);
        read_on(&mut self.errors, &mut self.stderr, self.keep_bytes);
    }

    fn write(&mut self) {
        let Some(input) = &mut self.input else { return };
        while !self.unwritten.is_empty() {
            match input.write(&self.unwritten) {
                Ok(written @ 1..) => drop(self.unwritten.drain(..written)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // A child that stops reading says why through its exit status.
                Ok(_) | Err(_) => {
                    self.input = None;
                    return;
                }
            }
        }
        if !self.stays_open {
            self.input = None;
        }
    }
}

/// Reads what there is of a stream, keeps the first `keep_bytes` of it, and closes it at its end.
fn read_on(pipe: &mut Option<impl Read>, kept: &mut Vec<u8>, keep_bytes: usize) {
    let Some(open) = pipe else { return };
    let mut step = [0; STEP_BYTES];
    for _ in 0..STEPS {
        match open.read(&mut step) {
            Ok(read @ 1..) => {
                let room = keep_bytes.saturating_sub(kept.len());
                kept.extend_from_slice(&step[..read.min(room)]);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => {
                *pipe = None;
                return;
            }
        }
    }
}

/// A duration as poll(2) takes it.
fn timespec(longest: Duration) -> Timespec {
    Timespec {
        tv_sec: longest.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: longest.subsec_nanos().into(),
    }
}
