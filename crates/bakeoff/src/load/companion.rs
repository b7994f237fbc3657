//! A companion of a measured workload: an engine process that works at a fixed pace, on the same
//! candidate, while that is measured, and rests in between.
//!
//! It has a directory of its own in the candidate's scratch directory.

use std::thread;
use std::time::Duration;

use bakeoff_model::companions::LEAD_NS;
use bakeoff_model::job::{Job, Rw};
use bakeoff_model::measurement::Measurement;
use bakeoff_model::workload::Workload;
use bakeoff_tools::native::{CompanionOrder, NativeTask, Reply, TargetKind};

use super::scratch::{self, Scratch};
use super::site::{Site, Subject};
use super::{GRACE, LoadError, UNLIMITED, ask_process, place, run};
use crate::exec::talk::{self, Talk};
use crate::signals::Cancel;

/// Dropped, it kills its process.
pub struct Companion {
    talk: Talk,
    cancel: Cancel,
    laid_out_bytes: u64,
    _target: Subject,
}

impl Companion {
    /// The companion of `workload` at `site`, laid out and at rest; `None` where it has none. The
    /// thread that calls this has to outlive the value.
    ///
    /// # Errors
    /// What the engine says about the job and its target, and [`LoadError::Interrupted`].
    pub fn start(
        workload: &Workload,
        site: &Site,
        seed: u64,
        cancel: &Cancel,
    ) -> Result<Option<Companion>, LoadError> {
        let Some(beside) = workload.beside.as_deref() else { return Ok(None) };
        let failed =
            |e| LoadError::Child(format!("cannot create the files of {}: {e}", beside.name));
        let size = beside.job.size.min(site.file_bytes).max(beside.job.bs);
        // Another stream of data than that of the workload beside it.
        let job = Job { size, seed: !seed & (u64::MAX >> 11), ..beside.job.clone() };
        let directory = site.scratch.make_anew(scratch::BESIDE).map_err(failed)?;
        let (target, kind) = if beside.profile.is_some() || job.rw == Rw::SmallFiles {
            (Subject::Opened(directory), TargetKind::Directory)
        } else {
            let file = Scratch::from_opened(directory).create(scratch::DATA).map_err(failed)?;
            (Subject::Opened(file), TargetKind::File)
        };
        let reads_file = kind == TargetKind::File && job.rw.reads();
        if reads_file {
            run(&Job::filling(size), target.clone(), kind, cancel, &mut |_| {})?;
        }
        let task = NativeTask {
            profile: beside.profile.map(|part| part.profile),
            parts: beside.profile.iter().map(|part| part.part).collect(),
            inode: target.inode(),
            parent_pid: Some(std::process::id()),
            ..NativeTask::new(job, place(target.path(), kind)?, kind)
        };
        let (talk, cancel) = (talk::companion()?, cancel.clone());
        let laid_out_bytes = if reads_file { size } else { 0 };
        let mut companion = Companion { talk, cancel, laid_out_bytes, _target: target };
        // Its files may be laid out on a slow drive.
        match ask_process(&mut companion.talk, &task, UNLIMITED, &companion.cancel)? {
            Reply::Ready => Ok(Some(companion)),
            _ => Err(ended()),
        }
    }

    /// Lets it work. What is measured next begins when it has worked for a moment.
    ///
    /// # Errors
    /// The engine's: it has failed meanwhile. [`LoadError::Interrupted`].
    pub fn go(&mut self) -> Result<(), LoadError> {
        self.order(CompanionOrder::Go)?;
        thread::sleep(Duration::from_nanos(LEAD_NS));
        Ok(())
    }

    /// Has it end what it is doing, flush, and wait.
    ///
    /// # Errors
    /// As [`Companion::go`].
    pub fn rest(&mut self) -> Result<(), LoadError> {
        self.order(CompanionOrder::Rest)
    }

    fn order(&mut self, order: CompanionOrder) -> Result<(), LoadError> {
        match ask_process(&mut self.talk, &order, GRACE, &self.cancel)? {
            Reply::Ready => Ok(()),
            _ => Err(ended()),
        }
    }

    /// Ends it; its figures are those of the time it worked.
    ///
    /// # Errors
    /// As [`Companion::go`].
    pub fn finish(mut self) -> Result<Measurement, LoadError> {
        match ask_process(&mut self.talk, &CompanionOrder::End, GRACE, &self.cancel)? {
            Reply::Ok(mut measured) => {
                if self.laid_out_bytes > 0 {
                    let own = measured.write.as_ref().map_or(0, |write| write.io_bytes);
                    measured.wrote_bytes = Some(own);
                    measured.laid_out_bytes = Some(self.laid_out_bytes);
                }
                Ok(*measured)
            }
            _ => Err(ended()),
        }
    }
}

fn ended() -> LoadError {
    LoadError::Child("the companion ended before what it runs beside".to_string())
}
