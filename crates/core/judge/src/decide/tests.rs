//! The decision from the first block to the end, on tables of rates.

use super::*;
use crate::testing::RunBuilder;
use bakeoff_model::index::CandidateIx;
use bakeoff_model::protocol::Mode;

/// Candidate c runs at `rates[c]`, with a little noise that differs between candidates.
fn steady(rates: &[f64]) -> impl Fn(u32, u16, u16) -> f64 {
    move |block, candidate, _| {
        let noise = [0.004, -0.006, 0.002, -0.003, 0.005, -0.001];
        let at = (block as usize + usize::from(candidate) * 2) % noise.len();
        rates[usize::from(candidate)] * libm::exp(noise[at])
    }
}

fn stopped(run: &Run) -> StopReason {
    run.stopped.as_ref().expect("the run stopped").0
}

#[test]
fn a_clear_winner_ends_the_run_at_the_first_look() {
    let run = RunBuilder::stacks(&["a", "b"]).play(99, steady(&[100.0, 150.0])).build();
    assert_eq!((stopped(&run), run.looks.as_slice()), (StopReason::Decided, &[3][..]));
    assert_eq!(run.dropped, [(CandidateIx::FIRST, 3)]);
}

#[test]
fn equals_end_as_fast_as_any() {
    let run = RunBuilder::stacks(&["a", "b"]).play(99, steady(&[100.0, 100.0])).build();
    assert_eq!(stopped(&run), StopReason::Decided);
    assert!(run.dropped.is_empty());
}

#[test]
fn losers_are_dropped_and_the_others_go_on() {
    let noisy = |block: u32, candidate: u16, _| {
        let wave = if (block + u32::from(candidate)).is_multiple_of(2) { 1.03 } else { 0.97 };
        if candidate == 2 { 10.0 } else { 100.0 * wave }
    };
    let run = RunBuilder::stacks(&["a", "b", "slow"]).play(99, noisy).build();
    assert_eq!(run.dropped.first(), Some(&(CandidateIx::new(2), 3)));
    assert!(run.blocks[3].order.len() == 2 && run.blocks.len() > 8, "{:?}", run.looks);
}

#[test]
fn one_good_workload_keeps_a_candidate_in() {
    let rate = |block: u32, candidate: u16, workload: u16| {
        let fast = if u16::from(workload == 1) == candidate { 2.0 } else { 1.0 };
        fast * steady(&[100.0, 100.0])(block, candidate, workload)
    };
    let run = RunBuilder::stacks(&["a", "b"]).workloads(&["randwrite", "randread"]);
    let run = run.play(99, rate).build();
    assert!(run.dropped.is_empty());
    assert_eq!(stopped(&run), StopReason::Decided);
}

#[test]
fn time_runs_out_after_one_more_look() {
    // A block takes 6 s; the run starts at 1 s and has 51 s: eight blocks.
    let noisy = |block: u32, candidate: u16, _| {
        100.0 + if (block + u32::from(candidate)).is_multiple_of(2) { 20.0 } else { 0.0 }
    };
    let builder = RunBuilder::stacks(&["a", "b"]).mode(Mode::Decide);
    let builder = builder.header(|h| h.protocol.time_ns = Some(51_000_000_000));
    let run = builder.play(99, noisy).build();
    assert_eq!(
        (stopped(&run), run.looks.as_slice()),
        (StopReason::TimeUp, &[3, 4, 5, 6, 7, 8][..])
    );
    // Resumed with more time it continues with the look after the one used up.
    assert_eq!(schedule::next_look(&run), Some(12));
}

#[test]
fn a_block_that_an_answer_needs_starts_where_half_of_it_fits() {
    let run = |time_s: u64| {
        RunBuilder::stacks(&["a", "b"])
            .header(|h| h.protocol.time_ns = Some(time_s * 1_000_000_000))
            .play(99, steady(&[100.0, 100.0]))
            .build()
    };
    // A block takes 6 s, and the third one is due after 13 s.
    assert_eq!(schedule::complete(&run(17)), 3);
    let short = run(15);
    assert_eq!(schedule::complete(&short), 2);
    assert_eq!((stopped(&short), short.looks.len()), (StopReason::TimeUp, 0));
}

#[test]
fn the_budget_of_bytes_ends_a_run() {
    let noisy = |block: u32, candidate: u16, _| {
        100.0 + if (block + u32::from(candidate)).is_multiple_of(2) { 20.0 } else { 0.0 }
    };
    let builder = RunBuilder::stacks(&["a", "b"]);
    let builder = builder.header(|h| h.protocol.max_write_bytes = Some(100));
    let run = builder.play(8, noisy).build();
    let now = Clock {
        elapsed_ns: 0,
        estimated_block_ns: 1,
        written_bytes: 90,
        estimated_block_write_bytes: 11,
    };
    assert_eq!(next(&run, now), Next::Look { blocks: 8, dropped: vec![] });
    let fits = Clock { estimated_block_write_bytes: 10, ..now };
    assert!(matches!(next(&run, fits), Next::Block { .. }));
}

#[test]
fn all_blocks_done_is_the_end() {
    let noisy = |block: u32, candidate: u16, _| {
        100.0 + if (block + u32::from(candidate)).is_multiple_of(2) { 40.0 } else { 0.0 }
    };
    let run = RunBuilder::directories(&["/a", "/b"]).header(|h| h.protocol.time_ns = None);
    let run = run.play(99, noisy).build();
    assert_eq!(stopped(&run), StopReason::LastBlock);
    assert_eq!(run.looks, [3, 5, 8, 12, 16, 20]);
    assert!(is_resumable(&run), "for as long as is asked for");
}

#[test]
fn one_candidate_is_measured_until_the_first_look() {
    let run = RunBuilder::directories(&["/a"]).play(99, steady(&[100.0])).build();
    assert_eq!((stopped(&run), schedule::complete(&run)), (StopReason::Decided, 3));
}

#[test]
fn a_twin_goes_with_its_candidate() {
    let builder = RunBuilder::stacks(&["slow", "twin", "fast"]).header(|h| {
        h.candidates[1].twin_of = Some("slow".to_string());
    });
    let run = builder.mode(Mode::Precise).play(99, steady(&[50.0, 50.0, 100.0])).build();
    assert_eq!(run.header.protocol.k, 2);
    assert_eq!(run.dropped, [(CandidateIx::FIRST, 5), (CandidateIx::new(1), 5)]);
}

/// A run by the lead has time left after the last look of its mode, and uses it.
#[test]
fn a_run_by_the_lead_measures_on_for_the_time_it_was_given() {
    let noisy = |block: u32, candidate: u16, _: u16| {
        let wave = if (block + u32::from(candidate)).is_multiple_of(2) { 1.3 } else { 0.7 };
        100.0 * wave
    };
    let played = |time_ns| {
        let limited = RunBuilder::stacks(&["a", "b"]).header(|h| h.protocol.time_ns = time_ns);
        limited.play(400, noisy).build()
    };
    let timed = played(Some(3600 * 1_000_000_000));
    let last = timed.header.protocol.last_block();
    assert!(timed.complete_blocks().count() as u32 > last, "{last}: {:?}", timed.stopped);
    let untimed = played(None);
    assert_eq!(untimed.complete_blocks().count() as u32, last, "{:?}", untimed.stopped);
}
