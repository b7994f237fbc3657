//! How often a prediction interval contains the effect on the next board: boards are drawn,
//! measured and predicted, and one more is drawn.
//!
//! Effects are normal over boards. Each is measured in a few blocks, and its variance is estimated
//! from them, as in a run. The share of true variation goes from none to nearly all.

use serde::Serialize;

use super::ALPHA;
use bakeoff_stats::paired::Paired;
use bakeoff_stats::prng::NormalDeviates;
use bakeoff_stats::prng::SplitMix64;
use bakeoff_stats::random_effects::{self, Measured};

const BOARDS: [u32; 6] = [3, 5, 8, 12, 20, 50];
const BLOCKS: [u32; 3] = [3, 5, 12];
/// Share of the variation between the boards' results that is true, not noise.
const SHARES: [f64; 4] = [0.0, 0.2, 0.5, 0.9];
/// Standard deviation of one block's effect.
const BLOCK_SD: f64 = 0.1;

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Covered {
    pub boards: u32,
    pub blocks: u32,
    pub share: f64,
    pub fleets: u32,
    /// Share of those whose interval contained the effect on the next board.
    pub coverage: f64,
    pub coverage_hts: f64,
    /// Mean width in units of the interval that knows mean and variance of the effect over boards;
    /// `None` where the effect does not vary.
    pub width: Option<f64>,
}

pub fn all(fleets: u32, seed: u64) -> Vec<Covered> {
    let mut found = Vec::new();
    for boards in BOARDS {
        for blocks in BLOCKS {
            for share in SHARES {
                let words = [u64::from(boards), u64::from(blocks), (share * 100.0) as u64];
                let mut random = NormalDeviates(SplitMix64::derive(seed, &words));
                found.push(covered((boards, blocks, share), fleets, &mut random));
            }
        }
    }
    found
}

fn covered(
    (boards, blocks, share): (u32, u32, f64),
    fleets: u32,
    random: &mut NormalDeviates,
) -> Covered {
    let noise = BLOCK_SD / libm::sqrt(f64::from(blocks));
    let tau = noise * libm::sqrt(share / (1.0 - share));
    let goals = random_effects::goals(boards as usize);
    let (mut inside, mut inside_hts, mut width) = (0u32, 0u32, 0.0);
    for _ in 0..fleets {
        let all: Vec<Measured> =
            (0..boards).filter_map(|_| measured(tau, blocks, random)).collect();
        let next = tau * random.deviate();
        let has = |low: f64, high: f64| u32::from(low <= next && next <= high);
        if let Some(range) = random_effects::prediction_at(&all, ALPHA, &goals) {
            inside += has(range.low, range.high);
            width += range.high - range.low;
        }
        let hts = random_effects::pooled(&all).and_then(|pooled| pooled.hts(ALPHA));
        inside_hts += hts.map_or(0, |range| has(range.low, range.high));
    }
    let of = |n: u32| f64::from(n) / f64::from(fleets.max(1));
    let known = 2.0 * 1.959_963_984_540_054 * tau;
    let width = (tau > 0.0).then(|| width / f64::from(fleets.max(1)) / known);
    let (coverage, coverage_hts) = (of(inside), of(inside_hts));
    Covered { boards, blocks, share, fleets, coverage, coverage_hts, width }
}

fn measured(tau: f64, blocks: u32, random: &mut NormalDeviates) -> Option<Measured> {
    let effect = tau * random.deviate();
    let differences: Vec<f64> = (0..blocks).map(|_| effect + BLOCK_SD * random.deviate()).collect();
    Paired::from_differences(&differences).map(|paired| super::effect::measured(&paired))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// docs/fleet.md has the table of many more fleets; here the worst kinds.
    #[test]
    fn the_next_board_is_inside_in_93_of_100_fleets() {
        for (boards, share) in [(5, 0.2), (50, 0.2), (8, 0.9)] {
            let mut random = NormalDeviates(SplitMix64::new(7));
            let found = covered((boards, 5, share), 300, &mut random);
            // Three standard errors of 300 draws below.
            assert!(found.coverage >= 0.93 - 0.044, "{found:?}");
        }
    }

    #[test]
    fn the_usual_interval_covers_too_little_where_boards_hardly_differ() {
        let found = covered((50, 12, 0.2), 300, &mut NormalDeviates(SplitMix64::new(7)));
        assert!(found.coverage_hts < found.coverage, "{found:?}");
    }
}
