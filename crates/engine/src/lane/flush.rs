//! When a lane flushes: after every so many writes, and at the end.

use std::os::fd::OwnedFd;

use bakeoff_model::job::Job;

use crate::error::EngineError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// fsync(2).
    Fsync,
    /// fdatasync(2).
    Fdatasync,
}

impl Call {
    pub fn make(self, fd: &OwnedFd) -> Result<(), EngineError> {
        loop {
            let (name, result) = match self {
                Call::Fsync => ("fsync", rustix::fs::fsync(fd)),
                Call::Fdatasync => ("fdatasync", rustix::fs::fdatasync(fd)),
            };
            match result {
                Ok(()) => return Ok(()),
                Err(rustix::io::Errno::INTR) => {}
                Err(e) => return Err(EngineError::io(name, e)),
            }
        }
    }
}

/// Counts writes towards the next flush. A rest of fewer writes at the end is flushed as well, so
/// that nothing the job wrote durably is left in memory when the clock stops.
#[derive(Debug)]
pub struct Flushes {
    fsync: Every,
    fdatasync: Every,
    writes: u64,
    /// Writes at which the next flush is due.
    due: u64,
    end_fsync: bool,
    done: u64,
    time_ns: u64,
}

/// One kind of flush: after how many writes, and at which it was made last.
#[derive(Clone, Copy, Debug)]
struct Every {
    every: u64,
    last: u64,
}

impl Every {
    fn due(self) -> u64 {
        self.last.saturating_add(self.every)
    }

    fn has_rest(self, writes: u64) -> bool {
        self.every != u64::MAX && writes > self.last
    }
}

impl Flushes {
    /// What `job` asks for; jobs that write nothing flush nothing.
    pub fn new(job: &Job) -> Flushes {
        let every = |n: u32| Every {
            every: if n == 0 || !job.rw.writes() { u64::MAX } else { n.into() },
            last: 0,
        };
        let (fsync, fdatasync) = (every(job.fsync), every(job.fdatasync));
        Flushes {
            fsync,
            fdatasync,
            writes: 0,
            due: fsync.due().min(fdatasync.due()),
            end_fsync: job.end_fsync && job.rw.writes(),
            done: 0,
            time_ns: 0,
        }
    }

    /// Another slice begins, which counts its own: an fsync at its end is due again, where there
    /// is one.
    pub fn again(&mut self, job: &Job) {
        (self.done, self.time_ns) = (0, 0);
        self.end_fsync = job.end_fsync && job.rw.writes();
    }

    /// So many writes began, at most [`Flushes::writes_left`].
    #[inline]
    pub fn count_writes(&mut self, writes: u64) {
        self.writes += writes;
    }

    #[inline]
    pub fn writes_left(&self) -> u64 {
        self.due - self.writes
    }

    /// Whether to flush before the next write; `at_end` after the last one.
    #[inline]
    pub fn is_due(&self, at_end: bool) -> bool {
        self.writes == self.due || (at_end && self.rest().is_some())
    }

    fn rest(&self) -> Option<Call> {
        if self.end_fsync || self.fsync.has_rest(self.writes) {
            Some(Call::Fsync)
        } else {
            self.fdatasync.has_rest(self.writes).then_some(Call::Fdatasync)
        }
    }

    /// The next flush that is due, counted as done; `None` when there is no more.
    pub fn next_due(&mut self, at_end: bool) -> Option<Call> {
        let call = if self.fsync.due() == self.writes {
            Call::Fsync
        } else if self.fdatasync.due() == self.writes {
            Call::Fdatasync
        } else {
            self.rest().filter(|_| at_end)?
        };
        self.done += 1;
        if call == Call::Fsync {
            self.fsync.last = self.writes;
            self.end_fsync &= !at_end;
        } else {
            self.fdatasync.last = self.writes;
        }
        self.due = self.fsync.due().min(self.fdatasync.due());
        Some(call)
    }

    #[inline]
    pub fn done(&self) -> u64 {
        self.done
    }

    /// A flush took `ns`.
    pub fn add_time(&mut self, ns: u64) {
        self.time_ns += ns;
    }

    pub fn time_ns(&self) -> u64 {
        self.time_ns
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_model::job::Rw;

    use super::*;

    /// Writes until the end of `writes`, flushing whenever due; what was called, by write count.
    fn calls(job: &Job, writes: u64) -> Vec<(u64, Call)> {
        let mut flushes = Flushes::new(job);
        let mut got = Vec::new();
        for n in 1..=writes {
            flushes.count_writes(1);
            while let Some(call) = flushes.next_due(false) {
                got.push((n, call));
            }
        }
        while let Some(call) = flushes.next_due(true) {
            got.push((writes, call));
        }
        assert!(!flushes.is_due(true));
        assert_eq!(flushes.done(), got.len() as u64);
        got
    }

    #[test]
    fn every_n_writes_a_rest_and_the_end() {
        let job = Job::new(Rw::Write, 4096, 1 << 20);
        assert_eq!(calls(&job, 5), []);
        assert_eq!(calls(&Job { end_fsync: true, ..job.clone() }, 5), [(5, Call::Fsync)]);
        let every_two = Job { fsync: 2, ..job.clone() };
        assert_eq!(calls(&every_two, 4), [(2, Call::Fsync), (4, Call::Fsync)]);
        assert_eq!(calls(&every_two, 5), [(2, Call::Fsync), (4, Call::Fsync), (5, Call::Fsync)]);
        let both = Job { fsync: 2, fdatasync: 1, ..job.clone() };
        assert_eq!(calls(&both, 2), [(1, Call::Fdatasync), (2, Call::Fsync), (2, Call::Fdatasync)]);
        let each_slice = Job { end_fsync: true, ..job.clone() };
        let mut flushes = Flushes::new(&each_slice);
        for _ in 0..3 {
            flushes.again(&each_slice);
            flushes.count_writes(1);
            let due = [flushes.next_due(true), flushes.next_due(true)];
            assert_eq!(due, [Some(Call::Fsync), None], "each slice ends with its own");
        }
        let reads = Job { fsync: 1, end_fsync: true, rw: Rw::Read, ..job };
        assert_eq!(calls(&reads, 0), []);
    }
}
