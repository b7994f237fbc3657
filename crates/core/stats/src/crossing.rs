//! Effects of factors that are fully crossed, inside blocks: what a level of one factor is ahead of
//! another by, averaged over the others.
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

    /// Every two levels of each factor.
    pub fn pairs(&self) -> Vec<LevelPair> {
        let of = |factor: usize, n: usize| {
            (0..n).flat_map(move |a| (a + 1..n).map(move |b| LevelPair { factor, a, b }))
        };
        self.levels.iter().enumerate().flat_map(|(factor, n)| of(factor, *n)).collect()
    }

    /// Mean score at the first level less that at the second, one a block.
    pub fn main(&self, pair: LevelPair) -> Vec<f64> {
        let ahead = |block: &Vec<f64>| {
            self.mean(block, pair.factor, pair.a) - self.mean(block, pair.factor, pair.b)
        };
        self.blocks.iter().map(ahead).collect()
    }

    /// Mean over the combinations that have this level of a factor.
    fn mean(&self, block: &[f64], factor: usize, level: usize) -> f64 {
        let is_in = |number: &usize| self.level_of(*number, factor) == level;
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
        assert_eq!(all.pairs().len(), 4);
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
        let mut missed = 0;
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
            let pairs = all.pairs();
            let covers = |differences: &[f64], truth: f64, among: usize| {
                let paired = Paired::from_differences(differences).unwrap();
                let interval = paired.interval(alpha / among as f64);
                interval.low <= truth && truth <= interval.high
            };
            let main =
                |pair: &LevelPair| covers(&all.main(*pair), exact.main(*pair)[0], pairs.len());
            missed += u32::from(!pairs.iter().all(main));
        }
        // 5 % at most, and three standard errors of 2000 runs.
        let most = 0.05 * f64::from(runs) + 3.0 * (f64::from(runs) * 0.05 * 0.95).sqrt();
        assert!(f64::from(missed) <= most, "{missed}");
        assert!(missed > runs / 100, "{missed}: not needlessly wide");
    }
}
