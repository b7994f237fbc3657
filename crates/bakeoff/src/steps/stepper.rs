//! Takes steps, each recorded before it is done.
//!
//! The undo of a step is in the store before the step runs, so whatever kills us leaves the way
//! back in the record.

use std::time::Instant;

use bakeoff_model::event::{Action, Step, StepDone, What};

use super::action;
use super::action_error::ActionError;
use super::device_actions;
use super::session::Session;
use super::step_error::StepError;
use crate::fault::Fault;
use crate::signals::Cancel;
use crate::ui::progress::LiveProgress;

/// Most of a tool's output that is kept in the record.
const KEEP_BYTES: usize = 64 << 10;

pub fn next_number(session: &Session) -> Result<u32, Fault> {
    u32::try_from(session.journal.run().steps.len()).map_err(Fault::bug)
}

pub fn check_targets(session: &Session) -> Result<(), ActionError> {
    session.held.iter().try_for_each(super::locked_target::LockedTarget::check)
}

/// Records a step, takes it, records how it went. Gives its number and what it printed.
pub fn take(
    session: &mut Session,
    build: impl FnOnce(u32) -> Step,
) -> Result<(u32, String), StepError> {
    take_by(session, build, action::perform)
}

/// The same, where the caller knows more about how the action is done than the record says: which
/// open file has the path in it.
pub fn take_by<F>(
    session: &mut Session,
    build: impl FnOnce(u32) -> Step,
    perform: F,
) -> Result<(u32, String), StepError>
where
    F: FnOnce(&Action, &Cancel, &mut dyn FnMut(LiveProgress)) -> Result<String, ActionError>,
{
    let number = next_number(session)?;
    let step = build(number);
    session.journal.record(What::StepPlanned(step.clone()))?;
    session.progress.doing(&step.why);
    let started = Instant::now();
    // Now and not before the record: that may have waited for the drive, and for other writers.
    let same = check_targets(session);
    let Session { journal, cancel, progress, held, .. } = session;
    let mut live = |live| progress.live(live);
    let result = same.and_then(|()| perform(&step.action, cancel, &mut live));
    if !held.is_empty() {
        device_actions::settle_udev();
    }
    let (status, mut output) = match &result {
        Ok(printed) => (0, printed.clone()),
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
