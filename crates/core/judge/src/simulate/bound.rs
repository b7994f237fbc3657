//! What any test could do: how often the best one there is finds a wave of one candidate alone in
//! so many blocks, when it knows the wave it looks for.
//!
//! By the lemma of Neyman and Pearson no test that raises as few false alarms finds more than the
//! ratio of the two likelihoods does, here of the differences from block to block, which do not
//! depend on the candidates' means. Where the size of the noise is unknown, as it is on a drive
//! that has not been measured before, the best invariant test is that of King, "Robust tests for
//! spherical symmetry and their application to least squares regression", Annals of Statistics 8
//! (1980). The rule that is used (L36) knows neither the wave nor the noise.

use serde::Serialize;

use super::disk::Own;
use bakeoff_stats::distinct;
use bakeoff_stats::prng::{Normal, SplitMix64};

const FALSE_ALARMS: f64 = 0.02;
/// The same where one only keeps the run going. A lead is found after 7 of 27 blocks, so more runs
/// than one in ten that go on to the end would take more than a third of the cells.
const GOING_ON: f64 = 0.1;

const BLOCKS: [u32; 5] = [5, 8, 12, 18, 27];

/// What the best test finds of one wave.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bound {
    /// Lag-1 autocorrelation of the wave from block to block.
    pub lag1: f64,
    /// Its standard deviation, percent.
    pub wave_percent: f64,
    /// Noise of a cell, percent.
    pub noise_percent: f64,
    pub blocks: u32,
    /// Share found by a test that knows the noise, at 2 % false alarms.
    pub knows_noise: f64,
    /// Share found by a test that does not.
    pub knows_wave_only: f64,
    /// The same at 10 % false alarms.
    pub knows_wave_going_on: f64,
}

/// The numbers of blocks that there are bounds for, ascending.
pub fn looks(all: &[Bound]) -> Vec<u32> {
    distinct::sorted(all.iter().map(|bound| bound.blocks))
}

/// The bounds over a long run, for the waves of the scenarios.
pub fn all(runs: u32, seed: u64) -> Vec<Bound> {
    let mut waves: Vec<(Own, f64)> = Vec::new();
    for disk in super::catalogue::all().into_iter().map(|s| s.disk) {
        let noise = disk.noise;
        waves.extend(disk.own.map(|own| (own, noise)).filter(|wave| !waves.contains(wave)));
    }
    let at = |(own, noise): &(Own, f64)| {
        let (own, noise) = (*own, *noise);
        BLOCKS.map(|blocks| bound(own, noise, blocks, runs, seed))
    };
    waves.iter().flat_map(at).collect()
}

/// The bounds for `own` beside one other candidate at `noise` (a fraction), from `runs` runs.
pub fn bound(own: Own, noise: f64, blocks: u32, runs: u32, seed: u64) -> Bound {
    let n = blocks as usize;
    // Covariances of a difference of two cells: independent errors, and the wave on top.
    let still = |i: usize, j: usize| if i == j { 2.0 * noise * noise } else { 0.0 };
    let wave = |i: usize, j: usize| {
        own.sd * own.sd * libm::pow(own.lag1, i.abs_diff(j) as f64) + still(i, j)
    };
    let (still, wave) = (Steps::from_covariance(n, still), Steps::from_covariance(n, wave));
    let mut normal = Normal(SplitMix64::derive(seed, &[u64::from(blocks)]));
    let mut play = |truth: &Steps| -> (Vec<f64>, Vec<f64>) {
        (0..runs)
            .map(|_| {
                let steps = truth.draw(&mut normal);
                let (plain, waving) = (still.distance(&steps), wave.distance(&steps));
                (plain - waving, plain / waving)
            })
            .unzip()
    };
    let (quiet, found) = (play(&still), play(&wave));
    Bound {
        lag1: own.lag1,
        wave_percent: own.sd * 100.0,
        noise_percent: noise * 100.0,
        blocks,
        knows_noise: share_above(&found.0, &quiet.0, FALSE_ALARMS),
        knows_wave_only: share_above(&found.1, &quiet.1, FALSE_ALARMS),
        knows_wave_going_on: share_above(&found.1, &quiet.1, GOING_ON),
    }
}

