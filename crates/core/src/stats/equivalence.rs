//! Two one-sided tests (TOST): whether a difference is shown to be smaller than a margin.
//!
//! Source: Schuirmann, "A comparison of the two one-sided tests procedure and the power approach",
//! Journal of Pharmacokinetics and Biopharmaceutics 15 (1987). A tie is a claim and needs evidence:
//! "no difference was found" is none. Verdicts use the stricter rule that the whole two-sided
//! interval lies inside the margin (alpha/2 a side instead of alpha); this p value says how clear a
//! tie is.

use super::paired::Paired;
use super::student_t;

/// The p value of "the difference is as large as `bound` or larger, either way"; small means shown
/// to be smaller. `bound` on the logarithmic scale, above 0.
pub fn p_value(paired: &Paired, bound: f64) -> f64 {
    let n = f64::from(paired.blocks);
    let error = paired.sd / libm::sqrt(n);
    if error == 0.0 {
        return if paired.mean.abs() < bound { 0.0 } else { 1.0 };
    }
    let above = student_t::upper_tail((paired.mean + bound) / error, n - 1.0);
    let below = student_t::upper_tail((bound - paired.mean) / error, n - 1.0);
    above.max(below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::oracle;

    #[test]
    fn agrees_with_scipy() {
        let cases = oracle::fixture().tost;
        assert!(cases.len() >= 20);
        for (differences, bound, want) in cases {
            let got = p_value(&Paired::of(&differences).unwrap(), bound);
            assert!((got - want).abs() <= 1e-9, "{differences:?}: {got}, not {want}");
        }
    }

    #[test]
    fn an_interval_inside_the_margin_is_shown_by_both_tests() {
        let paired = Paired::of(&[0.01, -0.01, 0.005, 0.0, -0.004, 0.002]).unwrap();
        let bound = libm::log1p(0.03);
        assert!(paired.interval(0.0134).is_inside(0.03));
        assert!(p_value(&paired, bound) < 0.0134 / 2.0);
        let same = Paired { blocks: 5, mean: 0.0, sd: 0.0 };
        assert_eq!(
            (p_value(&same, 0.01), p_value(&Paired { mean: 0.1, ..same }, 0.01)),
            (0.0, 1.0)
        );
    }
}
