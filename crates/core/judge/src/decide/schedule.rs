//! When a run looks at its results, and which blocks its answer rests on.
//!
//! A run may look at any complete block: each look uses up the next alpha of its mode (see
//! [`bakeoff_model::looks`]), and there is always a further one. What a run says rests on all its
//! complete blocks.

use super::rounds;
use bakeoff_model::candidate::are_compared;
use bakeoff_model::index::CandidateIx;
use bakeoff_model::run::{Block, Run};
use bakeoff_stats::steady_state::MOST_ROUNDS;

pub fn complete(run: &Run) -> u32 {
    run.complete_blocks().count() as u32
}

/// Whether there are two candidates to compare (an A/A twin is none), in a mode that compares.
pub fn has_question(run: &Run) -> bool {
    !rounds::is_of_rounds(run) && are_compared(&run.header.candidates)
}

pub fn most_blocks(run: &Run) -> u32 {
    if rounds::is_of_rounds(run) {
        (rounds::keys(run).len() * MOST_ROUNDS) as u32
    } else {
        run.header.protocol.most_blocks(has_question(run))
    }
}

/// Complete blocks at which the next look is due; `None` where nothing is compared.
pub fn next_look(run: &Run) -> Option<u32> {
    let protocol = &run.header.protocol;
    let due = protocol.look_at(run.looks.len()).max(protocol.first_look());
    has_question(run).then_some(due.max(run.last_look + 1))
}

pub fn may_look_early(run: &Run) -> bool {
    let complete = complete(run);
    has_question(run) && complete >= run.header.protocol.first_look() && complete > run.last_look
}

/// Nominal two-sided alpha of one pair for what is said now: that of the look that was made after
/// the last complete block; where none was, that of the next one.
pub fn alpha(run: &Run) -> f64 {
    let looks = run.looks.len();
    let is_looked = looks > 0 && complete(run) <= run.last_look;
    run.header.protocol.alpha_at(if is_looked { looks - 1 } else { looks })
}

/// The same, of the pairs with a candidate that was dropped: what was certain at that look stays
/// so.
pub fn alpha_with(run: &Run, candidate: CandidateIx) -> f64 {
    let dropped = run.dropped.iter().find(|d| d.0 == candidate);
    let look = dropped.and_then(|d| run.looks.iter().position(|blocks| *blocks == d.1));
    look.map_or_else(|| alpha(run), |look| run.header.protocol.alpha_at(look))
}

pub fn alpha_pair(run: &Run) -> f64 {
    alpha(run) / run.header.protocol.pairs() as f64
}

/// Mean time of a complete block; `None` before the first. What was tried in the first block to
/// find the length of slices is not in it, since no other block does so.
pub fn mean_block_ns(run: &Run) -> Option<u64> {
    let tried = run.calibrations.iter().flat_map(|found| &found.tried);
    let tried_ns = tried.fold(0u64, |sum, slice| {
        sum.saturating_add(slice.elapsed_ns).saturating_add(slice.settling_ns)
    });
    let first_ns = run.blocks.first().map(|block| block.began_ns);
    let time = |block: &Block| {
        let all_ns = block.done_ns?.checked_sub(block.began_ns)?;
        let is_first = first_ns == Some(block.began_ns);
        Some(all_ns.saturating_sub(if is_first { tried_ns } else { 0 }))
    };
    let times: Vec<u64> = run.complete_blocks().filter_map(time).collect();
    let total: u128 = times.iter().map(|t| u128::from(*t)).sum();
    u64::try_from(total.checked_div(times.len() as u128)?).ok()
}

pub fn looks_ahead(run: &Run) -> Vec<u32> {
    let protocol = &run.header.protocol;
    let Some(next) = next_look(run) else { return Vec::new() };
    if next > protocol.last_block() {
        return Vec::new();
    }
    let later = protocol.looks.iter().copied().filter(|look| *look > next);
    std::iter::once(next).chain(later).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;
    use bakeoff_model::calibration::{Calibration, Settled, Tried};
    use bakeoff_model::index::WorkloadIx;
    use bakeoff_model::slice_length::Length;

    fn noisy(block: u32, candidate: u16, _: u16) -> f64 {
        100.0 * (1.0 + 0.2 * f64::from((block + u32::from(candidate)) % 2))
    }

    #[test]
    fn an_early_look_uses_up_the_next_one() {
        let mut run = RunBuilder::stacks(&["a", "b"]).build();
        let mut looked = |looks: &[u32]| {
            run.looks = looks.to_vec();
            run.last_look = looks.last().copied().unwrap_or(0);
            (next_look(&run), looks_ahead(&run))
        };
        assert_eq!(looked(&[]), (Some(3), vec![3, 4, 5, 6, 7, 9, 12, 18, 27]));
        assert_eq!(looked(&[3, 4, 5, 6, 7, 8]), (Some(12), vec![12, 18, 27]));
        assert_eq!(looked(&[3, 4, 5, 6, 7, 9, 12, 18, 27]), (Some(54), vec![]));
    }

    /// On an emulated card the first two minutes were such slices, and the run ended with one
    /// block: "another block takes about 2 min 58 s", where it takes 46 s.
    #[test]
    fn slices_that_were_tried_are_no_part_of_the_next_block() {
        let mut run = RunBuilder::stacks(&["a", "b"]).play(2, noisy).build();
        for (block, [began_ns, done_ns]) in run.blocks.iter_mut().zip([[10, 500], [600, 700]]) {
            (block.began_ns, block.done_ns) = (began_ns, Some(done_ns));
        }
        assert_eq!(mean_block_ns(&run), Some(295));
        let length = Length { unit_ns: 100, settling: 1 };
        run.calibrations = vec![Calibration {
            workload: WorkloadIx::FIRST,
            length,
            rounds: 1,
            longest_ns: 390,
            settled: Settled::Yes,
            tried: vec![Tried {
                candidate: CandidateIx::FIRST,
                length,
                elapsed_ns: 200,
                rate: 1.0,
                settling_ns: 190,
                settling_rate: None,
            }],
        }];
        assert_eq!(mean_block_ns(&run), Some(100));
        run.calibrations[0].tried[0].elapsed_ns = u64::MAX;
        assert_eq!(mean_block_ns(&run), Some(50), "records of others may say anything");
    }

    #[test]
    fn a_record_that_asks_for_more_than_anybody_compares_is_refused() {
        use bakeoff_model::run::{FoldError, MOST_CANDIDATES};
        let mut events = RunBuilder::stacks(&["a", "b"]).events();
        let bakeoff_model::event::What::Started(header) = &mut events[0].what else { panic!() };
        header.candidates = vec![header.candidates[0].clone(); MOST_CANDIDATES + 1];
        let refused = Run::fold(&events).unwrap_err();
        assert!(matches!(refused, FoldError::TooMany { what: "candidates", .. }), "{refused}");
    }

    #[test]
    fn looks_early_only_at_a_block_that_is_new() {
        let mut run = RunBuilder::stacks(&["a", "b"]).play(8, noisy).build();
        assert_eq!((complete(&run), run.looks.as_slice()), (8, &[3, 4, 5, 6, 7][..]));
        assert!(may_look_early(&run));
        run.last_look = 8;
        assert!(!may_look_early(&run));
        assert!(!may_look_early(&RunBuilder::stacks(&["a", "b"]).play(2, noisy).build()));
    }
}
