//! Ratios and shares of what was observed in clusters, whose members are not independent.
//!
//! A ratio of sums over clusters has the variance of its linear residuals (Cochran, "Sampling
//! Techniques", 1977, 6.3), here allowing for correlation between neighbouring clusters. A small
//! share is tested by the binomial distribution at the effective number of observations (Korn and
//! Graubard, "Confidence intervals for proportions with small expected number of positive counts
//! estimated from survey data", Survey Methodology 24, 1998). Rare events that come in episodes are
//! at least as much as so many episodes, whatever the correlation of clusters seems to be: the sum
//! of a compound Poisson process has the mean square of an episode over its mean as design effect.

use super::autocorrelation::lag1;
use super::{beta, student_t};

/// A higher correlation cannot be told from a single wave.
const MOST_R: f64 = 0.95;

/// The sum of one thing over the sum of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusteredRatio {
    pub ratio: f64,
    /// Infinite with one cluster.
    pub standard_error: f64,
    pub clusters: u32,
    /// Mean square over mean of what came in unbroken runs of clusters.
    episode: f64,
}

impl ClusteredRatio {
    /// From `(part, whole)` of each cluster in the order of time; `None` where the wholes come to
    /// nothing.
    pub fn new(clusters: &[(f64, f64)]) -> Option<ClusteredRatio> {
        let (part, whole) = clusters.iter().fold((0.0, 0.0), |(p, w), c| (p + c.0, w + c.1));
        if whole.is_nan() || whole <= 0.0 {
            return None;
        }
        let ratio = part / whole;
        let off: Vec<f64> = clusters.iter().map(|(p, w)| p - ratio * w).collect();
        let n = off.len() as f64;
        let squares: f64 = off.iter().map(|e| e * e).sum();
        let correlated = lag1(&off).map_or(1.0, |found| widening(found.r, n));
        let standard_error = match off.len() {
            1 => f64::INFINITY,
            _ => libm::sqrt(n / (n - 1.0) * squares) / whole * correlated,
        };
        let episodes =
            clusters.split(|c| c.0 <= 0.0).map(|run| run.iter().map(|c| c.0).sum::<f64>());
        let squares = episodes.fold(0.0, |sum, size| sum + size * size);
        let episode = if part > 0.0 { squares / part } else { 1.0 };
        Some(ClusteredRatio { ratio, standard_error, clusters: off.len() as u32, episode })
    }

    /// Ends of the two-sided interval of a ratio above 0, from its logarithm.
    pub fn interval(&self, alpha: f64) -> (f64, f64) {
        if self.clusters < 2 || self.ratio <= 0.0 {
            return (0.0, f64::INFINITY);
        }
        let t = student_t::two_sided(alpha, f64::from(self.clusters - 1));
        let factor = libm::exp(t * self.standard_error / self.ratio);
        (self.ratio / factor, self.ratio * factor)
    }
}

/// Factor of a standard error for values whose neighbours correlate: that of a first-order
/// autoregression with a coefficient one standard error above the estimate, on the scale of
/// Fisher's z, on which the error is the same for all.
fn widening(r: f64, n: f64) -> f64 {
    let unbiased = ((n * r + 1.0) / (n - 3.0)).clamp(-MOST_R, MOST_R);
    let rho = libm::tanh(libm::atanh(unbiased) + 1.0 / libm::sqrt(n)).max(0.0);
    libm::sqrt((1.0 + rho) / (1.0 - rho))
}

/// A share of observations that came in clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusteredShare {
    pub share: f64,
    /// How many observations tell as much as one that is independent of the others; 1 or more.
    pub design_effect: f64,
    observations: f64,
    clusters: u32,
}

impl ClusteredShare {
    /// `least_effect`: a design effect that is known from elsewhere.
    pub fn new(ratio: ClusteredRatio, observations: u64, least_effect: f64) -> ClusteredShare {
        let observations = observations as f64;
        let binomial = ratio.ratio * (1.0 - ratio.ratio) / observations;
        let variance = ratio.standard_error * ratio.standard_error;
        let found = if binomial > 0.0 { (variance / binomial).min(ratio.episode) } else { 1.0 };
        ClusteredShare {
            share: ratio.ratio,
            design_effect: found.max(least_effect).clamp(1.0, observations.max(1.0)),
            observations,
            clusters: ratio.clusters,
        }
    }

