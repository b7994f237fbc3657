//! The effect of one candidate against another: paired differences of logarithms inside blocks.
//!
//! `y = ln(rate)`, and what blocks have in common (drift, temperature, what else the machine does)
//! leaves with the difference. The ratio of the two rates is `exp` of its mean. Source: the paired
//! t interval; on ratios after Kalibera and Jones, "Rigorous benchmarking in reasonable time",
//! ISMM 2013. Repeated intervals at looks: Jennison and Turnbull, "Repeated confidence intervals
//! for group sequential clinical trials", Controlled Clinical Trials 5 (1984).

use super::{sample, student_t};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    pub blocks: u32,
    /// Mean of `ln(a) - ln(b)`.
    pub mean: f64,
    pub sd: f64,
}

/// An interval on the logarithmic scale, in which 0 means "the same".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    /// Whether it lies above or below 0 as a whole.
    pub fn excludes_zero(self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// Around the same middle, `factor` times as wide.
    pub fn widened(self, factor: f64) -> Interval {
        let (middle, half) = ((self.low + self.high) / 2.0, (self.high - self.low) / 2.0);
        Interval { low: middle - factor * half, high: middle + factor * half }
    }

    /// Whether every ratio in it differs from 1 by less than `margin`, both ways round: inside
    /// `1/(1+margin)` to `1+margin`, so that the answer does not depend on which comes first.
    pub fn is_inside(self, margin: f64) -> bool {
        let bound = libm::log1p(margin);
        self.low > -bound && self.high < bound
    }
}

impl Paired {
    /// From differences of logarithms, one a block; `None` for fewer than two.
    pub fn from_differences(differences: &[f64]) -> Option<Paired> {
        Some(Paired {
            blocks: differences.len() as u32,
            mean: sample::mean(differences)?,
            sd: sample::sd(differences)?,
        })
    }

    pub fn interval(&self, alpha: f64) -> Interval {
        let half = half_width(alpha, self.blocks) * self.sd;
        Interval { low: self.mean - half, high: self.mean + half }
    }
}

/// Half-width of the interval over `blocks` differences, in standard deviations of a difference.
pub fn half_width(alpha: f64, blocks: u32) -> f64 {
    if blocks < 2 {
        return f64::INFINITY;
    }
    let n = f64::from(blocks);
    student_t::two_sided(alpha, n - 1.0) / libm::sqrt(n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prng::{NormalDeviates, SplitMix64};
    use crate::testing;

    #[test]
    fn a_widened_interval_keeps_its_middle() {
        let widened = Interval { low: 1.0, high: 3.0 }.widened(2.0);
        assert_eq!((widened.low, widened.high), (0.0, 4.0));
        let same = Interval { low: -0.5, high: 2.5 }.widened(1.0);
        assert_eq!((same.low, same.high), (-0.5, 2.5));
    }

    #[test]
    fn intervals_agree_with_scipy() {
        let cases = testing::fixture().paired;
        assert!(cases.len() >= 20);
        for (differences, alpha, low, high) in cases {
            let got = Paired::from_differences(&differences).unwrap().interval(alpha);
            let off = (got.low - low).abs().max((got.high - high).abs());
            assert!(off <= 1e-12, "{differences:?} {alpha}: {got:?}, not {low} to {high}");
        }
    }

    #[test]
    fn half_widths_at_the_looks() {
        let at = |alpha| -> Vec<String> {
            [5, 8, 12, 18, 27].iter().map(|n| format!("{:.2}", half_width(alpha, *n))).collect()
        };
        assert_eq!(at(0.0145), ["1.85", "1.14", "0.84", "0.64", "0.50"]);
        assert_eq!(at(0.0134), ["1.89", "1.16", "0.85", "0.65", "0.51"]);
    }

    #[test]
    fn a_tie_is_a_tie_both_ways_round() {
        let i = Interval { low: -0.094, high: 0.09 };
        let turned = Interval { low: -i.high, high: -i.low };
        assert_eq!((i.is_inside(0.10), turned.is_inside(0.10)), (true, true));
        assert!(!Interval { low: -0.0954, high: 0.0 }.is_inside(0.10));
        assert!(!i.excludes_zero() && Interval { low: 0.001, high: 1.0 }.excludes_zero());
    }

    #[test]
    fn differences_without_spread_have_an_interval_without_width() {
        let paired = Paired::from_differences(&[0.25; 5]).unwrap();
        assert_eq!(paired.interval(0.0134), Interval { low: 0.25, high: 0.25 });
        assert_eq!(Paired::from_differences(&[0.25]), None);
    }

    /// The share of `runs` runs of two equals in which an interval excludes 0 at any of the looks.
    fn false_winners(looks: &[u32], alphas: &[f64], runs: u32) -> f64 {
        let mut noise = NormalDeviates(SplitMix64::derive(20_261_123, &[looks.len() as u64]));
        let mut one = || {
            let last = looks.last().copied().unwrap_or(0);
            let d: Vec<f64> = (0..last).map(|_| noise.deviate()).collect();
            let at = |n: &u32| Paired::from_differences(&d[..*n as usize]).unwrap();
            looks.iter().zip(alphas).any(|(n, alpha)| at(n).interval(*alpha).excludes_zero())
        };
        let found: u32 = (0..runs).map(|_| u32::from(one())).sum();
        f64::from(found) / f64::from(runs)
    }

    #[test]
    fn looks_name_a_false_winner_as_often_as_numpy_says() {
        for (looks, alpha, runs, wrong) in testing::fixture().looks {
            let (share, own_runs) = (f64::from(wrong) / f64::from(runs), 20_000);
            let own = false_winners(&looks, &vec![alpha; looks.len()], own_runs);
            let error = (share * (1.0 - share) / f64::from(own_runs)).sqrt();
            assert!((own - share).abs() < 4.0 * error, "{looks:?} {alpha}: {own}, not {share}");
        }
    }
}
