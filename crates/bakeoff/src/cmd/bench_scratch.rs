//! The scratch files of a bench, recorded in the store while they exist.
//!
//! A bench leaves no run behind. But its scratch directory is a change to the system like any
//! other: recorded before it is made, so that `clean` finds it after a kill. A file stays until the
//! last job has ended, so that a job finds under its name what one before it prepared, as in fio.

use std::io;
use std::path::{Path, PathBuf};

use bakeoff_model::path::RawPath;
use bakeoff_model::undo::ScratchOf;
use bakeoff_model::verb::Verb;

use rustix::fs::{FallocateFlags, fallocate, fstat};
use rustix::io::Errno;

use super::unkept;
use crate::cli::Global;
use crate::fault::Fault;
use crate::host::Opened;
use crate::load::scratch::{self, Scratch};
use crate::steps::error::StepError;
use crate::steps::session::Session;
use crate::steps::stepper;

/// The scratch directories of one call, each made when it is first needed.
pub struct Files<'a, 's> {
    session: &'a mut Session<'s>,
    made: Vec<(PathBuf, Scratch)>,
}

/// Has `work` use scratch files, and removes them again. `dir` is shown as where they are.
pub fn with_files<T>(
    global: &Global,
    dir: &Path,
    work: impl FnOnce(&mut Files<'_, '_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let title = format!("bench: {}", RawPath::new(dir));
    unkept::run(global, Verb::Bench, title, |session| {
        let mut files = Files { session, made: Vec::new() };
        let result = work(&mut files);
        // By descriptor: also where its owner renamed it. What fails is met again afterwards.
        files.made.iter().for_each(|(_, scratch)| drop(scratch.empty()));
        result
    })
}

impl Files<'_, '_> {
    /// The file of that name in the scratch directory below `parent`, new or as a job left it.
    pub fn file(&mut self, parent: &Path, name: &str) -> Result<Opened, Fault> {
        let scratch = self.scratch(parent)?;
        let kept = once(scratch.make_dir(scratch::KEPT), || scratch.open_dir(scratch::KEPT));
        let kept = Scratch::from_opened(kept.map_err(unusable)?);
        once(kept.create(name), || kept.open_file(name)).map_err(unusable)
    }

    /// An empty directory in the scratch directory below `parent`.
    pub fn directory(&mut self, parent: &Path) -> Result<Opened, Fault> {
        let scratch = self.scratch(parent)?;
        scratch.remove_small().map_err(unusable)?;
        scratch.make_dir(scratch::SMALL).map_err(unusable)
    }

    fn scratch(&mut self, parent: &Path) -> Result<Scratch, Fault> {
        if let Some((_, scratch)) = self.made.iter().find(|(known, _)| known == parent) {
            return Ok(scratch.clone());
        }
        let made = stepper::make_scratch(self.session, ScratchOf::Run, &RawPath::new(parent));
        let (_, scratch) = made.map_err(StepError::into_fault)?;
        self.made.push((parent.to_path_buf(), scratch.clone()));
        Ok(scratch)
    }
}

pub fn bytes(file: &Opened) -> io::Result<u64> {
    Ok(u64::try_from(fstat(file)?.st_size).unwrap_or(0))
}

/// Allocates the blocks of a file that is written next; whether that worked. Filesystems without
/// fallocate(2) have it written instead, which then also says what is wrong elsewhere.
pub fn allocate(file: &Opened, bytes: u64) -> bool {
    loop {
        match fallocate(file, FallocateFlags::empty(), 0, bytes) {
            Err(Errno::INTR) => {}
            done => return done.is_ok(),
        }
    }
}

fn once<T>(made: io::Result<T>, there: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    match made {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => there(),
        made => made,
    }
}

fn unusable(error: io::Error) -> Fault {
    Fault::environment(format!("cannot use bakeoff's directory: {error}"))
}