/// Share of `found` above all but a share `alarms` of `quiet`.
fn share_above(found: &[f64], quiet: &[f64], alarms: f64) -> f64 {
    let mut sorted = quiet.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = libm::ceil((1.0 - alarms) * sorted.len() as f64) as usize;
    let Some(limit) = sorted.get(rank.saturating_sub(1)) else { return 0.0 };
    found.iter().filter(|f| *f > limit).count() as f64 / found.len().max(1) as f64
}

/// A normal distribution of the steps from block to block: the lower triangle of its covariance,
/// by Cholesky's method.
struct Steps {
    lower: Vec<Vec<f64>>,
}

impl Steps {
    fn from_covariance(n: usize, covariance: impl Fn(usize, usize) -> f64) -> Steps {
        let step = |i: usize, j: usize| {
            covariance(i + 1, j + 1) - covariance(i + 1, j) - covariance(i, j + 1)
                + covariance(i, j)
        };
        let mut lower = vec![vec![0.0; n - 1]; n - 1];
        for i in 0..n - 1 {
            for j in 0..=i {
                let known: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
                let left = step(i, j) - known;
                lower[i][j] = if i == j { libm::sqrt(left) } else { left / lower[j][j] };
            }
        }
        Steps { lower }
    }

    fn draw(&self, normal: &mut Normal) -> Vec<f64> {
        let deviates: Vec<f64> = self.lower.iter().map(|_| normal.deviate()).collect();
        let dot = |row: &Vec<f64>| row.iter().zip(&deviates).map(|(a, b)| a * b).sum();
        self.lower.iter().map(dot).collect()
    }

    /// Squared distance of `steps` from none, in the units of the distribution.
    fn distance(&self, steps: &[f64]) -> f64 {
        let mut solved: Vec<f64> = Vec::with_capacity(steps.len());
        for (row, step) in self.lower.iter().zip(steps) {
            let known: f64 = row.iter().zip(&solved).map(|(a, b)| a * b).sum();
            solved.push((step - known) / row[solved.len()]);
        }
        solved.iter().map(|v| v * v).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_model::index::CandidateIx;

    fn of(lag1: f64, sd: f64, blocks: u32) -> Bound {
        bound(Own { candidate: CandidateIx::new(1), lag1, sd }, 0.02, blocks, 2000, 5)
    }

    #[test]
    fn more_blocks_and_more_knowledge_find_more() {
        let (few, many) = (of(0.8, 0.1, 5), of(0.8, 0.1, 27));
        assert!(few.knows_wave_only + 0.2 < many.knows_wave_only, "{few:?} {many:?}");
        assert!(few.knows_wave_only + 0.2 < few.knows_noise, "{few:?}");
        assert!(many.knows_noise > 0.99, "{many:?}");
    }

    #[test]
    fn independent_noise_of_unknown_size_is_found_as_often_as_false_alarms_are_raised() {
        // A wave without any correlation is noise, and the ratio the same for every series.
        let nothing = of(0.02, 0.02, 12);
        assert!((nothing.knows_wave_only - FALSE_ALARMS).abs() < 0.015, "{nothing:?}");
        assert!((nothing.knows_wave_going_on - GOING_ON).abs() < 0.03, "{nothing:?}");
    }

    #[test]
    fn drawn_steps_have_the_covariance_they_were_drawn_from() {
        let steps = Steps::from_covariance(4, |i, j| libm::pow(0.5, i.abs_diff(j) as f64));
        let mut normal = Normal(SplitMix64::new(3));
        let draws: Vec<Vec<f64>> = (0..20_000).map(|_| steps.draw(&mut normal)).collect();
        let covariance = |i: usize, j: usize| {
            draws.iter().map(|d| d[i] * d[j]).sum::<f64>() / draws.len() as f64
        };
        // Var(x1 - x0) = 2 - 2 * 0.5; Cov(x1 - x0, x2 - x1) = 0.5 - 1 - 0.25 + 0.5.
        assert!((covariance(0, 0) - 1.0).abs() < 0.03 && (covariance(0, 1) + 0.25).abs() < 0.03);
        let distance = draws.iter().map(|d| steps.distance(d)).sum::<f64>() / 20_000.0;
        assert!((distance - 3.0).abs() < 0.05, "{distance}");
    }
}
