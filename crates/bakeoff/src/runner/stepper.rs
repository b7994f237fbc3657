//! Takes steps and undoes them, each recorded before it is done.
//!
//! The undo of a step is in the store before the step runs, so whatever kills us leaves the way
//! back in the record. Undoing is safe to repeat: what is gone already is success.

use std::time::Instant;

use bakeoff_core::model::event::{Step, StepDone, What};

use super::action::{self, ActionError};
use super::journal::Journal;
use super::session::Session;
use crate::fault::Fault;

/// Most of a tool's output that is kept in the record.
const KEEP_BYTES: usize = 64 << 10;

/// Why a step did not succeed.
#[derive(Debug)]
pub enum StepError {
    /// The step failed; the run may go on without it.
    Failed(ActionError),
    /// The record cannot be kept; nothing may go on.
    Fault(Fault),
}

impl From<Fault> for StepError {
    fn from(fault: Fault) -> StepError {
        StepError::Fault(fault)
    }
}

impl StepError {
    /// Turns the failure into the command's end.
    pub fn into_fault(self) -> Fault {
        match self {
            StepError::Failed(ActionError::Interrupted) => Fault::interrupted("interrupted"),
            StepError::Failed(error) => Fault::environment(error),
            StepError::Fault(fault) => fault,
        }
    }
}

/// Records a step, takes it, records how it went. Gives its number and what it printed.
pub fn take(
    session: &mut Session,
    build: impl FnOnce(u32) -> Step,
) -> Result<(u32, String), StepError> {
    let Session { journal, cancel, progress } = session;
    let number = u32::try_from(journal.run().steps.len()).map_err(Fault::bug)?;
    let step = build(number);
    journal.record(What::StepPlanned(step.clone()))?;
    progress.doing(&step.why);
    let started = Instant::now();
    let result = action::perform(&step.action, cancel, &mut |live| progress.live(live));
    let (status, mut output) = match &result {
        Ok(done) => (0, done.output.clone()),
        Err(error) => (1, error.to_string()),
    };
    output.truncate(output.floor_char_boundary(KEEP_BYTES));
    let took_ns = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
    journal.record(What::StepDone(StepDone {
        step: number,
        took_ns,
        status,
        output: output.clone(),
    }))?;
    result.map(|_| (number, output)).map_err(StepError::Failed)
}

/// Undoes one step.
pub fn undo(journal: &mut Journal, number: u32) -> Result<(), StepError> {
    let record = journal.run().steps.get(number as usize);
    let undo = record.filter(|r| !r.undone).and_then(|r| r.step.undo.clone());
    if let Some(action) = undo {
        action::undo(&action).map_err(StepError::Failed)?;
        journal.record(What::StepUndone { step: number })?;
    }
    Ok(())
}

/// Undoes everything that is still in effect, latest first. Goes on past what fails and gives the
/// failures, so that neither one busy mount nor a full store keeps the rest from being put back.
///
/// # Errors
/// When the record could not be kept meanwhile: the first reason, with the failures.
pub fn undo_all(journal: &mut Journal) -> Result<Vec<String>, Fault> {
    let pending: Vec<Step> = journal.run().steps_to_undo().cloned().collect();
    let (mut failures, mut unrecorded) = (Vec::new(), None);
    for step in pending {
        match undo(journal, step.step) {
            Ok(()) => {}
            Err(StepError::Failed(error)) => failures.push(error.to_string()),
            Err(StepError::Fault(fault)) => unrecorded = unrecorded.or(Some(fault)),
        }
    }
    match unrecorded {
        None => Ok(failures),
        Some(fault) => Err(failures.iter().fold(fault, |fault, failure| fault.and(failure))),
    }
}
