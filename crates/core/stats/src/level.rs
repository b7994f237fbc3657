//! What was reached in one session, and how far two sessions are apart.
//!
//! Blocks of one session are no pairs of those of another, so this is Welch's interval ("The
//! generalization of Student's problem when several different population variances are involved",
//! Biometrika 34, 1947) with his degrees of freedom, over standard errors that allow for
//! correlation between neighbouring blocks ([`super::autocorrelation::widening`]). What a whole
//! session adds to all its blocks does not show inside it. From two sessions on it is seen between
//! them, and the interval is at least that of one more session of their kind (the prediction
//! interval of normal values).

use super::autocorrelation::{lag1, widening};
use super::paired::Interval;
use super::{sample, student_t};

/// Coefficient that is taken for so few blocks that none can be estimated.
const FEW_BLOCKS_RHO: f64 = 0.5;

/// Mean of the logarithms of a session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    pub mean: f64,
    /// Of the mean; infinite with one block.
    pub standard_error: f64,
    pub blocks: u32,
}

impl Level {
    /// From one logarithm a block; `None` without any.
    pub fn from_scores(scores: &[f64]) -> Option<Level> {
        let blocks = scores.len() as u32;
        let few = (1.0 + FEW_BLOCKS_RHO) / (1.0 - FEW_BLOCKS_RHO);
        let factor = match lag1(scores) {
            Some(found) => widening(found.r, blocks),
            None => libm::sqrt(few),
        };
        let standard_error = sample::standard_error(scores).map_or(f64::INFINITY, |e| e * factor);
        Some(Level { mean: sample::mean(scores)?, standard_error, blocks })
    }

    /// Of the mean of one session; without limits where it has one block.
    pub fn interval(&self, alpha: f64) -> Interval {
        let half = match self.blocks {
            0 | 1 => f64::INFINITY,
            blocks => student_t::two_sided(alpha, f64::from(blocks - 1)) * self.standard_error,
        };
        Interval { low: self.mean - half, high: self.mean + half }
    }
}

/// How far a session is from earlier ones, on the logarithmic scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apart {
    /// Level of the new session less the mean of the others.
    pub mean: f64,
    standard_error: f64,
    df: f64,
    /// Standard deviation of one more session less the mean of these, and its degrees of freedom;
    /// `None` with one session.
    between: Option<(f64, f64)>,
}

impl Apart {
    /// `None` without an earlier session.
    pub fn new(earlier: &[Level], new: Level) -> Option<Apart> {
        let means: Vec<f64> = earlier.iter().map(|level| level.mean).collect();
        let count = means.len() as f64;
        let part = |level: &Level, over: f64| {
            let variance = level.standard_error * level.standard_error / (over * over);
            (variance, variance * variance / f64::from(level.blocks.saturating_sub(1)))
        };
        let parts = earlier.iter().map(|level| part(level, count)).chain([part(&new, 1.0)]);
        let (variance, weights) = parts.fold((0.0, 0.0), |(v, w), (x, y)| (v + x, w + y));
        let df = if weights > 0.0 { variance * variance / weights } else { f64::INFINITY };
        let between = sample::sd(&means).filter(|_| means.len() > 1).map(|sd| {
            let one_more = sd * libm::sqrt(1.0 + 1.0 / count);
            (one_more, count - 1.0)
        });
        let mean = new.mean - sample::mean(&means)?;
        Some(Apart { mean, standard_error: libm::sqrt(variance), df, between })
    }

    pub fn interval(&self, alpha: f64) -> Interval {
        let half = self.within(alpha).max(self.between(alpha));
        Interval { low: self.mean - half, high: self.mean + half }
    }

    /// Whether sessions differ more from each other than their blocks explain, so that longer
    /// sessions would not narrow the interval.
    pub fn is_between(&self, alpha: f64) -> bool {
        self.between(alpha) > self.within(alpha)
    }

    fn within(&self, alpha: f64) -> f64 {
        match self.standard_error {
            0.0 => 0.0,
            error if error.is_finite() && self.df >= 1.0 => {
                // Beyond a million it is the normal distribution.
                student_t::two_sided(alpha, self.df.min(1e6)) * error
            }
            _ => f64::INFINITY,
        }
    }

    fn between(&self, alpha: f64) -> f64 {
        let half = |(sd, df): (f64, f64)| {
            if sd > 0.0 { student_t::two_sided(alpha, df) * sd } else { 0.0 }
        };
        self.between.map_or(0.0, half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prng::{NormalDeviates, SplitMix64};

    #[test]
    fn equal_sessions_are_zero_apart_and_few_blocks_have_wide_intervals() {
        let level = |n: usize| Level::from_scores(&[1.0, 1.1, 0.9, 1.05, 0.95, 1.0, 1.02][..n]);
        let width = |n: usize| {
            let found = Apart::new(&[level(n).unwrap()], level(n).unwrap()).unwrap();
            assert_eq!(found.mean, 0.0);
            let interval = found.interval(0.05);
            assert_eq!(interval.low, -interval.high);
            interval.high
        };
        assert!(width(7) < width(4) && width(4) < width(3) && width(1) == f64::INFINITY);
        assert_eq!((Level::from_scores(&[]), Apart::new(&[], level(3).unwrap())), (None, None));
    }

    #[test]
    fn sessions_without_spread_have_an_interval_without_width() {
        let level = Level::from_scores(&[2.0; 6]).unwrap();
        let same = Apart::new(&[level, level], level).unwrap();
        assert_eq!(same.interval(0.01), Interval { low: 0.0, high: 0.0 });
    }

    #[test]
    fn what_sessions_differ_by_widens_the_interval_and_is_named() {
        let at = |mean| Level { mean, standard_error: 0.01, blocks: 10 };
        let one = Apart::new(&[at(1.0)], at(1.0)).unwrap();
        let several = Apart::new(&[at(0.9), at(1.1), at(1.0)], at(1.0)).unwrap();
        assert!(!one.is_between(0.05) && several.is_between(0.05));
        // Student's t for two degrees of freedom, an sd of 0.1, and a third more of variance.
        let half = 4.302_652_729_911_275 * 0.1 * libm::sqrt(4.0 / 3.0);
        assert!((several.interval(0.05).high - half).abs() < 1e-9);
    }

    /// Blocks that follow each other resemble each other; the interval holds all the same.
    #[test]
    fn intervals_cover_the_truth_under_waves() {
        let mut random = NormalDeviates(SplitMix64::new(7));
        for (lag, blocks) in [(0.0, 5), (0.0, 20), (0.5, 9), (0.5, 20)] {
            let mut session = || {
                let mut wave = random.deviate();
                let scores: Vec<f64> = (0..blocks)
                    .map(|_| {
                        wave = lag * wave + libm::sqrt(1.0 - lag * lag) * random.deviate();
                        0.02 * (wave + random.deviate())
                    })
                    .collect();
                Level::from_scores(&scores).unwrap()
            };
            let misses = (0..1000).filter(|_| {
                Apart::new(&[session()], session()).unwrap().interval(0.1).excludes_zero()
            });
            let misses = misses.count();
            assert!(misses < 120, "{misses} of 1000 at {lag}, {blocks} blocks");
        }
    }
}
