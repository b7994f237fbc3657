//! The signed-rank test of Wilcoxon: whether differences lie around zero, without assuming their
//! distribution to be normal, only symmetric.
//!
//! Source: Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945);
//! zeros are left out, ties get their mean rank. Exact without ties up to [`EXACT_MOST`] values,
//! else the normal approximation with the correction for ties and for continuity (Lehmann,
//! "Nonparametrics", 1975). Checked against R's `wilcox.test`.

/// Most values for which the distribution is counted out.
pub const EXACT_MOST: usize = 50;

/// Two-sided p value that differences as far from zero arise by chance; `None` when all are zero
/// or there are none. With n values it is never below `2 / 2^n`.
pub fn p_two_sided(differences: &[f64]) -> Option<f64> {
    let kept: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    let n = kept.len();
    if n == 0 || kept.iter().any(|d| !d.is_finite()) {
        return None;
    }
    let sizes: Vec<f64> = kept.iter().map(|d| d.abs()).collect();
    let ranks = super::sample::ranks(&sizes);
    let positive: f64 = kept.iter().zip(&ranks).filter(|(d, _)| **d > 0.0).map(|(_, r)| r).sum();
    let ties = super::sample::tie_sizes(&sizes);
    let has_ties = ties.iter().any(|t| *t > 1) || n < differences.len();
    if n <= EXACT_MOST && !has_ties {
        let total = (n * (n + 1) / 2) as f64;
        let counts = counts(n);
        let least = positive.min(total - positive) as usize;
        let tail: f64 = counts[..=least].iter().sum();
        let all: f64 = counts.iter().sum();
        return Some((2.0 * tail / all).min(1.0));
    }
    let m = n as f64;
    let tied: f64 = ties.iter().map(|t| (t * t * t - t) as f64).sum();
    let variance = m * (m + 1.0) * (2.0 * m + 1.0) / 24.0 - tied / 48.0;
    let away = ((positive - m * (m + 1.0) / 4.0).abs() - 0.5).max(0.0);
    Some(libm::erfc(away / libm::sqrt(variance) / core::f64::consts::SQRT_2))
}

/// In how many of the `2^n` ways to choose signs the positive ranks sum to 0, 1, 2, …; exact up to
/// 2^53 in each entry, which 50 ranks do not reach.
pub fn counts(n: usize) -> Vec<f64> {
    let mut counts = vec![0.0; n * (n + 1) / 2 + 1];
    counts[0] = 1.0;
    let mut reached = 0;
    for rank in 1..=n {
        reached += rank;
        for sum in (rank..=reached).rev() {
            counts[sum] += counts[sum - rank];
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::oracle;

    #[test]
    fn agrees_with_r() {
        let cases = oracle::fixture().wilcoxon;
        assert!(cases.len() >= 20);
        for (differences, want) in cases {
            let got = p_two_sided(&differences).unwrap();
            assert!((got - want).abs() <= 1e-9, "{differences:?}: {got}, not {want}");
        }
    }

    #[test]
    fn five_differences_can_never_be_certain() {
        assert_eq!(p_two_sided(&[1.0, 2.0, 3.0, 4.0, 5.0]), Some(2.0 / 32.0));
        assert_eq!((p_two_sided(&[0.0, 0.0]), p_two_sided(&[])), (None, None));
        assert_eq!(counts(3), [1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0]);
    }
}
