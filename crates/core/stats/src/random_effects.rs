//! One effect measured on several boards: its mean, how much it varies from board to board, and
//! what it is on the next one.
//!
//! The random-effects model: board i has the effect mu + u, where u has the variance tau² over
//! boards, and it was measured with the variance v. Sources:
//! - tau²: Paule and Mandel, "Consensus values and weighting factors", Journal of Research of the
//!   National Bureau of Standards 87 (1982); recommended by Veroniki et al., "Methods to estimate
//!   the between-study variance and its uncertainty in meta-analysis", Research Synthesis Methods 7
//!   (2016).
//! - The interval of the mean: Hartung and Knapp (2001), Sidik and Jonkman (2002), with a scale of
//!   1 at least (Röver, Knapp and Friede, BMC Medical Research Methodology 15, 2015).
//! - I²: Higgins and Thompson, "Quantifying heterogeneity in a meta-analysis", Statistics in
//!   Medicine 21 (2002).
//! - The prediction interval: a confidence distribution of tau² in place of its estimate, as in
//!   Nagashima, Noma and Furukawa, "Prediction intervals for random-effects meta-analysis: a
//!   confidence distribution approach", Statistical Methods in Medical Research 28 (2019). The
//!   distribution is that of the Q-profile (Viechtbauer, "Confidence intervals for the amount of
//!   heterogeneity in meta-analysis", Statistics in Medicine 26, 2007): Q(tau²) is chi-squared.
//!   Given tau², the next board is normal (Iyer, Wang and Mathew, JASA 99, 2004). Without
//!   measurement noise this is the exact interval of the next value of a normal sample.
//! - For comparison: Higgins, Thompson and Spiegelhalter, "A re-evaluation of random-effects
//!   meta-analysis", Journal of the Royal Statistical Society A 172 (2009). It takes tau² for
//!   known, and covers too little where the estimate is 0 by chance.
//!
//! Checked against statsmodels; the coverage is simulated (`fleet::coverage`).

use serde::Serialize;

use super::paired::Interval;
use super::{bisection, chi_squared, student_t};

pub const FEWEST: usize = 3;
const POINTS: u32 = 200;
const MOST_STEPS: u32 = 200;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    pub effect: f64,
    /// Variance of that mean; above 0.
    pub variance: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pooled {
    pub boards: u32,
    pub mean: f64,
    pub standard_error: f64,
    pub tau: f64,
    /// Share of the variation between boards that is no measurement noise.
    pub i_squared: f64,
}

struct EffectSums {
    weight: f64,
    mean: f64,
    q: f64,
    slope: f64,
}

fn sums(all: &[Measured], tau2: f64) -> EffectSums {
    let weight = |m: &Measured| 1.0 / (m.variance + tau2);
    let total: f64 = all.iter().map(weight).sum();
    let mean = all.iter().map(|m| weight(m) * m.effect).sum::<f64>() / total;
    let (mut q, mut slope) = (0.0, 0.0);
    for m in all {
        let (w, d) = (weight(m), m.effect - mean);
        q += w * d * d;
        slope += w * w * d * d;
    }
    EffectSums { weight: total, mean, q, slope }
}

/// The tau² at which Q is `goal`, from a smaller one on; 0 where Q is smaller from the start. Q is
/// convex and falls, so Newton's steps from the left never go too far (DerSimonian and Kacker
/// 2007).
fn tau2_at(all: &[Measured], goal: f64, from: f64) -> f64 {
    let mut tau2 = from;
    for _ in 0..MOST_STEPS {
        let s = sums(all, tau2);
        let step = (s.q - goal) / s.slope;
        if !step.is_finite() || step <= 1e-13 * tau2 {
            break;
        }
        tau2 += step;
    }
    tau2
}

fn is_sound(all: &[Measured]) -> bool {
    all.iter().all(|m| m.effect.is_finite() && m.variance.is_finite() && m.variance > 0.0)
}

/// The effect over boards; `None` for fewer than two, or what is no number.
pub fn pooled(all: &[Measured]) -> Option<Pooled> {
    if all.len() < 2 || !is_sound(all) {
        return None;
    }
    let df = (all.len() - 1) as f64;
    let fixed = sums(all, 0.0);
    let tau2 = tau2_at(all, df, 0.0);
    let s = sums(all, tau2);
    let scale = (s.q / df).max(1.0);
    Some(Pooled {
        boards: all.len() as u32,
        mean: s.mean,
        standard_error: libm::sqrt(scale / s.weight),
        tau: libm::sqrt(tau2),
        i_squared: ((fixed.q - df) / fixed.q).max(0.0),
    })
}

impl Pooled {
    pub fn interval(&self, alpha: f64) -> Interval {
        let half = student_t::two_sided(alpha, f64::from(self.boards) - 1.0) * self.standard_error;
        Interval { low: self.mean - half, high: self.mean + half }
    }

    /// The prediction interval of Higgins, Thompson and Spiegelhalter; `None` below three boards.
    pub fn hts(&self, alpha: f64) -> Option<Interval> {
        let df = f64::from(self.boards) - 2.0;
        let sd = libm::sqrt(self.tau * self.tau + self.standard_error * self.standard_error);
        let half = student_t::two_sided(alpha, df) * sd;
        (df >= 1.0).then_some(Interval { low: self.mean - half, high: self.mean + half })
    }
}

/// Where the effect on the next board lies with probability `1 - alpha`; `None` for fewer than
/// [`FEWEST`] boards, or what is no number.
pub fn prediction(all: &[Measured], alpha: f64) -> Option<Interval> {
    prediction_at(all, alpha, &goals(all.len()))
}

