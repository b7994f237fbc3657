//! Groups of rounds with the same settings of the disk: which candidates are in each, and in which
//! order the groups follow each other in a block.
//!
//! Each group has half of its rounds on the way there and half on the way back (a, b, c, c, b, a),
//! so that a drift inside the block favours no setting. The order on the way there is a row of
//! Williams' square, another one in each block.

use std::ops::Range;

use bakeoff_model::candidate::Candidate;
use bakeoff_model::index::{BlockIx, CandidateIx, WorkloadIx};

use super::turns;

/// Apart from the numbers of workloads, which the orders inside rounds are drawn by.
const SETTINGS: u64 = 0x73_6574 << 16;

/// The candidates of `standing` by their settings, in the order of the first of each.
pub fn groups(
    candidates: &[Candidate],
    standing: impl IntoIterator<Item = CandidateIx>,
) -> Vec<Vec<CandidateIx>> {
    let knobs = |candidate: CandidateIx| candidates[candidate].stack().map(|stack| &stack.knobs);
    let mut groups: Vec<Vec<CandidateIx>> = Vec::new();
    for candidate in standing {
        match groups.iter_mut().find(|group| knobs(group[0]) == knobs(candidate)) {
            Some(group) => group.push(candidate),
            None => groups.push(vec![candidate]),
        }
    }
    groups
}

/// Rounds in a row with the settings of one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundsOfGroup {
    pub group: usize,
    pub rounds: Range<u16>,
}

/// The planned rounds of a block, each as often as it has groups.
pub fn in_order(
    seed: u64,
    block: BlockIx,
    workload: WorkloadIx,
    (groups, rounds): (usize, u16),
) -> Vec<RoundsOfGroup> {
    if groups < 2 {
        return vec![RoundsOfGroup { group: 0, rounds: 0..rounds }];
    }
    let what = SETTINGS + u64::from(workload.number());
    let all: Vec<usize> = (0..groups).collect();
    let there = turns::balanced(seed, (what, block.number().into()), &all);
    let half = rounds.div_ceil(2);
    let go = there.iter().map(|group| RoundsOfGroup { group: *group, rounds: 0..half });
    let back =
        there.iter().rev().map(|group| RoundsOfGroup { group: *group, rounds: half..rounds });
    go.chain(back).filter(|part| !part.rounds.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn of(block: usize, groups: usize, rounds: u16) -> Vec<RoundsOfGroup> {
        in_order(7, BlockIx::new(block), WorkloadIx::FIRST, (groups, rounds))
    }

    #[test]
    fn every_group_has_every_round_once_and_the_same_middle_of_its_time() {
        for (groups, rounds) in [(1, 8), (2, 8), (4, 8), (4, 7), (3, 1), (5, 2)] {
            let mut had: BTreeMap<usize, Vec<u16>> = BTreeMap::new();
            let mut at: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            let all = of(3, groups, rounds);
            for (position, part) in all.iter().enumerate() {
                had.entry(part.group).or_default().extend(part.rounds.clone());
                at.entry(part.group).or_default().push(position);
            }
            assert_eq!(had.len(), groups);
            assert!(had.values().all(|own| *own == (0..rounds).collect::<Vec<_>>()), "{had:?}");
            let middle = |own: &Vec<usize>| own.iter().sum::<usize>();
            if groups > 1 && rounds > 1 {
                assert!(at.values().all(|own| middle(own) == all.len() - 1), "{at:?}");
            }
        }
    }

    #[test]
    fn every_group_is_first_equally_often() {
        let mut first: BTreeMap<usize, u32> = BTreeMap::new();
        (0..12).for_each(|block| *first.entry(of(block, 4, 8)[0].group).or_default() += 1);
        assert_eq!(first.into_values().collect::<Vec<_>>(), [3, 3, 3, 3]);
    }
}
