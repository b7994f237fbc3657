//! Series of rounds played by the decision itself, with rates that fall, swing or are missing.

use super::*;
use crate::decide;
use crate::testing::RunBuilder;
use bakeoff_model::event::{Owner, Rehearsal, StopReason, What};
use bakeoff_model::index::{BlockIx, WorkloadIx};

const MINUTE_NS: u64 = 60_000_000_000;

fn builder(workloads: &[&str]) -> RunBuilder {
    RunBuilder::stacks(&["ext4"]).mode(Mode::Characterise).workloads(workloads)
}

/// A drive that falls and then holds, for each workload from its own first block on.
fn falls(of: u32) -> f64 {
    let rates = [300.0, 250.0, 140.0, 110.0, 101.0, 100.0, 99.0, 100.0];
    rates.get(of as usize).copied().unwrap_or(100.0)
}

fn rounds(run: &Run) -> Vec<(u16, u32)> {
    run.blocks.iter().filter_map(|b| b.round).map(|r| (r.workload.number(), r.round)).collect()
}

fn stopped(run: &Run) -> StopReason {
    run.stopped.as_ref().expect("it is over").0
}

#[test]
fn rounds_go_on_until_five_are_steady_then_the_next_workload_begins() {
    let run = builder(&["randwrite", "randread"])
        .play(99, |block, _, w| if w == 0 { falls(block) } else { 50.0 })
        .build();
    let expected = (0..8).map(|round| (0, round)).chain((0..5).map(|round| (1, round)));
    assert_eq!(rounds(&run), expected.collect::<Vec<_>>());
    assert_eq!(stopped(&run), StopReason::Decided);
    let window: Vec<BlockIx> = window(&run, WorkloadIx::FIRST).iter().map(|b| b.block).collect();
    assert_eq!(window, [3, 4, 5, 6, 7].map(BlockIx::new));
}

#[test]
fn what_never_holds_ends_after_25_rounds_and_the_others_are_measured_all_the_same() {
    let run = builder(&["randwrite", "randread"])
        .play(99, |block, _, w| if w == 0 && block.is_multiple_of(2) { 160.0 } else { 100.0 })
        .build();
    assert_eq!(run.blocks.len(), 25 + 5);
    assert_eq!(stopped(&run), StopReason::LastBlock);
}

#[test]
fn parts_of_a_profile_are_steady_together() {
    let builder = builder(&["randwrite"]).header(|h| {
        h.workloads = bakeoff_model::profiles::find("nas").into_iter().take(2).collect();
    });
    // The second part settles later than the first.
    let late = |block: u32| if block < 3 { 300.0 } else { 100.0 };
    let run = builder.play(99, |block, _, w| if w == 1 { late(block) } else { 100.0 }).build();
    assert_eq!(rounds(&run), (0..8).map(|round| (0, round)).collect::<Vec<_>>());
    assert!(run.blocks.iter().all(|block| block.cells.len() == 2));
}

#[test]
fn a_cell_that_never_has_a_number_does_not_take_25_rounds() {
    let run = builder(&["randwrite"])
        .cells(|cell| cell.truth.suspended_ns = 12_000_000_000)
        .play(99, |_, _, _| 100.0)
        .build();
    assert_eq!((run.blocks.len(), stopped(&run)), (2, StopReason::LastBlock));
}

#[test]
fn a_round_without_a_number_is_in_no_window() {
    let run = builder(&["randwrite"])
        .cells(|cell| {
            cell.truth.suspended_ns = if cell.block.number() == 3 { 12_000_000_000 } else { 0 }
        })
        .play(99, |_, _, _| 100.0)
        .build();
    assert_eq!(run.blocks.len(), 9, "five in a row after the fourth");
}

/// A rehearsal in which preparing takes a minute, and a round as long.
fn rehearsed(
    builder: RunBuilder,
    time_ns: Option<u64>,
    max_write_bytes: Option<u64>,
) -> RunBuilder {
    let run = builder.clone().build();
    let header = run.header;
    let rehearsal = crate::testing::rehearsal(&header);
    let protocol =
        bakeoff_model::protocol::Protocol { time_ns, max_write_bytes, ..header.protocol };
    builder.event(What::Rehearsed(Box::new(Rehearsal {
        protocol,
        file_bytes: 1 << 20,
        visit_ns: MINUTE_NS,
        block_ns: MINUTE_NS,
        ..rehearsal
    })))
}

