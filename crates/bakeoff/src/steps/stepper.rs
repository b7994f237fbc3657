//! Takes steps and undoes them, each recorded before it is done.
//!
//! The undo of a step is in the store before the step runs, so whatever kills us leaves the way
//! back in the record. Undoing is safe to repeat: what is gone already is success.

use std::time::Instant;

use bakeoff_core::model::event::{Action, Step, StepDone, What};

use super::action::{self, ActionError, Done};
use super::device_actions;
use super::journal::Journal;
use super::session::Session;
use super::undoing::{self, Of};
use crate::fault::Fault;
use crate::host;
use crate::signals::Cancel;
use crate::ui::progress::Live;

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
            StepError::Failed(ActionError::Refused(distrust)) => Fault::refused(distrust),
            StepError::Failed(error) => Fault::environment(error),
            StepError::Fault(fault) => fault,
        }
    }
}

/// The number of the step that is taken next.
pub fn next_number(session: &Session) -> Result<u32, Fault> {
    u32::try_from(session.journal.run().steps.len()).map_err(Fault::bug)
}

/// Whether every target still is the drive that was consented to.
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
pub fn take_by(
    session: &mut Session,
    build: impl FnOnce(u32) -> Step,
    perform: impl FnOnce(&Action, &Cancel, &mut dyn FnMut(Live)) -> Result<Done, ActionError>,
) -> Result<(u32, String), StepError> {
    let number = next_number(session)?;
    let step = build(number);
    session.journal.record(What::StepPlanned(step.clone()))?;
    session.progress.doing(&step.why);
    let started = Instant::now();
    // Now and not before the record: that may have waited for the disk, and for other writers.
    let same = check_targets(session);
    let Session { journal, cancel, progress, held, .. } = session;
    let mut live = |live| progress.live(live);
    let result = same.and_then(|()| perform(&step.action, cancel, &mut live));
    if !held.is_empty() {
        device_actions::settle_udev();
    }
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
    if let Some(undo) = undo {
        let made = journal.release(number);
        if !(undo.ends_with_the_boot() && is_of_another_boot(journal)) {
            let (run, store) = (&journal.run().header.run, journal.store_path());
            let of = Of { run, step: number, store, made: made.as_ref() };
            undoing::undo(&undo, of).map_err(StepError::Failed)?;
        }
        journal.record(What::StepUndone { step: number })?;
    }
    Ok(())
}

/// Whether the run's last owner lived before the machine started anew.
fn is_of_another_boot(journal: &Journal) -> bool {
    match (&journal.run().owner, host::boot_id()) {
        (Some(owner), Ok(now)) => owner.boot_id != now,
        // Not knowing, trying to undo is the safer way: names carry the run id.
        _ => false,
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skip;
    use crate::store::{Records, Sqlite, Store};
    use bakeoff_core::model::event::{Event, Owner};
    use bakeoff_core::prepare::udev_rule;

    /// A store with one dead run of this or another boot that had made a rule.
    fn left_by(boot_id: &str) -> (tempfile::TempDir, Sqlite) {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Sqlite::open(&dir.path().join("store.db")).unwrap();
        let text = include_str!("../../../../fixtures/bundle/v0.1.0.jsonl");
        let started: Event = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
        let run = store.create(&started).unwrap();
        let owner = Owner { pid: 1, start_ticks: 0, boot_id: boot_id.to_string() };
        let step = udev_rule::add(0, run.as_str(), &[]);
        let done = StepDone { step: 0, took_ns: 1, status: 0, output: String::new() };
        let whats = [What::Owned(owner), What::StepPlanned(step), What::StepDone(done)];
        let event = |(i, what)| Event { seq: i, unix_ns: 0, elapsed_ns: 0, what };
        let events: Vec<Event> = (1..).zip(whats).map(event).collect();
        store.append(&run, &events).unwrap();
        (dir, store)
    }

    #[test]
    fn what_the_kernel_forgot_at_boot_is_not_put_back_on_what_has_its_name_now() {
        if skip::lacks_root() {
            return;
        }
        for (boot_id, is_left) in [(host::boot_id().unwrap().as_str(), false), ("another", true)] {
            let (_kept, mut store) = left_by(boot_id);
            let run = store.list().unwrap()[0].run.clone();
            let rule = udev_rule::path(run.as_str());
            std::fs::create_dir_all(udev_rule::RULES).unwrap();
            std::fs::write(rule.as_path(), "# a test of bakeoff's\n").unwrap();
            let mut journal = Journal::take(&mut store, &run).unwrap();
            assert_eq!(undo_all(&mut journal).unwrap(), Vec::<String>::new());
            assert_eq!(journal.run().steps_to_undo().count(), 0);
            assert_eq!(rule.as_path().exists(), is_left, "{boot_id}");
            let _ = std::fs::remove_file(rule.as_path());
        }
    }
}
