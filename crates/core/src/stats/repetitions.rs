//! How often to repeat at each level of an experiment (windows in a cell, cells in a block, blocks)
//! so that a given time buys the narrowest interval.
//!
//! Source: Kalibera and Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, in its
//! revised version: at level i below the highest `r_i = ceil(sqrt(c_{i+1}/c_i * T_i^2/T_{i+1}^2))`,
//! with `T_1^2 = S_1^2` and `T_i^2 = S_i^2 - S_{i-1}^2 / r_{i-1}`; the first print had `T_{i-1}^2`
//! in the last term, which the authors corrected. `c_i` is what one repetition at level i costs,
//! `S_i^2` the variance of the means below, averaged. Level 1 is the innermost.

use super::sample;

/// The two lowest levels of a pilot: several groups of equally many values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Components {
    /// Variance inside a group, `T_1^2`.
    pub inner: f64,
    /// What groups vary by on top of that, `T_2^2`; below 0 where they vary less than chance.
    pub outer: f64,
}

/// Variance components of at least two groups of equally many (two or more) values.
pub fn components(groups: &[Vec<f64>]) -> Option<Components> {
    let size = groups.first()?.len();
    if groups.len() < 2 || size < 2 || groups.iter().any(|g| g.len() != size) {
        return None;
    }
    let variance = |values: &[f64]| sample::sd(values).map(|sd| sd * sd);
    let inside: Vec<f64> = groups.iter().filter_map(|g| variance(g)).collect();
    let means: Vec<f64> = groups.iter().filter_map(|g| sample::mean(g)).collect();
    let inner = sample::mean(&inside)?;
    Some(Components { inner, outer: variance(&means)? - inner / size as f64 })
}

/// Repetitions at one level: `cost` of one there, `cost_above` of one at the level above, and the
/// variance components of the two. At least 1; `None` where the level above does not vary at all:
/// then everything is repeated here and nothing there.
pub fn best(cost: f64, cost_above: f64, variance: f64, variance_above: f64) -> Option<u32> {
    if !(cost > 0.0 && cost_above > 0.0 && variance >= 0.0 && variance_above > 0.0) {
        return None;
    }
    let ideal = libm::ceil(libm::sqrt(cost_above / cost * (variance / variance_above)));
    Some(ideal.clamp(1.0, f64::from(u32::MAX)) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::oracle;

    #[test]
    fn a_minute_of_set_up_and_windows_of_five_seconds_ask_for_seven_windows() {
        // sd of a window 4 %, of a cell 2 %: ceil(sqrt(60/5 * (4/2)^2)).
        assert_eq!(best(5.0, 60.0, 0.04 * 0.04, 0.02 * 0.02), Some(7));
        assert_eq!(best(1.0, 1.0, 0.0, 1.0), Some(1));
        assert_eq!(best(1.0, 1.0, 1.0, 0.0), None);
        assert_eq!(best(1.0, 1.0, 1.0, -0.1), None);
        assert_eq!(best(0.0, 1.0, 1.0, 1.0), None);
    }

    #[test]
    fn components_agree_with_numpy() {
        let cases = oracle::fixture().components;
        assert!(cases.len() >= 5);
        for (groups, inner, outer) in cases {
            let got = components(&groups).unwrap();
            let off = (got.inner - inner).abs().max((got.outer - outer).abs());
            assert!(off < 1e-12, "{got:?}, not {inner} and {outer}");
        }
        assert_eq!(components(&[vec![1.0, 2.0]]), None);
        assert_eq!(components(&[vec![1.0, 2.0], vec![1.0]]), None);
    }
}
