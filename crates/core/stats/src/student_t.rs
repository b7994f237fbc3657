//! Student's t distribution: its upper tail and the quantile that makes an interval.
//!
//! Source: Student, "The probable error of a mean", Biometrika 6 (1908); the tail as an incomplete
//! beta function after Abramowitz and Stegun 26.5.27. Checked against SciPy to 1e-9.

use super::beta;

/// `P(T > t)` for `df` degrees of freedom.
pub fn upper_tail(t: f64, df: f64) -> f64 {
    let half = 0.5 * beta::regularised(df / (df + t * t), 0.5 * df, 0.5);
    if t >= 0.0 { half } else { 1.0 - half }
}

/// The t that a |T| exceeds with probability `alpha`: half-width of a two-sided interval in
/// standard errors. `alpha` in 0 to 1, both excluded; infinite for `alpha` 0, 0 for `alpha` 1.
pub fn two_sided(alpha: f64, df: f64) -> f64 {
    if alpha.is_nan() || df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    if alpha <= 0.0 {
        return f64::INFINITY;
    }
    if alpha >= 1.0 {
        return 0.0;
    }
    let goal = 0.5 * alpha;
    let (mut low, mut high) = (0.0, 1.0);
    while upper_tail(high, df) > goal {
        low = high;
        high *= 2.0;
    }
    // Newton's step where it stays inside the bracket, bisection where it does not.
    let mut t = 0.5 * (low + high);
    for _ in 0..200 {
        let tail = upper_tail(t, df);
        if tail > goal {
            low = t;
        } else {
            high = t;
        }
        let newton = t + (tail - goal) / density(t, df);
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - t).abs() <= 1e-14 * t {
            return next;
        }
        t = next;
    }
    t
}

fn density(t: f64, df: f64) -> f64 {
    let ln_scale = libm::lgamma(0.5 * (df + 1.0))
        - libm::lgamma(0.5 * df)
        - 0.5 * libm::log(df * core::f64::consts::PI);
    libm::exp(ln_scale - 0.5 * (df + 1.0) * libm::log1p(t * t / df))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Fixture {
        cdf: Vec<(f64, f64, f64)>,
        two_sided: Vec<(f64, f64, f64)>,
    }

    fn scipy() -> Fixture {
        let text = include_str!("../../../../fixtures/stats/student_t.json");
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn tail_agrees_with_scipy() {
        let fixture = scipy();
        assert!(fixture.cdf.len() >= 100);
        for (df, t, want) in fixture.cdf {
            let got = upper_tail(-t, df);
            assert!((got - want).abs() <= 1e-9 * want, "df {df} t {t}: {got} against {want}");
        }
    }

    #[test]
    fn quantile_agrees_with_scipy() {
        let fixture = scipy();
        assert!(fixture.two_sided.len() >= 100);
        for (df, alpha, want) in fixture.two_sided {
            let got = two_sided(alpha, df);
            assert!((got - want).abs() <= 1e-9 * want, "df {df} alpha {alpha}: {got}, not {want}");
        }
    }

    #[test]
    fn edges() {
        assert_eq!(two_sided(0.0, 4.0), f64::INFINITY);
        assert_eq!(two_sided(1.0, 4.0), 0.0);
        assert!(two_sided(f64::NAN, 4.0).is_nan() && two_sided(0.05, 0.0).is_nan());
        assert_eq!(upper_tail(0.0, 7.0), 0.5);
    }
}
