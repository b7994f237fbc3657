//! The scratch directory of a bench, kept in the store while it exists.
//!
//! A bench leaves no run behind. But its scratch directory is a change to the system like any
//! other: recorded before it is made, so that `clean` finds it after a kill.

use std::path::Path;

use bakeoff_core::model::path::RawPath;
use bakeoff_core::model::undo::ScratchOf;
use bakeoff_core::model::verb::Verb;
use bakeoff_core::tools::native::TargetKind;

use super::unkept;
use crate::cli::Global;
use crate::fault::Fault;
use crate::host::Opened;
use crate::load::scratch::{self, Scratch};
use crate::steps::making;
use crate::steps::step_error::StepError;

/// Makes a scratch directory in `dir`, gives `work` a new file in it (or a new directory), and
/// removes everything again.
pub fn in_scratch<T>(
    global: &Global,
    dir: &Path,
    directory: bool,
    work: impl FnOnce(&Opened, TargetKind) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let parent = RawPath::new(dir);
    unkept::run(global, Verb::Bench, format!("bench: {parent}"), |session| {
        match making::scratch(session, ScratchOf::Run, &parent) {
            Ok((_, scratch)) => {
                let result = in_made(&scratch, directory, work);
                // By descriptor: also where its owner renamed it. What fails is met again below.
                drop(scratch.empty());
                result
            }
            Err(error) => Err(StepError::into_fault(error)),
        }
    })
}

fn in_made<T>(
    scratch: &Scratch,
    directory: bool,
    work: impl FnOnce(&Opened, TargetKind) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let unusable = |e| Fault::environment(format!("cannot use bakeoff's directory: {e}"));
    if directory {
        work(&scratch.make_dir(scratch::SMALL).map_err(unusable)?, TargetKind::Directory)
    } else {
        work(&scratch.create(scratch::DATA).map_err(unusable)?, TargetKind::File)
    }
}
