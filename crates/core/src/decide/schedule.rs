//! When a run looks at its results, and which blocks its answer rests on.
//!
//! Every look is a chance to be wrong, so their number is limited: a run that must stop early looks
//! at once in place of its next look, and with the final one there are never more than five. Five
//! at 0.0134 give a false winner in 4.8 % of runs wherever they lie, a sixth one would give 5.2 %
//! (simulated, 400,000 runs). Verdicts rest on the blocks of the last look, never on what was
//! measured after it.
//!
//! Runs by the lead may look at any complete block: each look uses up the next alpha of their mode
//! (see [`super::protocol`]), and there is always a further one. What such a run says rests on all
//! its complete blocks.

use super::rounds;
use crate::model::candidate::are_compared;
use crate::model::index::CandidateIx;
use crate::model::run::Run;
use crate::stats::steady_state::MOST_ROUNDS;

/// Most looks a run may take; the nominal alpha is chosen for so many.
const MOST_LOOKS: usize = 5;

pub fn complete(run: &Run) -> u32 {
    run.complete_blocks().count() as u32
}

/// Whether there are two candidates to compare (an A/A twin is none), in a mode that compares.
pub fn has_question(run: &Run) -> bool {
    !rounds::is_of_rounds(run) && are_compared(&run.header.candidates)
}

/// Blocks after which nothing more is measured, whatever they show.
pub fn most_blocks(run: &Run) -> u32 {
    match rounds::is_of_rounds(run) {
        true => (rounds::keys(run).len() * MOST_ROUNDS) as u32,
        false => run.header.protocol.most_blocks(has_question(run)),
    }
}

/// Complete blocks at which the next look is due; `None` when all looks are done. The last block
/// of the schedule is always looked at.
pub fn next_look(run: &Run) -> Option<u32> {
    let protocol = &run.header.protocol;
    if !protocol.rules.is_all_pairs() {
        let due = protocol.look_at(run.looks.len()).max(protocol.first_look());
        return has_question(run).then_some(due.max(run.last_look + 1));
    }
    let planned = protocol.looks.get(run.looks.len()).copied();
    let next = planned.unwrap_or(protocol.last_block()).max(protocol.first_look());
    (run.last_look < next).then_some(next)
}

/// Whether a run that must stop now may look at once, in place of its next look. Not where the
/// final look would then be one too many: `resume` leads to that one.
pub fn may_look_early(run: &Run) -> bool {
    let protocol = &run.header.protocol;
    let complete = complete(run);
    let is_new = complete >= protocol.first_look() && complete > run.last_look;
    if !protocol.rules.is_all_pairs() {
        return has_question(run) && is_new;
    }
    has_question(run)
        && is_new
        && complete < protocol.last_block()
        && run.looks.len() + 2 <= MOST_LOOKS
}

/// Complete blocks the verdicts rest on: those of the last look, or of one that is due. Before the
/// first look, and where there is nothing to compare, all of them.
pub fn evidence_blocks(run: &Run) -> u32 {
    let complete = complete(run);
    match next_look(run) {
        _ if !has_question(run) || !run.header.protocol.rules.is_all_pairs() => complete,
        Some(due) if complete >= due => due,
        _ if run.last_look == 0 => complete,
        _ => run.last_look,
    }
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

/// Mean time of a complete block; `None` before the first.
pub fn mean_block_ns(run: &Run) -> Option<u64> {
    let times: Vec<u64> =
        run.complete_blocks().filter_map(|b| b.done_ns?.checked_sub(b.began_ns)).collect();
    let total: u128 = times.iter().map(|t| u128::from(*t)).sum();
    u64::try_from(total.checked_div(times.len() as u128)?).ok()
}

/// The looks still to come, ascending.
pub fn looks_ahead(run: &Run) -> Vec<u32> {
    let protocol = &run.header.protocol;
    let Some(next) = next_look(run) else { return Vec::new() };
    let last = protocol.last_block();
    if !protocol.rules.is_all_pairs() && next > last {
        return Vec::new();
    }
    let later = protocol.looks.iter().copied().filter(|look| *look > next);
    std::iter::once(next).chain(later).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Version01;

    #[test]
    fn an_early_look_uses_up_the_next_one() {
        let mut run = Version01::stacks(&["a", "b"]).build();
        let mut looked = |looks: &[u32]| {
            run.looks = looks.to_vec();
            run.last_look = looks.last().copied().unwrap_or(0);
            (next_look(&run), looks_ahead(&run))
        };
        assert_eq!(looked(&[]), (Some(5), vec![5, 8, 12, 18, 27]));
        assert_eq!(looked(&[5, 8, 10]), (Some(18), vec![18, 27]));
        assert_eq!(looked(&[5, 8, 10, 11]), (Some(27), vec![27]));
        assert_eq!(looked(&[5, 8, 12, 18, 27]), (None, vec![]));
    }

    #[test]
    fn a_record_that_asks_for_more_than_anybody_compares_is_refused() {
        use crate::model::run::{FoldError, MOST_CANDIDATES};
        let mut events = Version01::stacks(&["a", "b"]).events();
        let crate::model::event::What::Started(header) = &mut events[0].what else { panic!() };
        header.candidates = vec![header.candidates[0].clone(); MOST_CANDIDATES + 1];
        let refused = Run::fold(&events).unwrap_err();
        assert!(matches!(refused, FoldError::TooMany { what: "candidates", .. }), "{refused}");
    }

    #[test]
    fn only_so_many_early_looks() {
        let builder = Version01::stacks(&["a", "b"]).play(9, |b, c, _| {
            // Undecided for ever: b is ahead in every other block.
            100.0 * (1.0 + 0.2 * f64::from((b + u32::from(c)) % 2))
        });
        let mut run = builder.build();
        assert_eq!((complete(&run), run.looks.as_slice()), (9, &[5, 8][..]));
        assert!(may_look_early(&run));
        run.looks = vec![5, 7, 8];
        assert!(may_look_early(&run));
        run.looks = vec![5, 6, 7, 8];
        assert!(!may_look_early(&run), "with the last block that would be six");
        run.looks = vec![9];
        run.last_look = 9;
        assert!(!may_look_early(&run), "no block since the last look");
    }

    #[test]
    fn blocks_after_the_last_look_are_no_evidence() {
        let noisy = |b: u32, c: u16, _| 100.0 * (1.0 + 0.2 * f64::from((b + u32::from(c)) % 2));
        let run = Version01::stacks(&["a", "b"]).play(7, noisy).build();
        assert_eq!((complete(&run), evidence_blocks(&run)), (7, 5));
        let run = Version01::stacks(&["a", "b"]).play(3, noisy).build();
        assert_eq!((complete(&run), evidence_blocks(&run)), (3, 3));
        let run = Version01::stacks(&["a"]).play(7, noisy).build();
        assert_eq!((complete(&run), evidence_blocks(&run)), (5, 5));
    }
}
