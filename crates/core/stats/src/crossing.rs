//! Effects of factors that are fully crossed, inside blocks: what a level of one factor is ahead of
//! another by, averaged over the others, and by how much that differs between levels of a second.
//!
//! Each contrast is one number a block, so that a paired interval over blocks holds for it whatever
//! the noise of single cells is. Source: the analysis of factorial designs in blocks, Montgomery,
//! "Design and Analysis of Experiments", chapters 4 and 5, without its pooled variance.

use super::sample;

/// Two levels of a factor, by their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelPair {
    pub factor: usize,
    pub a: usize,
    pub b: usize,
}

/// Scores of every combination of levels in every block, the last factor varying fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossing {
    levels: Vec<usize>,
    blocks: Vec<Vec<f64>>,
}

impl Crossing {
    /// `None` where a block has another number of scores than there are combinations.
    pub fn new(levels: Vec<usize>, blocks: Vec<Vec<f64>>) -> Option<Crossing> {
        let cells: usize = levels.iter().product();
        let is_whole = blocks.iter().all(|block| block.len() == cells);
        is_whole.then_some(Crossing { levels, blocks })
    }

    pub fn blocks(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// Every two levels of each factor, and every two of those of different factors.
    pub fn pairs(&self) -> (Vec<LevelPair>, Vec<(LevelPair, LevelPair)>) {
        let of = |factor: usize, n: usize| {
            (0..n).flat_map(move |a| (a + 1..n).map(move |b| LevelPair { factor, a, b }))
        };
        let single: Vec<LevelPair> =
            self.levels.iter().enumerate().flat_map(|(factor, n)| of(factor, *n)).collect();
        let with = |one: &LevelPair| {
            let others = single.iter().filter(|other| other.factor > one.factor);
            others.map(|other| (*one, *other)).collect::<Vec<_>>()
        };
        let double = single.iter().flat_map(with).collect();
        (single, double)
    }

    /// Mean score at the first level less that at the second, one a block.
    pub fn main(&self, pair: LevelPair) -> Vec<f64> {
        self.each(|block| {
            self.mean(block, &[(pair.factor, pair.a)]) - {
                self.mean(block, &[(pair.factor, pair.b)])
            }
        })
    }

    /// What the first pair differs by at level `a` of the second, less the same at level `b`.
    pub fn interaction(&self, of: LevelPair, by: LevelPair) -> Vec<f64> {
        self.each(|block| {
            let at = |level: usize| {
                let mean = |own: usize| self.mean(block, &[(of.factor, own), (by.factor, level)]);
                mean(of.a) - mean(of.b)
            };
            at(by.a) - at(by.b)
        })
    }

    /// What a pair differs by at one level of another factor, over all blocks.
    pub fn at_level(&self, of: LevelPair, factor: usize, level: usize) -> Option<f64> {
        let differences = self.each(|block| {
            let mean = |own: usize| self.mean(block, &[(of.factor, own), (factor, level)]);
            mean(of.a) - mean(of.b)
        });
        sample::mean(&differences)
    }

    fn each(&self, contrast: impl Fn(&[f64]) -> f64) -> Vec<f64> {
        self.blocks.iter().map(|block| contrast(block)).collect()
    }

    /// Mean over the combinations that have these levels.
    fn mean(&self, block: &[f64], fixed: &[(usize, usize)]) -> f64 {
        let is_in = |number: &usize| {
            fixed.iter().all(|(factor, level)| self.level_of(*number, *factor) == *level)
        };
        let scores: Vec<f64> = (0..block.len()).filter(is_in).map(|at| block[at]).collect();
        sample::mean(&scores).unwrap_or(f64::NAN)
    }

    fn level_of(&self, number: usize, factor: usize) -> usize {
        let faster: usize = self.levels[factor + 1..].iter().product();
        number / faster.max(1) % self.levels[factor].max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paired::Paired;
    use crate::prng::{NormalDeviates, SplitMix64};

    const FIRST: LevelPair = LevelPair { factor: 0, a: 0, b: 1 };
    const SECOND: LevelPair = LevelPair { factor: 1, a: 0, b: 2 };

    #[test]
    fn known_effects_come_back() {
        // Rows 1 apart, columns 0, 10 and 20 less, and 3 more where both are first.
        let block = vec![4.0, -9.0, -19.0, 0.0, -10.0, -20.0];
        let drifted = block.iter().map(|score| score + 100.0).collect();
        let all = Crossing::new(vec![2, 3], vec![block, drifted]).unwrap();
        assert_eq!(all.main(FIRST), [2.0, 2.0]);
        assert_eq!(all.main(SECOND), [21.5, 21.5]);
        assert_eq!(all.interaction(FIRST, SECOND), [3.0, 3.0]);
        assert_eq!(all.at_level(SECOND, 0, 1), Some(20.0));
        let (single, double) = all.pairs();
        assert_eq!((single.len(), double.len()), (4, 3));
    }

    #[test]
    fn a_third_factor_is_averaged_over() {
        let score =
            |at: usize| (at / 4) as f64 + 10.0 * (at / 2 % 2) as f64 + 100.0 * (at % 2) as f64;
        let all = Crossing::new(vec![2, 2, 2], vec![(0..8).map(score).collect()]).unwrap();
        let differ = |factor| all.main(LevelPair { factor, a: 1, b: 0 });
        assert_eq!([0, 1, 2].map(differ), [[1.0], [10.0], [100.0]]);
    }

    #[test]
    fn what_is_no_full_crossing_is_refused() {
        assert!(Crossing::new(vec![2, 3], vec![vec![0.0; 5]]).is_none());
    }

    /// All intervals of a run together, each at the alpha of all of them: two filesystems that
    /// differ by 10 %, four schedulers that do not, one combination 5 % better, cells as noisy as
    /// each other or not.
    #[test]
    fn intervals_cover_the_truth_as_often_as_they_promise() {
        let mut noise = NormalDeviates(SplitMix64::derive(20_261_127, &[44]));
        let truth = [0.1, 0.1, 0.1, 0.15, 0.0, 0.0, 0.0, 0.0];
        let (runs, alpha) = (2000, 0.05);
        let (mut missed_main, mut missed_double) = (0, 0);
        for run in 0..runs {
            let blocks: Vec<Vec<f64>> = (0..5)
                .map(|_| {
                    let drift = noise.deviate();
                    let sd =
                        |at: usize| if run % 2 == 0 && at.is_multiple_of(3) { 0.2 } else { 0.05 };
                    (0..8).map(|at| truth[at] + drift + sd(at) * noise.deviate()).collect()
                })
                .collect();
            let all = Crossing::new(vec![2, 4], blocks).unwrap();
            let exact = Crossing::new(vec![2, 4], vec![truth.to_vec()]).unwrap();
            let (single, double) = all.pairs();
            let covers = |differences: &[f64], truth: f64, among: usize| {
                let paired = Paired::from_differences(differences).unwrap();
                let interval = paired.interval(alpha / among as f64);
                interval.low <= truth && truth <= interval.high
            };
            let main =
                |pair: &LevelPair| covers(&all.main(*pair), exact.main(*pair)[0], single.len());
            let both = |(of, by): &(LevelPair, LevelPair)| {
                let truth = exact.interaction(*of, *by)[0];
                covers(&all.interaction(*of, *by), truth, double.len())
            };
            missed_main += u32::from(!single.iter().all(main));
            missed_double += u32::from(!double.iter().all(both));
        }
        // 5 % at most, and three standard errors of 2000 runs.
        let most = 0.05 * f64::from(runs) + 3.0 * (f64::from(runs) * 0.05 * 0.95).sqrt();
        assert!(f64::from(missed_main) <= most, "{missed_main}");
        assert!(f64::from(missed_double) <= most, "{missed_double}");
        assert!(missed_main > runs / 100, "{missed_main}: not needlessly wide");
    }
}
