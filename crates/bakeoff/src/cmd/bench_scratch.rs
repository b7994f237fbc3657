//! The scratch directory of a bench, kept in the store while it exists.
//!
//! A bench leaves no run behind. But its scratch directory is a change to the system like any
//! other: recorded before it is made, so that `clean` finds it after a kill.

use std::path::Path;

use bakeoff_core::driver::native::TargetKind;
use bakeoff_core::model::path::RawPath;
use bakeoff_core::model::protocol::{Mode, Protocol};
use bakeoff_core::prepare::steps;

use super::begin::{self, Plan};
use crate::cli::Global;
use crate::fault::Fault;
use crate::host::Opened;
use crate::runner::journal::Journal;
use crate::runner::making;
use crate::runner::scratch::{self, Scratch};
use crate::runner::session::Session;
use crate::runner::stepper::{self, StepError};
use crate::signals::Cancel;
use crate::store::{Sqlite, Store};
use crate::ui::progress::Progress;

/// Makes a scratch directory in `dir`, gives `work` a new file in it (or a new directory), and
/// removes everything again.
pub fn in_scratch<T>(
    global: &Global,
    dir: &Path,
    directory: bool,
    work: impl FnOnce(&Opened, TargetKind) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let mut store = Sqlite::open(&crate::store::place::path(global.store.as_deref())?)?;
    let parent = RawPath::new(dir);
    let plan = Plan {
        verb: "bench",
        title: format!("bench: {parent}"),
        protocol: Protocol::for_mode(Mode::Quick, 0),
        candidates: Vec::new(),
        workloads: Vec::new(),
        skipped: Vec::new(),
        dropped_workloads: Vec::new(),
        file_bytes: None,
        plan: None,
        regions: Vec::new(),
    };
    let header = begin::header(global, plan);
    let journal = Journal::begin(&mut store, header)?;
    let run = journal.run().header.run.clone();
    // Signals are noticed by the caller's listener; a step here is over in an instant.
    let mut session = Session::new(journal, Cancel::default(), Progress::new(true));
    let name = steps::scratch_name(&run);
    let result = match making::scratch(&mut session, &name, &parent) {
        Ok((_, scratch)) => {
            let result = in_made(&scratch, directory, work);
            // By descriptor: also where its owner renamed it. What fails is met again below.
            drop(scratch.empty());
            result
        }
        Err(error) => Err(StepError::into_fault(error)),
    };
    let failures = stepper::undo_all(&mut session.journal)?;
    drop(session);
    if !failures.is_empty() {
        return Err(Fault::environment(failures.join("; ")));
    }
    store.remove(&store.find(&run)?)?;
    result
}

fn in_made<T>(
    scratch: &Scratch,
    directory: bool,
    work: impl FnOnce(&Opened, TargetKind) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let unusable = |e| Fault::environment(format!("cannot use our directory: {e}"));
    if directory {
        work(&scratch.make_dir(scratch::SMALL).map_err(unusable)?, TargetKind::Directory)
    } else {
        work(&scratch.create(scratch::DATA).map_err(unusable)?, TargetKind::File)
    }
}
