//! Undoes the steps of a record. That is safe to repeat: what is gone already is success.
//!
//! In a container, or with a drive unplugged, a change that cannot be seen may still be there. Its
//! step stays in the record.

use std::path::Path;

use bakeoff_model::event::{Namespaces, Owner, Step, What};
use bakeoff_model::path::RawPath;
use bakeoff_model::undo::{On, Undo};

use super::error::StepError;
use super::journal::Journal;
use super::undoing::{self, Of};
use crate::fault::Fault;
use crate::host;

pub fn undo(journal: &mut Journal, number: u32) -> Result<(), StepError> {
    let record = journal.run().steps.get(number as usize);
    let undo = record.filter(|r| !r.undone).and_then(|r| r.step.undo.clone());
    if let Some(undo) = undo {
        let is_past = is_of_another_boot(journal);
        if !(undo.ends_with_the_boot() && is_past) {
            let run = journal.run();
            check_seen(&undo, &run.header.run, run.owner.as_ref(), is_past)?;
            let made = journal.release(number);
            let (run, store) = (&journal.run().header.run, journal.store_path());
            let of = Of { run, step: number, store, made: made.as_ref() };
            undoing::undo(&undo, of)?;
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
/// failures, so that neither one busy mount nor a full store keeps the rest from being undone.
///
/// # Errors
/// When the record could not be kept meanwhile: the first reason, with the failures.
pub fn undo_all(journal: &mut Journal) -> Result<Vec<String>, Fault> {
    let pending: Vec<Step> = journal.run().steps_to_undo().cloned().collect();
    let (mut failures, mut unrecorded) = (Vec::new(), None);
    for step in pending {
        match undo(journal, step.step) {
            Ok(()) => {}
            Err(StepError::Fault(fault)) => unrecorded = unrecorded.or(Some(fault)),
            Err(error) => failures.push(error.to_string()),
        }
    }
    match unrecorded {
        None => Ok(failures),
        Some(fault) => Err(failures.iter().fold(fault, |fault, failure| fault.and(failure))),
    }
}

/// Looks whether a step of a run can be undone from here. `is_past`: the machine has started anew
/// since.
///
/// # Errors
/// What cannot be seen, and what to do.
fn check_seen(
    undo: &Undo,
    run: &str,
    owner: Option<&Owner>,
    is_past: bool,
) -> Result<(), StepError> {
    let view = owner.and_then(|owner| owner.view);
    let is_same = |path: &str, then: fn(Namespaces) -> u64| {
        is_past || view.is_none_or(|view| host::device_at(Path::new(path)) == Some(then(view)))
    };
    match undo {
        Undo::RemoveOurScratch { parent, of, on: Some(on) } => {
            return check_scratch(parent, &of.name(run), *on, is_past);
        }
        Undo::RemoveMountPoints | Undo::RemoveOurRule if !is_same("/run", |view| view.run_dev) => {
            Err("/run is not the one that the run used")
        }
        Undo::UnmountOurs { .. } if !host::sees_processes_of(view.map(|view| view.pid_ns)) => {
            Err("/proc does not show the processes of the run")
        }
        Undo::DetachMarkedLoop
        | Undo::RemoveVolume(_)
        | Undo::RestoreKnob { .. }
        | Undo::KeepKnob { .. }
            if !host::sees_drives() =>
        {
            Err("/sys does not show the drives")
        }
        Undo::RestoreSaved { .. }
            if rustix::process::geteuid().is_root()
                && !is_same("/var/lib", |view| view.var_lib_dev) =>
        {
            Err("/var/lib is not the one that the probe used")
        }
        Undo::RemoveOurScratch { .. }
        | Undo::RemoveMountPoints
        | Undo::RemoveOurRule
        | Undo::UnmountOurs { .. }
        | Undo::DetachMarkedLoop
        | Undo::RemoveVolume(_)
        | Undo::RestoreKnob { .. }
        | Undo::KeepKnob { .. }
        | Undo::RestoreSaved { .. }
        | Undo::Unknown(_) => Ok(()),
    }
    .map_err(|what| {
        StepError::Other(format!(
            "{what}, as in a container, so bakeoff cannot see whether the changes of run {} are \
             gone. Run `sudo bakeoff clean` outside it",
            short(run)
        ))
    })
}

fn check_scratch(parent: &RawPath, name: &str, on: On, is_past: bool) -> Result<(), StepError> {
    let is_there = std::fs::symlink_metadata(parent.as_path().join(name)).is_ok();
    let mut around = parent.as_path().ancestors();
    let found = around.find_map(host::device_at);
    if is_there || found == Some(on.dev) || (is_past && on.is_in_memory) {
        return Ok(());
    }
    Err(StepError::Other(format!(
        "{parent} is not on the filesystem that the run used, so bakeoff cannot see whether {name} \
         in it is gone. Mount that filesystem, or leave the container, and run `bakeoff clean`. If \
         the filesystem no longer exists: bakeoff clean --force {}",
        short(name.trim_start_matches(".bakeoff-"))
    )))
}

fn short(run: &str) -> &str {
    run.get(..8).unwrap_or(run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skip;
    use crate::store::{Records, Sqlite};
    use bakeoff_machine::prepare::udev_rule;
    use bakeoff_model::event::{Event, StepDone};

    fn left_by(boot_id: &str) -> (tempfile::TempDir, Sqlite) {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Sqlite::open(&dir.path().join("store.db")).unwrap();
        let text = include_str!("../../../../fixtures/bundle/v0.1.0.jsonl");
        let started: Event = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
        let run = store.create(&started).unwrap();
        let owner = Owner { pid: 1, start_ticks: 0, boot_id: boot_id.to_string(), view: None };
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
