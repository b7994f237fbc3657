//! The document of a run in each of its states.

use super::*;
use bakeoff_judge::analyse::analyse;
use bakeoff_judge::testing::RunBuilder;
use bakeoff_model::event::What;
use bakeoff_model::index::{BlockIx, CandidateIx};

fn builder() -> RunBuilder {
    RunBuilder::stacks(&["ext4", "xfs\u{1b}[2J"])
        .play(2, |block, candidate, _| 1000.0 + f64::from(block % 3) - f64::from(candidate) * 300.0)
}

fn now(builder: RunBuilder, state: State) -> Now {
    let run = builder.build();
    Now::new(&run, &analyse(&run), state)
}

#[test]
fn a_run_that_is_measured_has_time_left_and_one_that_ended_has_none() {
    let running = now(builder(), State::Running);
    assert!(running.left_ns.is_some() && running.stopped.is_none());
    assert!((0.0..1.0).contains(&running.progress()), "{}", running.progress());
    assert!(running.doing.starts_with("Between blocks"), "{}", running.doing);
    let stopped = builder().stopped(StopReason::TimeUp, "");
    let stopped = now(stopped, State::Stopped);
    assert_eq!((stopped.left_ns, stopped.progress()), (None, 1.0));
    assert_eq!(state_words(&stopped), "Stopped; can be resumed");
    let dead = now(builder(), State::Dead);
    assert!(state_words(&dead).contains("bakeoff resume 01234567"), "{}", state_words(&dead));
    assert!(notification(&stopped).contains("blocks"), "{}", notification(&stopped));
}

/// The terminal view showed "0 ns left" while a run was preparing.
#[test]
fn the_time_left_is_unknown_before_the_first_measurement() {
    let preparing = now(RunBuilder::stacks(&["ext4", "xfs"]), State::Running);
    assert_eq!((preparing.left_ns, preparing.progress()), (None, 0.0));
}

#[test]
fn the_block_that_is_open_says_how_far_it_is() {
    let open = builder().event(What::BlockStarted {
        block: BlockIx::new(2),
        order: CandidateIx::all(2).collect(),
        round: None,
    });
    let open = now(open, State::Running);
    assert_eq!(open.workloads_done, Some((0, 1)));
    assert_eq!(open.doing, "Measuring random writes, block 3");
}

#[test]
fn comes_back_from_json_and_names_are_harmless() {
    let now = now(builder(), State::Running);
    let json = serde_json::to_string(&now).unwrap();
    assert!(!json.contains('\u{1b}') && !json.contains("\\u001b"), "{json}");
    let back = serde_json::from_str::<Now>(&json).unwrap();
    assert_eq!(serde_json::to_string(&back).unwrap(), json);
    assert_eq!(now.candidates.len(), 2);
    assert_eq!(now.candidates[0].cells.len(), now.verdicts.len());
}

#[test]
fn every_key_is_documented() {
    let doc = include_str!("../../../../../docs/format.md");
    let section = doc.split("`bakeoff/now/1`").nth(1).unwrap().split("\n## ").next().unwrap();
    let mut keys = std::collections::BTreeSet::new();
    let value = serde_json::to_value(now(builder(), State::Running)).unwrap();
    bakeoff_judge::testing::keys(&value, &mut keys);
    for key in keys {
        assert!(section.contains(&format!("`{key}`")), "docs/format.md lacks {key}");
    }
}
