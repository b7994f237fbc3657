//! The interval of a quantile from order statistics: no distribution is assumed.
//!
//! Source: Conover, "Practical Nonparametric Statistics", 3rd edition, 1999, section 3.2: of `n`
//! independent values, the number below the quantile is binomial, so the values at two ranks hold
//! the quantile between them with a known probability. Checked against SciPy's
//! `quantile_test(...).confidence_interval`.

use super::beta;
use crate::stats::histogram::Histogram;

/// The ranks, from 1, between which the `q` quantile of `n` values lies with probability of at
/// least `1 - alpha`; `None` where even the smallest and the largest value cannot promise it.
pub fn ranks(n: u64, q: f64, alpha: f64) -> Option<(u64, u64)> {
    if n == 0 || !(0.0..1.0).contains(&q) || q == 0.0 || !(alpha > 0.0 && alpha < 1.0) {
        return None;
    }
    // The largest rank with P(fewer than rank below) within alpha/2, and its mirror image.
    let low = largest(n, |rank| cdf(rank - 1, n, q) <= alpha / 2.0)?;
    let high = smallest(n, |rank| 1.0 - cdf(rank - 1, n, q) <= alpha / 2.0)?;
    Some((low, high))
}

/// The interval of a histogram's `q` quantile in its own unit.
pub fn of_histogram(histogram: &Histogram, q: f64, alpha: f64) -> Option<(u64, u64)> {
    let (low, high) = ranks(histogram.total(), q, alpha)?;
    Some((at_rank(histogram, low)?, at_rank(histogram, high)?))
}

fn at_rank(histogram: &Histogram, rank: u64) -> Option<u64> {
    let mut seen = 0;
    histogram.buckets.iter().find_map(|(value, count)| {
        seen += count;
        (seen >= rank).then_some(*value)
    })
}

/// `P(X <= k)` of a binomial X: `n` trials of probability `q` (DLMF 8.17.5).
fn cdf(k: u64, n: u64, q: f64) -> f64 {
    if k >= n { 1.0 } else { beta::regularised(1.0 - q, (n - k) as f64, k as f64 + 1.0) }
}

/// The largest rank of 1 to `n` with `holds`, which holds up to some rank and not beyond.
fn largest(n: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    if !holds(1) {
        return None;
    }
    let (mut yes, mut no) = (1, n + 1);
    while no - yes > 1 {
        let middle = yes + (no - yes) / 2;
        if holds(middle) { yes = middle } else { no = middle }
    }
    Some(yes)
}

/// The smallest rank of 1 to `n` with `holds`, which holds from some rank on.
fn smallest(n: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    if !holds(n) {
        return None;
    }
    let (mut no, mut yes) = (0, n);
    while yes - no > 1 {
        let middle = no + (yes - no) / 2;
        if holds(middle) { yes = middle } else { no = middle }
    }
    Some(yes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::oracle;

    #[test]
    fn agrees_with_scipy() {
        let cases = oracle::fixture().quantile_ranks;
        assert!(cases.len() >= 30);
        for (n, q, alpha, want) in cases {
            assert_eq!(ranks(n, q, alpha), want, "n {n} q {q} alpha {alpha}");
        }
    }

    #[test]
    fn too_few_values_promise_nothing() {
        assert_eq!(ranks(10, 0.99, 0.05), None);
        assert_eq!(ranks(0, 0.5, 0.05), None);
        assert_eq!(ranks(100, 0.0, 0.05), None);
        assert_eq!(ranks(5, 0.5, 0.05), None, "five values: 93.75 % at most");
        assert_eq!(ranks(6, 0.5, 0.05), Some((1, 6)));
    }

    #[test]
    fn a_histogram_gives_its_own_values() {
        let h = Histogram { buckets: vec![(10, 3), (20, 3)] };
        assert_eq!(of_histogram(&h, 0.5, 0.05), Some((10, 20)));
        assert_eq!(of_histogram(&Histogram::default(), 0.5, 0.05), None);
    }
}
