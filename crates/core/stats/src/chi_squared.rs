//! The chi-squared distribution: its lower tail and its quantile.
//!
//! Source: the regularised incomplete gamma function by its series (Abramowitz and Stegun 6.5.29)
//! and its continued fraction (6.5.31, by Lentz's method). Checked against SciPy to 1e-9.

use super::bisection;

const MOST_TERMS: u32 = 10_000;

/// `P(X <= x)` for `df` degrees of freedom.
pub fn cdf(x: f64, df: f64) -> f64 {
    if x.is_nan() || df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    if x <= 0.0 {
        return 0.0;
    }
    let (a, x) = (0.5 * df, 0.5 * x);
    let front = libm::exp(a * libm::log(x) - x - libm::lgamma(a));
    if x < a + 1.0 { front * series(a, x) } else { 1.0 - front * fraction(a, x) }
}

fn series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum) = (1.0 / a, 1.0 / a);
    for n in 1..=MOST_TERMS {
        term *= x / (a + f64::from(n));
        sum += term;
        if term < sum * 1e-16 {
            break;
        }
    }
    sum
}

fn fraction(a: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / away(b);
    let mut value = d;
    for n in 1..=MOST_TERMS {
        let n = f64::from(n);
        let an = -n * (n - a);
        b += 2.0;
        d = 1.0 / away(an * d + b);
        c = away(b + an / c);
        let step = c * d;
        value *= step;
        if (step - 1.0).abs() < 1e-16 {
            break;
        }
    }
    value
}

/// The x that is not exceeded with probability `p`; `p` in 0 to 1, both excluded.
pub fn quantile(p: f64, df: f64) -> f64 {
    if p.is_nan() || df.is_nan() || df <= 0.0 || !(0.0..1.0).contains(&p) {
        return f64::NAN;
    }
    if p == 0.0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, df.max(1.0));
    while cdf(high, df) < p {
        low = high;
        high *= 2.0;
    }
    bisection::quantile(|x| cdf(x, df), p, (low, high), |low, high| high - low <= 1e-14 * high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn tail_and_quantile_agree_with_scipy() {
        let cases = testing::boards().chi_squared;
        assert!(cases.len() >= 30);
        for (df, p, x) in cases {
            assert!((cdf(x, df) / p - 1.0).abs() < 1e-9, "cdf {x} {df}: {}", cdf(x, df));
            assert!((quantile(p, df) / x - 1.0).abs() < 1e-9, "{p} {df}: {}", quantile(p, df));
        }
    }

    #[test]
    fn edges() {
        assert_eq!((cdf(0.0, 3.0), quantile(0.0, 3.0)), (0.0, 0.0));
        assert!(cdf(1.0, 0.0).is_nan() && quantile(1.0, 2.0).is_nan());
        assert!((cdf(2.0, 2.0) - (1.0 - libm::exp(-1.0))).abs() < 1e-15);
    }
}
