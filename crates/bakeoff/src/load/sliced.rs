//! One workload on one standing candidate, measured in slices by an engine process that lives
//! through the block.
//!
//! The process has its target open and its memory allocated before the first slice, so that the
//! start of a slice costs one line through a pipe. Between slices it waits and uses no CPU. It
//! keeps the target in use: end it before the target is unmounted or made cold.

use std::time::Duration;

use bakeoff_model::job::Job;
use bakeoff_model::measurement::Measurement;
use bakeoff_tools::native::sliced::{Report, Request, SLICES_MAX, merged};
use bakeoff_tools::native::{Failure, NativeTask, Reply, TargetKind};

use super::site::Subject;
use super::{GRACE, LoadError, UNLIMITED, ask_process, place};
use crate::exec::talk::{self, Talk};
use crate::signals::Cancel;

/// A cell that is being measured. Dropped, it kills its process.
pub struct Sliced {
    talk: Talk,
    verifies: bool,
    cancel: Cancel,
    slices: Vec<Report>,
    _target: Subject,
}

impl Sliced {
    /// Starts a process for `job` on `target` and waits until it is ready. The thread that calls
    /// this has to outlive the value.
    ///
    /// # Errors
    /// What the engine says about the job and its target, and [`LoadError::Interrupted`].
    pub fn start(
        job: &Job,
        target: impl Into<Subject>,
        kind: TargetKind,
        cancel: &Cancel,
    ) -> Result<Sliced, LoadError> {
        // Held open until the child has ended.
        let target = target.into();
        let task = NativeTask {
            inode: target.inode(),
            parent_pid: Some(std::process::id()),
            ..NativeTask::new(job.clone(), place(target.path(), kind)?, kind)
        };
        let talk = talk::engine()?;
        let (verifies, cancel, slices) = (job.verify, cancel.clone(), Vec::new());
        let mut sliced = Sliced { talk, verifies, cancel, slices, _target: target };
        match ask_process(&mut sliced.talk, &task, GRACE, &sliced.cancel)? {
            Reply::Ready => Ok(sliced),
            _ => Err(Failure::unexpected().into()),
        }
    }

    /// Measures one slice. Slices are numbered from 0 in the order of these calls.
    ///
    /// # Errors
    /// What the engine says, and [`LoadError::Interrupted`]. The process is of no use then.
    pub fn measure(&mut self, request: Request) -> Result<&Report, LoadError> {
        if self.slices.len() == SLICES_MAX {
            let most = format!("the measuring process measures at most {SLICES_MAX} slices");
            return Err(LoadError::Child(most));
        }
        let limit = Duration::from_nanos(request.longest_ns()).saturating_add(GRACE);
        match ask_process(&mut self.talk, &Some(request), limit, &self.cancel)? {
            Reply::Slice(report) => {
                self.slices.push(*report);
                self.slices.last().ok_or_else(|| LoadError::Child("no slice".to_string()))
            }
            _ => Err(Failure::unexpected().into()),
        }
    }

    pub fn slices(&self) -> &[Report] {
        &self.slices
    }

