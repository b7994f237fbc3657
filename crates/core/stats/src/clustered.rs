//! Ratios and shares of what was observed in clusters, whose members are not independent.
//!
//! A ratio of sums over clusters has the variance of its linear residuals (Cochran, "Sampling
//! Techniques", 1977, 6.3), here allowing for correlation between neighbouring clusters
//! ([`super::autocorrelation::widening`]). A small share is tested by the binomial distribution at
//! the effective number of observations (Korn and Graubard, "Confidence intervals for proportions
//! with small expected number of positive counts estimated from survey data", Survey Methodology
//! 24, 1998).

use super::autocorrelation::{lag1, widening};
use super::{beta, student_t};

/// The sum of one thing over the sum of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusteredRatio {
    pub ratio: f64,
    /// Infinite with one cluster.
    pub standard_error: f64,
    pub clusters: u32,
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
        let correlated = lag1(&off).map_or(1.0, |found| widening(found.r, off.len() as u32));
        let standard_error = match off.len() {
            1 => f64::INFINITY,
            _ => libm::sqrt(n / (n - 1.0) * squares) / whole * correlated,
        };
        Some(ClusteredRatio { ratio, standard_error, clusters: off.len() as u32 })
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
        let found = if binomial > 0.0 { variance / binomial } else { 1.0 };
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
