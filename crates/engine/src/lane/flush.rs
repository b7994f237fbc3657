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
    fsync_every: u64,
    fdatasync_every: u64,
    /// Writes until each kind of flush is due, when `left` was set.
    to_fsync: u64,
    to_fdatasync: u64,
    left: u64,
    left_set: u64,
    end_fsync: bool,
    done: u64,
    time_ns: u64,
}

impl Flushes {
    /// What `job` asks for; jobs that write nothing flush nothing.
    pub fn new(job: &Job) -> Flushes {
        let every = |n: u32| if n == 0 || !job.rw.writes() { u64::MAX } else { u64::from(n) };
        let (fsync_every, fdatasync_every) = (every(job.fsync), every(job.fdatasync));
        let left = fsync_every.min(fdatasync_every);
        Flushes {
            fsync_every,
            fdatasync_every,
            to_fsync: fsync_every,
            to_fdatasync: fdatasync_every,
            left,
            left_set: left,
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

    #[inline]
    pub fn count_write(&mut self) {
        self.left -= 1;
    }

    /// So many writes began, at most [`Flushes::writes_left`].
    pub fn count_writes(&mut self, writes: u64) {
        self.left -= writes;
    }

    #[inline]
    pub fn writes_left(&self) -> u64 {
        self.left
    }

    /// Whether to flush before the next write; `at_end` after the last one.
    #[inline]
    pub fn is_due(&self, at_end: bool) -> bool {
        self.left == 0 || (at_end && self.rest().is_some())
    }

    fn to_go(&self) -> (u64, u64) {
        let begun = self.left_set - self.left;
        (self.to_fsync - begun, self.to_fdatasync - begun)
    }

    fn rest(&self) -> Option<Call> {
        let (to_fsync, to_fdatasync) = self.to_go();
        let begun = |every: u64, to: u64| every != u64::MAX && to < every;
        if self.end_fsync || begun(self.fsync_every, to_fsync) {
            Some(Call::Fsync)
        } else if begun(self.fdatasync_every, to_fdatasync) {
            Some(Call::Fdatasync)
        } else {
            None
        }
    }

    /// The next flush that is due, counted as done; `None` when there is no more.
    pub fn next_due(&mut self, at_end: bool) -> Option<Call> {
        let (to_fsync, to_fdatasync) = self.to_go();
        let call = if to_fsync == 0 {
            Some(Call::Fsync)
        } else if to_fdatasync == 0 {
            Some(Call::Fdatasync)
        } else if at_end {
            self.rest()
        } else {
            None
        }?;
        self.done += 1;
        (self.to_fsync, self.to_fdatasync) = (to_fsync, to_fdatasync);
        if call == Call::Fsync {
            self.to_fsync = self.fsync_every;
            self.end_fsync &= !at_end;
        } else {
            self.to_fdatasync = self.fdatasync_every;
        }
        self.left = self.to_fsync.min(self.to_fdatasync);
        self.left_set = self.left;
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
            flushes.count_write();
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
            flushes.count_write();
            let due = [flushes.next_due(true), flushes.next_due(true)];
            assert_eq!(due, [Some(Call::Fsync), None], "each slice ends with its own");
        }
        let reads = Job { fsync: 1, end_fsync: true, rw: Rw::Read, ..job };
        assert_eq!(calls(&reads, 0), []);
    }
}
