//! The trimmed mean: the mean of what is left when the same number of values is taken off both
//! ends.
//!
//! Source: Tukey and McLaughlin, "Less vulnerable confidence and significance procedures for
//! location based on a single sample: trimming/winsorization 1", Sankhya A 25 (1963). They take
//! off `n x share` values, rounded down, as R's `mean(trim =)` and `scipy.stats.trim_mean` do.
//! Here the number is rounded to the nearest and is at least 1 from three values on, because
//! rounding down takes nothing off fewer than ten values, and then a single stall sets the mean.
//! For ten, twenty, thirty values both rules agree.

/// The number of values to take off each end of `n`, at a `share` of 0 to 0.5.
fn each_end(n: usize, share: f64) -> usize {
    if n < 3 || share <= 0.0 {
        return 0;
    }
    let nearest = libm::floor(n as f64 * share + 0.5) as usize;
    // At least one value is left.
    nearest.clamp(1, (n - 1) / 2)
}

/// The mean of `values` with a `share` of them taken off each end; `None` for nothing or for what
/// is no number.
pub fn trimmed_mean(values: &[f64], share: f64) -> Option<f64> {
    if values.is_empty() || values.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let off = each_end(values.len(), share);
    let kept = &sorted[off..values.len() - off];
    Some(kept.iter().sum::<f64>() / kept.len() as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_or_two_values_are_never_taken_off() {
        assert_eq!(trimmed_mean(&[], 0.1), None);
        assert_eq!(trimmed_mean(&[1.0, f64::NAN], 0.1), None);
        assert_eq!(trimmed_mean(&[1.0, 5.0], 0.1), Some(3.0));
        let ends = [2, 3, 8, 12, 14, 15, 20, 24, 25, 100].map(|n| each_end(n, 0.1));
        assert_eq!(ends, [0, 1, 1, 1, 1, 2, 2, 2, 3, 10]);
        assert_eq!((each_end(3, 0.5), each_end(4, 0.5), each_end(9, 0.0)), (1, 1, 0));
    }

    /// R: `x <- c(2, 0.5, 9, 3, 4, 4.5, 3.5, 2.5, -40, 3); mean(x, trim = 0.1)` is 2.875.
    #[test]
    fn ten_values_agree_with_r() {
        let values = [2.0, 0.5, 9.0, 3.0, 4.0, 4.5, 3.5, 2.5, -40.0, 3.0];
        let got = trimmed_mean(&values, 0.1).unwrap();
        assert!((got - 2.875).abs() < 1e-15, "{got}");
    }

    proptest! {
        #[test]
        fn the_mean_ignores_how_far_out_the_ends_are(
            values in proptest::collection::vec(-10.0f64..10.0, 3..60),
            far in 100.0f64..1e9,
        ) {
            let calm = trimmed_mean(&values, 0.1).unwrap();
            let mut wild = values.clone();
            wild.sort_by(f64::total_cmp);
            let off = each_end(wild.len(), 0.1);
            wild[..off].iter_mut().for_each(|value| *value -= far);
            wild.iter_mut().rev().take(off).for_each(|value| *value += far);
            let got = trimmed_mean(&wild, 0.1).unwrap();
            prop_assert!((got - calm).abs() < 1e-9);
        }

        #[test]
        fn the_mean_follows_a_shift_and_lies_within_the_values(
            values in proptest::collection::vec(-10.0f64..10.0, 1..60),
            shift in -5.0f64..5.0,
        ) {
            let got = trimmed_mean(&values, 0.1).unwrap();
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(got >= least - 1e-9 && got <= most + 1e-9);
            let moved: Vec<f64> = values.iter().map(|v| v + shift).collect();
            let again = trimmed_mean(&moved, 0.1).unwrap();
            prop_assert!((again - got - shift).abs() < 1e-9);
        }
    }
}
