//! In which order the candidates that stand side by side are measured inside a round.
//!
//! Each candidate follows each other equally often, and has each place in the round equally often,
//! so that neither what the one before left behind nor a drift inside rounds favours anybody. For
//! an even number of candidates so many rounds make a cycle, for an odd number twice as many.
//! Names and the order of the rounds are drawn anew for each cycle. Source: Williams, "Experimental
//! designs balanced for the estimation of residual effects of treatments", Australian Journal of
//! Scientific Research A 2 (1949).

use crate::model::index::{BlockIx, CandidateIx, WorkloadIx};
use crate::model::protocol::ROUNDS;
use crate::prng::SplitMix64;

/// Tells these generators apart from others derived from the same seed.
const NAMES: u64 = 0x6e_616d_6573;
const ROWS: u64 = 0x726f_7773;

/// The candidates of `standing` in the order of one round. A block goes on in the cycle about where
/// the one before it ended, so that cycles longer than a block are completed over several.
pub fn turns(
    seed: u64,
    block: BlockIx,
    workload: WorkloadIx,
    round: u32,
    standing: &[CandidateIx],
) -> Vec<CandidateIx> {
    let k = standing.len();
    if k < 2 {
        return standing.to_vec();
    }
    let rows = rows(k) as u64;
    let number = u64::from(block.number()) * u64::from(*ROUNDS.start()) + u64::from(round);
    let (cycle, at) = (number / rows, (number % rows) as usize);
    let words = |what: u64| [what, u64::from(workload.number()), cycle];
    let mut names = standing.to_vec();
    SplitMix64::derive(seed, &words(NAMES)).shuffle(&mut names);
    let mut order: Vec<usize> = (0..rows as usize).collect();
    SplitMix64::derive(seed, &words(ROWS)).shuffle(&mut order);
    row(k, order[at]).into_iter().map(|i| names[i]).collect()
}

/// Rounds after which everything is balanced.
pub fn rows(candidates: usize) -> usize {
    if candidates.is_multiple_of(2) { candidates } else { 2 * candidates }
}

/// One row of Williams' square: 0, 1, k-1, 2, k-2, … moved on by the number of the row; the second
/// half of the rows, for odd numbers, is the first one in reverse.
fn row(k: usize, number: usize) -> Vec<usize> {
    let step = |i: usize| if i % 2 == 1 { i.div_ceil(2) } else { (k - i / 2) % k };
    let mut row: Vec<usize> = (0..k).map(|i| (step(i) + number) % k).collect();
    if number >= k {
        row.reverse();
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn follows_each_other_candidate_equally_often_in_a_cycle() {
        for k in 2..=12 {
            let standing: Vec<CandidateIx> = (10..10 + k).map(CandidateIx::new).collect();
            let mut after: BTreeMap<(CandidateIx, CandidateIx), u32> = BTreeMap::new();
            let mut at: BTreeMap<(usize, CandidateIx), u32> = BTreeMap::new();
            for number in 0..rows(k) as u32 {
                let order = turns(5, BlockIx::FIRST, WorkloadIx::new(1), number, &standing);
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, standing, "a round has everybody once");
                order.windows(2).for_each(|w| *after.entry((w[0], w[1])).or_default() += 1);
                order.iter().enumerate().for_each(|(i, c)| *at.entry((i, *c)).or_default() += 1);
            }
            let often = if k % 2 == 0 { 1 } else { 2 };
            assert_eq!(after.len(), k * (k - 1), "{k}");
            assert!(after.values().all(|n| *n == often), "{k}: {after:?}");
            assert!(at.values().all(|n| *n == often) && at.len() == k.pow(2), "{k}");
        }
    }

    #[test]
    fn differs_by_seed_and_workload_and_is_the_same_again() {
        let standing = [0, 1, 2, 3, 4, 5].map(CandidateIx::new);
        let (first, second) = (WorkloadIx::FIRST, WorkloadIx::new(1));
        let all = |seed, workload| -> Vec<Vec<CandidateIx>> {
            (0..6).map(|round| turns(seed, BlockIx::new(3), workload, round, &standing)).collect()
        };
        assert_eq!(all(1, first), all(1, first));
        assert_ne!(all(1, first), all(2, first));
        assert_ne!(all(1, first), all(1, second));
    }

    #[test]
    fn completes_a_long_cycle_over_several_blocks() {
        // Nine candidates: 18 rounds, 8 in a block.
        let standing: Vec<CandidateIx> = CandidateIx::all(9).collect();
        let mut after: BTreeMap<(CandidateIx, CandidateIx), u32> = BTreeMap::new();
        let rounds = BlockIx::all(3).flat_map(|block| (0..8).map(move |round| (block, round)));
        for (block, round) in rounds.take(18) {
            let order = turns(5, block, WorkloadIx::FIRST, round, &standing);
            order.windows(2).for_each(|w| *after.entry((w[0], w[1])).or_default() += 1);
        }
        assert!(after.len() == 72 && after.values().all(|n| *n == 2), "{after:?}");
    }

    #[test]
    fn has_nothing_to_order_for_one_candidate_or_none() {
        let alone = [CandidateIx::new(7)];
        assert_eq!(turns(1, BlockIx::FIRST, WorkloadIx::FIRST, 0, &alone), alone);
        assert!(turns(1, BlockIx::FIRST, WorkloadIx::FIRST, 0, &[]).is_empty());
    }
}