    /// How many independent observations tell as much, at this two-sided `alpha`.
    pub fn effective(&self, alpha: f64) -> f64 {
        if self.clusters < 2 || self.observations < 2.0 {
            return 0.0;
        }
        let t = |df: f64| student_t::two_sided(alpha, df);
        let few = t(self.observations - 1.0) / t(f64::from(self.clusters - 1));
        self.observations / self.design_effect * few * few
    }

    /// Whether the true share is certainly above `bound`: chance would give as much with a
    /// probability below half of `alpha`.
    pub fn is_above(&self, bound: f64, alpha: f64) -> bool {
        let n = self.effective(alpha);
        let x = n * self.share;
        x > 0.0 && beta::regularised(bound, x, n - x + 1.0) < 0.5 * alpha
    }

    /// Whether it is certainly below.
    pub fn is_below(&self, bound: f64, alpha: f64) -> bool {
        let n = self.effective(alpha);
        let x = n * self.share;
        n - x > 0.0 && 1.0 - beta::regularised(bound, x + 1.0, n - x) < 0.5 * alpha
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prng::SplitMix64;

    fn of(pairs: &[(f64, f64)]) -> ClusteredRatio {
        ClusteredRatio::new(pairs).unwrap()
    }

    #[test]
    fn a_share_of_independent_observations_is_binomial() {
        // 20 clusters of 50 observations, one event each or none in turn: 10 of 1000.
        let pairs: Vec<(f64, f64)> = (0..20).map(|i| (f64::from(i % 2), 50.0)).collect();
        let share = ClusteredShare::new(of(&pairs), 1000, 1.0);
        assert!((share.share - 0.01).abs() < 1e-12 && share.design_effect == 1.0);
        // Clopper and Pearson: 0.48 % to 1.83 %, wider for 20 clusters.
        assert!(share.is_above(0.004, 0.05) && !share.is_above(0.005, 0.05));
        assert!(share.is_below(0.020, 0.05) && !share.is_below(0.0183, 0.05));
    }

    #[test]
    fn events_that_come_together_tell_less() {
        let mut together = [(0.0, 50.0); 20];
        together[3].0 = 10.0;
        let one = ClusteredShare::new(of(&together), 1000, 1.0);
        assert!((one.design_effect - 10.0).abs() < 1e-9, "one episode of ten: {one:?}");
        assert!(!one.is_above(0.001, 0.05) && !one.is_below(0.03, 0.05));
        let known = ClusteredShare::new(of(&[(0.0, 50.0); 20]), 1000, 5.0);
        assert_eq!((known.design_effect, known.share), (5.0, 0.0));
        assert!(known.effective(0.05) < 200.0 && !known.is_above(0.0001, 0.05));
    }

    #[test]
    fn nothing_and_one_cluster_tell_nothing() {
        assert_eq!(ClusteredRatio::new(&[]), None);
        assert_eq!(ClusteredRatio::new(&[(0.0, 0.0)]), None);
        let one = of(&[(1.0, 1000.0)]);
        assert_eq!(one.interval(0.05), (0.0, f64::INFINITY));
        let share = ClusteredShare::new(one, 1000, 1.0);
        assert!(!share.is_above(1e-9, 0.05) && !share.is_below(0.999, 0.05));
    }

    #[test]
    fn intervals_of_ratios_cover_the_truth_under_waves() {
        let mut random = SplitMix64::new(11);
        let mut missed = 0;
        for _ in 0..400 {
            let mut wave = 0.0;
            let pairs: Vec<(f64, f64)> = (0..60)
                .map(|_| {
                    let step = random.below(1 << 20) as f64 / f64::from(1 << 20) - 0.5;
                    wave = 0.6 * wave + step;
                    (100.0 + 20.0 * wave, 1.0)
                })
                .collect();
            let (low, high) = of(&pairs).interval(0.05);
            missed += u32::from(!(low..=high).contains(&100.0));
        }
        assert!(missed <= 28, "{missed} of 400");
    }
}
