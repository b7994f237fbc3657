//! What folding says of events that no run records.

use crate::testing::RunBuilder;
use bakeoff_model::event::{Event, What};
use bakeoff_model::index::{BlockIx, CandidateIx};
use bakeoff_model::run::{FoldError, Run};

/// A block of two candidates with its events doctored; what folding them says.
fn folded(doctor: impl FnOnce(&mut Vec<Event>)) -> Result<Run, FoldError> {
    let mut events = RunBuilder::stacks(&["ext4", "xfs"]).play(1, |_, _, _| 100.0).events();
    doctor(&mut events);
    for (seq, event) in (0..).zip(&mut events) {
        event.seq = seq;
    }
    Run::fold(&events)
}

fn first_cell(events: &[Event]) -> usize {
    let is_cell = |e: &Event| matches!(e.what, What::CellDone(_));
    events.iter().position(is_cell).expect("a cell")
}

#[test]
fn a_cell_recorded_twice_would_count_twice() {
    assert!(folded(|_| ()).is_ok());
    let twice = folded(|events| {
        let at = first_cell(events);
        events.insert(at + 1, events[at].clone());
    });
    assert!(matches!(twice, Err(FoldError::Twice { what: "the result of a cell", .. })));
}

#[test]
fn a_cell_of_a_superseded_block_may_come_again() {
    let kept = folded(|events| {
        let at = first_cell(events);
        let again = events[at].clone();
        events.truncate(at + 1);
        let superseded = What::BlockSuperseded { block: BlockIx::FIRST, reason: String::new() };
        events.extend([Event { what: superseded, ..again.clone() }, again]);
    });
    assert_eq!(kept.expect("nothing there counts").complete_blocks().count(), 0);
}

#[test]
fn a_candidate_has_one_visit_in_a_block() {
    let twice = folded(|events| {
        for event in events {
            if let What::BlockStarted { order, .. } = &mut event.what {
                *order = [0, 1, 0].map(CandidateIx::new).to_vec();
            }
        }
    });
    assert!(matches!(twice, Err(FoldError::Twice { what: "a candidate of a block", .. })));
}
