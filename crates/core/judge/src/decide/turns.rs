//! In which order the candidates that stand side by side are measured inside a round.
//!
//! Each candidate follows each other equally often, and has each place in the round equally often,
//! so that neither what the one before left behind nor a drift inside rounds favours anybody. For
//! an even number of candidates so many rounds make a cycle, for an odd number twice as many.
//! Names and the order of the rounds are drawn anew for each cycle. Source: Williams, "Experimental
//! designs balanced for the estimation of residual effects of treatments", Australian Journal of
//! Scientific Research A 2 (1949).

use bakeoff_model::calibration::{Calibration, Settled};
use bakeoff_model::index::{BlockIx, CandidateIx, WorkloadIx};
use bakeoff_model::protocol::{Mode, ROUNDS};
use bakeoff_model::slice_length::VISIT_TIMES;
use bakeoff_stats::prng::SplitMix64;

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
    let number = u64::from(block.number()) * u64::from(*ROUNDS.start()) + u64::from(round);
    balanced(seed, (workload.number().into(), number), standing)
}

/// The order of `all` at `number` of a series of balanced orders; series differ by `what`.
pub fn balanced<T: Clone>(seed: u64, (what, number): (u64, u64), all: &[T]) -> Vec<T> {
    let k = all.len();
    if k < 2 {
        return all.to_vec();
    }
    let rows = rows(k) as u64;
    let (cycle, at) = (number / rows, (number % rows) as usize);
    let words = |of: u64| [of, what, cycle];
    let mut names = all.to_vec();
    SplitMix64::derive(seed, &words(NAMES)).shuffle(&mut names);
    let mut order: Vec<usize> = (0..rows as usize).collect();
    SplitMix64::derive(seed, &words(ROWS)).shuffle(&mut order);
    row(k, order[at]).into_iter().map(|i| names[i].clone()).collect()
}

const ONE_TWICE_OF: u64 = 10;
const TWICE_AT: u64 = 2;
const ONE_VISIT_OF: u64 = 20;
const VISIT_AT: u64 = 5;
const MANY_ROUNDS: u32 = 4;

/// How many times as long as usual the slices of each round of a cell are. Those that are longer
/// prove that the length does not matter, and do not make the cell longer.
pub fn times_of(found: &Calibration, mode: Mode, block: BlockIx) -> Vec<u8> {
    let before = u64::from(block.number()) * u64::from(found.rounds);
    let times = |number: u64| match number {
        _ if found.settled == Settled::ByVisits => 1,
        n if mode == Mode::Precise && n % ONE_VISIT_OF == VISIT_AT => VISIT_TIMES,
        n if n % ONE_TWICE_OF == TWICE_AT => 2,
        _ => 1,
    };
    let mut all: Vec<u8> = (before..before + u64::from(found.rounds)).map(times).collect();
    let longer = all.iter().filter(|times| **times > 1).count();
    for _ in 0..longer {
        if found.rounds < MANY_ROUNDS {
            break;
        }
        if let Some(at) = all.iter().rposition(|times| *times == 1) {
            all.remove(at);
        }
    }
    all
}

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
    use bakeoff_model::slice_length::Length;
    use std::collections::BTreeMap;

    #[test]
    fn one_round_in_ten_is_twice_as_long_and_a_cell_no_longer() {
        let found = |rounds, settled| Calibration {
            workload: WorkloadIx::FIRST,
            length: Length::of(50_000_000),
            rounds,
            longest_ns: 0,
            settled,
            tried: Vec::new(),
        };
        let quick = found(8, Settled::Quick);
        let of = |found: &Calibration, mode, block| times_of(found, mode, BlockIx::new(block));
        assert_eq!(of(&quick, Mode::Quick, 0), [1, 1, 2, 1, 1, 1, 1]);
        let blocks: Vec<Vec<u8>> = (0..10).map(|block| of(&quick, Mode::Decide, block)).collect();
        assert_eq!(blocks.iter().flatten().filter(|times| **times == 2).count(), 8);
        let units = |cell: &Vec<u8>| cell.iter().map(|times| u32::from(*times)).sum::<u32>();
        assert!(blocks.iter().all(|cell| units(cell) == 8), "{blocks:?}");
        let precise: Vec<u8> = (0..10).flat_map(|block| of(&quick, Mode::Precise, block)).collect();
        assert_eq!(precise.iter().filter(|times| **times == 8).count(), 4);
        let slow = found(1, Settled::Yes);
        let slow: Vec<u8> = (0..4).flat_map(|block| of(&slow, Mode::Decide, block)).collect();
        assert_eq!(slow, [1, 1, 2, 1]);
        assert_eq!(of(&found(1, Settled::ByVisits), Mode::Decide, 2), [1]);
    }

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
