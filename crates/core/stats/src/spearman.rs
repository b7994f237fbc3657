//! Spearman's rank correlation: whether one thing grows with another, on whatever scale.
//!
//! Source: Spearman, "The proof and measurement of association between two things", American
//! Journal of Psychology 15 (1904); ties get their mean rank; p by Student's t (Kendall and Stuart,
//! "The Advanced Theory of Statistics", volume 2), which is what SciPy's `spearmanr` gives.

use super::{sample, student_t};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spearman {
    /// -1 to 1.
    pub rho: f64,
    pub p: f64,
}

/// The correlation of two series of equal length; `None` for fewer than four pairs or where one of
/// them is constant.
pub fn spearman(x: &[f64], y: &[f64]) -> Option<Spearman> {
    let n = x.len();
    if n != y.len() || n < 4 || x.iter().chain(y).any(|v| !v.is_finite()) {
        return None;
    }
    let (a, b) = (sample::ranks(x), sample::ranks(y));
    let middle = (n as f64 + 1.0) / 2.0;
    let product = |p: &[f64], q: &[f64]| -> f64 {
        p.iter().zip(q).map(|(u, v)| (u - middle) * (v - middle)).sum()
    };
    let scale = libm::sqrt(product(&a, &a) * product(&b, &b));
    if scale == 0.0 {
        return None;
    }
    let rho = (product(&a, &b) / scale).clamp(-1.0, 1.0);
    let df = n as f64 - 2.0;
    let left = (1.0 - rho) * (1.0 + rho);
    let p = if left > 0.0 {
        2.0 * student_t::upper_tail((rho * libm::sqrt(df / left)).abs(), df)
    } else {
        0.0
    };
    Some(Spearman { rho, p })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn agrees_with_scipy() {
        let cases = testing::fixture().spearman;
        assert!(cases.len() >= 10);
        for (x, y, rho, p) in cases {
            let got = spearman(&x, &y).unwrap();
            assert!(
                (got.rho - rho).abs() <= 1e-12 && (got.p - p).abs() <= 1e-9,
                "{got:?}: {rho} {p}"
            );
        }
    }

    #[test]
    fn edges() {
        let up = [1.0, 2.0, 3.0, 10.0];
        assert_eq!(spearman(&up, &up), Some(Spearman { rho: 1.0, p: 0.0 }));
        assert_eq!(spearman(&up, &[1.0; 4]), None);
        assert_eq!(spearman(&up[..3], &up[..3]), None);
        assert_eq!(spearman(&up, &[f64::NAN; 4]), None);
    }
}
