//! Lag-1 autocorrelation of a candidate's own residuals, and whether chance explains it.
//!
//! What all candidates of a block have in common cancels in the paired difference; a slow wave of
//! one candidate alone does not, and makes its intervals too narrow. Source of the moments under
//! independence: Dufour and Roy, "Some robust exact results on sample autocorrelations and tests
//! of randomness", Journal of Econometrics 29 (1985), their normal case at lag 1. One-sided: a
//! negative correlation makes intervals too wide, which harms nobody.

use super::sample;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lag1 {
    /// The coefficient, -1 to 1.
    pub r: f64,
    /// Probability of one at least as large from independent noise (normal approximation).
    pub p: f64,
}

/// The coefficient and its p value; `None` for fewer than five values or no spread at all.
pub fn lag1(values: &[f64]) -> Option<Lag1> {
    if values.len() < 5 {
        return None;
    }
    let mean = sample::mean(values)?;
    let total: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    if total <= 0.0 {
        return None;
    }
    let r = values.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum::<f64>() / total;
    let (expected, sd) = moments(values.len() as f64);
    let p = 0.5 * libm::erfc((r - expected) / sd / core::f64::consts::SQRT_2);
    Some(Lag1 { r, p })
}

/// How many times as wide an interval over `n` values has to be when the coefficient may be as
/// large as one standard error above `r`: `sqrt((1 + rho) / (1 - rho))`, the factor of a
/// first-order autoregression (Bayley and Hammersley, "The effective number of independent
/// observations in an autocorrelated time series", Supplement to the Journal of the Royal
/// Statistical Society 8, 1946), with the bias of `r` taken off (Marriott and Pope, "Bias in the
/// estimation of autocorrelations", Biometrika 41, 1954). At least 1; `rho` is held below 0.95.
pub fn widening(r: f64, n: u32) -> f64 {
    let n = f64::from(n.max(4));
    let unbiased = (n * r + 1.0) / (n - 3.0);
    let rho = (unbiased + 1.0 / libm::sqrt(n)).clamp(0.0, 0.95);
    libm::sqrt((1.0 + rho) / (1.0 - rho))
}

/// Mean and standard deviation of the coefficient of `n` independent normal values.
fn moments(n: f64) -> (f64, f64) {
    let top = n * n * n * n - 4.0 * n * n * n + 3.0 * n * n + 4.0 * n - 4.0;
    let variance = top / ((n + 1.0) * n * n * (n - 1.0) * (n - 1.0));
    (-1.0 / n, libm::sqrt(variance))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prng::SplitMix64;

    fn normal(g: &mut SplitMix64) -> f64 {
        // Sum of twelve uniforms: mean 6, variance 1.
        (0..12).map(|_| g.below(1 << 53) as f64 / (1u64 << 53) as f64).sum::<f64>() - 6.0
    }

    #[test]
    fn a_slow_wave_is_found_and_an_alternation_is_not() {
        let wave: Vec<f64> = (0..18).map(|i| libm::sin(f64::from(i) / 3.0)).collect();
        let found = lag1(&wave).unwrap();
        assert!(found.r > 0.7 && found.p < 0.001, "{found:?}");
        let turns: Vec<f64> = (0..18).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        assert!(lag1(&turns).unwrap().p > 0.99);
        assert_eq!(lag1(&[1.0; 9]), None);
        assert_eq!(lag1(&[1.0, 2.0, 3.0, 4.0]), None);
    }

    #[test]
    fn an_interval_is_widened_by_the_wave_and_by_what_is_not_known_of_it() {
        assert!((widening(0.6, 1_000_000) - 2.0).abs() < 0.01, "sqrt(1.6 / 0.4)");
        assert!(widening(0.6, 12) > widening(0.6, 27) && widening(0.6, 27) > 2.0);
        assert_eq!(widening(-0.9, 27), 1.0);
        assert!((widening(1.0, 5) - libm::sqrt(39.0)).abs() < 1e-12);
    }

    #[test]
    fn moments_and_level_hold_for_independent_noise() {
        for n in [5, 8, 12, 27] {
            let mut g = SplitMix64::new(n);
            let found: Vec<Lag1> = (0..4000)
                .map(|_| lag1(&(0..n).map(|_| normal(&mut g)).collect::<Vec<_>>()).unwrap())
                .collect();
            let r: Vec<f64> = found.iter().map(|f| f.r).collect();
            let (expected, sd) = moments(n as f64);
            assert!((sample::mean(&r).unwrap() - expected).abs() < 0.02, "mean at n {n}");
            assert!((sample::sd(&r).unwrap() / sd - 1.0).abs() < 0.05, "sd at n {n}");
            let fired = found.iter().filter(|f| f.p < 0.01).count();
            assert!(fired <= 60, "{fired} of 4000 at n {n}");
        }
    }
}