/// What Q is at the points of the confidence distribution for so many boards, the largest first.
pub fn goals(boards: usize) -> Vec<f64> {
    let df = boards.saturating_sub(1) as f64;
    let p = |point: u32| (f64::from(point) + 0.5) / f64::from(POINTS);
    (0..POINTS).rev().map(|point| chi_squared::quantile(p(point), df)).collect()
}

/// [`prediction`] with the [`goals`] of that number of boards: for many fleets of one size.
pub fn prediction_at(all: &[Measured], alpha: f64, goals: &[f64]) -> Option<Interval> {
    if all.len() < FEWEST || !is_sound(all) || !(1e-6..1.0).contains(&alpha) {
        return None;
    }
    let mut tau2 = 0.0;
    let mut parts = Vec::with_capacity(goals.len());
    // From the largest Q on: tau² grows, and each search starts where the last one ended.
    for goal in goals {
        tau2 = tau2_at(all, *goal, tau2);
        let s = sums(all, tau2);
        parts.push((s.mean, libm::sqrt(tau2 + 1.0 / s.weight)));
    }
    let low = mixture_quantile(&parts, 0.5 * alpha);
    let high = mixture_quantile(&parts, 1.0 - 0.5 * alpha);
    // The next board is not known better than the mean, whose interval has wider tails where few
    // boards agree closely.
    let mean = pooled(all)?.interval(alpha);
    Some(Interval { low: low.min(mean.low), high: high.max(mean.high) })
}

/// The quantile of normals with these means and deviations, mixed in equal shares.
fn mixture_quantile(parts: &[(f64, f64)], p: f64) -> f64 {
    let below = |x: f64| {
        let one = |(mean, sd): &(f64, f64)| {
            0.5 * libm::erfc((mean - x) / (sd * core::f64::consts::SQRT_2))
        };
        parts.iter().map(one).sum::<f64>() / parts.len() as f64
    };
    let widest = parts.iter().map(|(_, sd)| *sd).fold(0.0, f64::max);
    let low = parts.iter().map(|(m, _)| *m).fold(f64::INFINITY, f64::min) - 10.0 * widest;
    let high = parts.iter().map(|(m, _)| *m).fold(f64::NEG_INFINITY, f64::max) + 10.0 * widest;
    bisection::quantile(below, p, (low, high), |low, high| high - low <= 1e-12 * widest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn measured(effects: &[f64], variances: &[f64]) -> Vec<Measured> {
        let pairs = effects.iter().zip(variances);
        pairs.map(|(effect, variance)| Measured { effect: *effect, variance: *variance }).collect()
    }

    #[test]
    fn agrees_with_statsmodels() {
        let cases = testing::boards().random_effects;
        assert!(cases.len() >= 10);
        let near = |got: f64, want: f64| (got - want).abs() <= 1e-6 * want.abs().max(1e-3);
        for case in cases {
            let all = measured(&case.effects, &case.variances);
            let found = pooled(&all).unwrap();
            let tau2 = found.tau * found.tau;
            assert!(near(tau2, case.tau2), "tau2 {tau2}, not {}", case.tau2);
            assert!(near(found.mean, case.mean), "mean {}, not {}", found.mean, case.mean);
            assert!(near(found.i_squared, case.i_squared), "{found:?} {}", case.i_squared);
            // statsmodels lets the scale fall below 1; then the interval is narrower than ours.
            let scale = case.hksj_scale.max(1.0);
            let error = case.standard_error_hksj * libm::sqrt(scale / case.hksj_scale);
            assert!(near(found.standard_error, error), "{} {error}", found.standard_error);
        }
    }

    #[test]
    fn without_noise_the_next_board_is_the_next_value_of_a_sample() {
        let effects = [0.10, 0.14, 0.07, 0.12, 0.11, 0.05, 0.13, 0.09];
        let all = measured(&effects, &[1e-12; 8]);
        let found = prediction(&all, 0.05).unwrap();
        let mean = crate::sample::mean(&effects).unwrap();
        let sd = crate::sample::sd(&effects).unwrap();
        let half = student_t::two_sided(0.05, 7.0) * sd * libm::sqrt(1.0 + 1.0 / 8.0);
        assert!((found.low / (mean - half) - 1.0).abs() < 0.01, "{found:?} {}", mean - half);
        assert!((found.high / (mean + half) - 1.0).abs() < 0.01, "{found:?} {}", mean + half);
    }

    #[test]
    fn a_prediction_is_wider_than_the_interval_of_the_mean() {
        let all = measured(&[0.10, 0.30, 0.20, 0.05], &[0.001, 0.002, 0.001, 0.003]);
        let (mean, next) = (pooled(&all).unwrap(), prediction(&all, 0.05).unwrap());
        let of_mean = mean.interval(0.05);
        assert!(next.low < of_mean.low && next.high > of_mean.high, "{next:?} {of_mean:?}");
        assert!(mean.hts(0.05).is_some() && pooled(&all[..2]).unwrap().hts(0.05).is_none());
    }

    #[test]
    fn too_few_and_nonsense_is_nothing() {
        let two = measured(&[0.1, 0.2], &[0.01, 0.01]);
        assert!(prediction(&two, 0.05).is_none() && pooled(&two[..1]).is_none());
        for bad in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
            let all = measured(&[0.1, 0.2, 0.3], &[0.01, bad, 0.01]);
            assert!(pooled(&all).is_none() && prediction(&all, 0.05).is_none(), "{bad}");
        }
        let same = measured(&[0.1; 5], &[0.01; 5]);
        assert_eq!(pooled(&same).map(|p| (p.tau, p.i_squared)), Some((0.0, 0.0)));
    }
}