fn swings(block: u32) -> f64 {
    if block.is_multiple_of(2) { 160.0 } else { 100.0 }
}

#[test]
fn time_for_five_rounds_of_each_workload_is_kept() {
    // Rounds take two seconds or three; the second workload is expected to take six minutes.
    let limit = 6 * MINUTE_NS + 30_000_000_000;
    let builder = rehearsed(builder(&["randwrite", "randread"]), Some(limit), None);
    let run = builder.play(99, |b, _, w| if w == 0 { swings(b) } else { 100.0 }).build();
    let first = rounds(&run).iter().filter(|(w, _)| *w == 0).count();
    assert!((5..25).contains(&first), "{first}");
    assert_eq!(rounds(&run)[first..], (0..5).map(|r| (1, r)).collect::<Vec<_>>());
    assert_eq!(stopped(&run), StopReason::TimeUp);
}

#[test]
fn no_round_starts_at_the_limit() {
    let clock = |elapsed_ns| Clock {
        elapsed_ns,
        estimated_block_ns: 0,
        written_bytes: 0,
        estimated_block_write_bytes: 0,
    };
    let begun = rehearsed(builder(&["randwrite"]), Some(4 * MINUTE_NS), None);
    let is_block = |run: &Run, at| matches!(decide::next(run, clock(at)), Next::Block { .. });
    let run = begun.clone().play(2, |_, _, _| 100.0).build();
    assert!(is_block(&run, 4 * MINUTE_NS - 3_000_000_000));
    assert!(!is_block(&run, 4 * MINUTE_NS));
    let run = begun.play(6, |block, _, _| swings(block)).build();
    assert!(is_block(&run, 3 * MINUTE_NS));
    assert!(!is_block(&run, 4 * MINUTE_NS));
}

#[test]
fn bytes_that_may_not_be_written_end_it() {
    let begun = rehearsed(builder(&["randwrite"]), None, Some(1 << 30));
    let run = begun.play(6, |block, _, _| swings(block)).build();
    let now = Clock {
        elapsed_ns: 0,
        estimated_block_ns: 0,
        written_bytes: 1 << 30,
        estimated_block_write_bytes: 1,
    };
    let Next::Stop(stop) = decide::next(&run, now) else { panic!("it goes on") };
    assert_eq!(stop.reason, StopReason::WriteBudget);
}

#[test]
fn interrupted_rounds_are_begun_anew_and_finished_ones_are_kept() {
    let owner =
        || What::Owned(Owner { pid: 1, start_ticks: 1, boot_id: "a".to_string(), view: None });
    let builder = builder(&["randread", "randwrite"]).event(owner());
    let rate = |_: u32, _: u16, w: u16| if w == 0 { 50.0 } else { 100.0 };
    let run = builder.play(8, rate).event(owner()).play(99, rate).build();
    let expected = [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 0), (1, 1), (1, 2)];
    assert_eq!(rounds(&run)[..8], expected);
    assert_eq!(rounds(&run)[8..], (0..5).map(|r| (1, r)).collect::<Vec<_>>());
    let key = vec![WorkloadIx::new(1)];
    let lengths: Vec<usize> = series(&run, &key).iter().map(Vec::len).collect();
    assert_eq!((lengths, stopped(&run)), (vec![3, 5], StopReason::Decided));
}

#[test]
fn rounds_are_recorded_and_read_again_and_nonsense_is_refused() {
    let events = builder(&["randwrite"]).play(5, |_, _, _| 100.0).events();
    let text: Vec<String> = events.iter().map(|e| serde_json::to_string(e).unwrap()).collect();
    assert!(text.iter().any(|line| line.contains(r#""round":{"workload":0,"round":4}"#)));
    let read = || text.iter().map(|line| serde_json::from_str(line).unwrap());
    let mut again: Vec<bakeoff_model::event::Event> = read().collect();
    assert_eq!(Run::fold(&again).unwrap(), Run::fold(&events).unwrap());
    for event in &mut again {
        if let What::BlockStarted { round: Some(round), .. } = &mut event.what {
            round.workload = WorkloadIx::new(7);
        }
    }
    assert!(Run::fold(&again).is_err());
}