    /// Ends the process and merges the slices that count: those whose numbers `valid` has. What
    /// was written in the others is verified too, where the job asks for it.
    ///
    /// The job of the measurement is the one that was done: it flushes at the end of each slice
    /// what the job that was asked for would leave in memory.
    ///
    /// # Errors
    /// What the engine says, and [`LoadError::Interrupted`].
    pub fn finish(mut self, valid: &[usize]) -> Result<Measurement, LoadError> {
        let limit = if self.verifies { UNLIMITED } else { GRACE };
        match ask_process(&mut self.talk, &None::<Request>, limit, &self.cancel)? {
            Reply::Ok(ended) => {
                let numbered = self.slices.iter().enumerate();
                let counting: Vec<&Report> =
                    numbered.filter(|(at, _)| valid.contains(at)).map(|(_, slice)| slice).collect();
                Ok(merged(*ended, &counting))
            }
            _ => Err(Failure::unexpected().into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use bakeoff_model::job::{EngineName, Rw};
    use bakeoff_model::slice::Slice;
    use bakeoff_model::slice_length::{Least, Length};
    use bakeoff_model::slices::figure;
    use bakeoff_model::workload::Metric;
    use bakeoff_tools::native::FailureKind;

    use super::*;

    #[test]
    #[ignore = "not a test: the child process that the tests below start"]
    fn answers_as_the_child_process() {
        let Ok(output) = std::fs::File::options().write(true).open("/proc/self/fd/3") else {
            return;
        };
        std::process::exit(bakeoff_engine::serve_slices(std::io::stdin(), output));
    }

    fn directory() -> tempfile::TempDir {
        tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap()
    }

    fn short(job: &Job) -> Request {
        Request::new(Length::of(3_000_000), 1, Least::for_job(job, true))
    }

    #[test]
    fn slices_that_count_become_the_measurement() {
        let dir = directory();
        let path = dir.path().join("file");
        let job = Job { fdatasync: 1, verify: true, ..Job::new(Rw::RandWrite, 4096, 1 << 20) };
        let cancel = Cancel::default();
        let mut sliced = Sliced::start(&job, &path, TargetKind::File, &cancel).unwrap();
        let mut slices: Vec<Slice> = Vec::new();
        for round in 0..5 {
            let report = sliced.measure(short(&job)).unwrap();
            slices.push(Slice { round, ..report.slice() });
        }
        assert!(slices.iter().all(|slice| slice.flushes >= 4 && slice.ios >= 50));
        assert!(figure(&slices, Metric::Iops).unwrap().figure > 0.0);
        let ios: u64 = [1, 2, 4].map(|at| slices[at].ios).iter().sum();
        let elapsed_ns: u64 = [1, 2, 4].map(|at| slices[at].elapsed_ns).iter().sum();
        let measured = sliced.finish(&[4, 1, 2, 1]).unwrap();
        assert_eq!((measured.write.unwrap().total_ios, measured.elapsed_ns), (ios, elapsed_ns));
        assert_eq!(measured.windows.len(), 3);
        assert_eq!((measured.job, measured.engine), (job, EngineName::Psync));
        assert!(measured.verified_bytes.unwrap() > 0, "what does not count is verified too");
    }

    #[test]
    fn several_candidates_take_turns() {
        let dir = directory();
        let job = Job { fsync: 1, ..Job::new(Rw::SmallFiles, 4096, 40960) };
        let cancel = Cancel::default();
        let mut standing: Vec<Sliced> = (0..3)
            .map(|candidate| {
                let place = dir.path().join(format!("{candidate}"));
                std::fs::create_dir(&place).unwrap();
                Sliced::start(&job, &place, TargetKind::Directory, &cancel).unwrap()
            })
            .collect();
        let mut end_ns = 0;
        for turn in [0, 2, 1, 1, 0, 2] {
            let report = standing[turn].measure(short(&job)).unwrap();
            // Each process has a clock of its own, which may be wrong by some microseconds a
            // second; a slice takes 3 ms.
            assert!(report.monotonic_ns + 1_000_000 >= end_ns, "never two at a time");
            assert!(report.ios() >= 10, "a set at least");
            end_ns = report.monotonic_ns + report.elapsed_ns;
        }
        assert!(standing.iter().all(|sliced| sliced.slices().len() == 2));
    }

    #[test]
    fn a_job_that_is_not_possible_is_refused_at_the_start() {
        let dir = directory();
        let missing = dir.path().join("none");
        let job = Job::new(Rw::Read, 4096, 40960);
        let started = Sliced::start(&job, &missing, TargetKind::File, &Cancel::default());
        let Err(LoadError::Failed(failure)) = started else { panic!("it started") };
        assert_eq!(failure.kind, FailureKind::NotFound);
    }

    #[test]
    fn a_process_that_was_killed_is_an_error() {
        let dir = directory();
        let path = dir.path().join("file");
        let job = Job::new(Rw::RandWrite, 4096, 1 << 20);
        let cancel = Cancel::default();
        let mut sliced = Sliced::start(&job, &path, TargetKind::File, &cancel).unwrap();
        sliced.measure(short(&job)).unwrap();
        sliced.talk.kill();
        let error = sliced.measure(short(&job)).unwrap_err().to_string();
        assert!(error.starts_with("the measuring process ended: killed by signal 9: "), "{error}");
    }

    #[test]
    fn cancelling_ends_the_process() {
        let dir = directory();
        let path = dir.path().join("file");
        let job = Job::new(Rw::RandWrite, 4096, 1 << 20);
        let cancel = Cancel::listen().unwrap();
        let mut sliced = Sliced::start(&job, &path, TargetKind::File, &cancel).unwrap();
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::HUP)
            .unwrap();
        let since = Instant::now();
        while !cancel.is_set() {
            assert!(since.elapsed().as_secs() < 600, "the signal never came");
            std::thread::sleep(Duration::from_millis(1));
        }
        let ended = sliced.measure(short(&job)).unwrap_err();
        assert!(matches!(ended, LoadError::Interrupted), "{ended}");
    }
}
