//! The record of tests has every kind of event, so that each is in what is planted and damaged.

use std::collections::BTreeSet;

use super::sample;
use bakeoff_model::event::{Action, Step, What};
use bakeoff_model::undo::Undo;

/// Fails to compile when a kind is added, so that the sample gets it too.
fn kind(what: &What) -> usize {
    match what {
        What::Started(_) => 0,
        What::Rehearsed(_) => 1,
        What::Owned(_) => 2,
        What::Found(_) => 3,
        What::StepPlanned(_) => 4,
        What::StepDone(_) => 5,
        What::StepUndone { .. } => 6,
        What::BlockStarted { .. } => 7,
        What::Sentinel { .. } => 8,
        What::VisitStarted { .. } => 9,
        What::CellDone(_) => 10,
        What::CellInvalid { .. } => 11,
        What::BlockDone { .. } => 12,
        What::BlockSuperseded { .. } => 13,
        What::Looked { .. } => 14,
        What::Stopped { .. } => 15,
        What::Extended { .. } => 16,
        What::Watching(_) => 17,
        What::Ceilings(_) => 18,
        What::Surveyed { .. } => 19,
        What::Verified { .. } => 20,
        What::DrivesTold { .. } => 21,
        What::Marked { .. } => 22,
        What::Calibrated(_) => 23,
        What::Filled(_) => 24,
        What::FitMeasured(_) => 25,
    }
}

/// The same for changes.
fn action(action: &Action) -> usize {
    match action {
        Action::Run { .. } => 0,
        Action::MakeScratch { .. } => 1,
        Action::Fill { .. } => 2,
        Action::AttachLoop { .. } => 3,
        Action::Mount { .. } => 4,
        Action::RunWithKey { .. } => 5,
        Action::Overwrite { .. } => 6,
        Action::SetKnob { .. } => 7,
        Action::AddUdevRule { .. } => 8,
    }
}

/// The same for ways back.
fn undo(undo: &Undo) -> usize {
    match undo {
        Undo::RemoveOurScratch { .. } => 0,
        Undo::RemoveMountPoints => 1,
        Undo::UnmountOurs { .. } => 2,
        Undo::DetachMarkedLoop => 3,
        Undo::RemoveVolume(_) => 4,
        Undo::RestoreKnob { .. } => 5,
        Undo::KeepKnob { .. } => 6,
        Undo::RemoveOurRule => 7,
        Undo::RestoreSaved { .. } => 8,
        Undo::Unknown(_) => 9,
    }
}

#[test]
fn the_sample_has_every_kind_of_event_and_change() {
    let events = sample::events();
    let kinds: BTreeSet<_> = events.iter().map(|e| kind(&e.what)).collect();
    assert_eq!(kinds, (0..26).collect());
    let steps = events.iter().filter_map(|e| {
        let What::StepPlanned(step) = &e.what else { return None };
        Some(step)
    });
    let steps: Vec<&Step> = steps.collect();
    let actions: BTreeSet<_> = steps.iter().map(|step| action(&step.action)).collect();
    assert_eq!(actions, (0..9).collect());
    let undos: BTreeSet<_> = steps.iter().filter_map(|s| s.undo.as_ref()).map(undo).collect();
    assert_eq!(undos, (0..10).collect());
}
