//! The trimmed mean: the mean of what is left when the same number of values is taken off both
//! ends.
//!
//! Source: Tukey and McLaughlin, "Less vulnerable confidence and significance procedures for
//! location based on a single sample: trimming/winsorization 1", Sankhya A 25 (1963). They take
//! off `n x share` values, rounded down, as R's `mean(trim =)` and `scipy.stats.trim_mean` do.
//! Here the number is rounded to the nearest and is at least 1 from three values on, because
//! rounding down takes nothing off fewer than ten values, and then a single stall sets the mean.
//! For ten, twenty, thirty values both rules agree.

/// A trimmed mean, and what was taken off.
#[derive(Clone, Debug, PartialEq)]
pub struct Trimmed {
    /// Mean of the values that were kept.
    pub mean: f64,
    /// Indices of the values taken off below, in ascending order of value.
    pub low: Vec<usize>,
    /// Indices of the values taken off above, in ascending order of value.
    pub high: Vec<usize>,
}

/// The number of values to take off each end of `n`, at a `share` of 0 to 0.5.
pub fn each_end(n: usize, share: f64) -> usize {
    if n < 3 || share <= 0.0 {
        return 0;
    }
    let nearest = libm::floor(n as f64 * share + 0.5) as usize;
    // At least one value is left.
    nearest.clamp(1, (n - 1) / 2)
}

/// The mean of `values` with a `share` of them taken off each end; `None` for nothing or for what
/// is no number. Of equal values the earlier counts as the smaller.
pub fn trimmed(values: &[f64], share: f64) -> Option<Trimmed> {
    if values.is_empty() || values.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let off = each_end(values.len(), share);
    let (low, rest) = order.split_at(off);
    let (kept, high) = rest.split_at(rest.len() - off);
    let sum: f64 = kept.iter().map(|i| values[*i]).sum();
    let mean = sum / kept.len() as f64;
    Some(Trimmed { mean, low: low.to_vec(), high: high.to_vec() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_or_two_values_are_never_taken_off() {
        assert_eq!(trimmed(&[], 0.1), None);
        assert_eq!(trimmed(&[1.0, f64::NAN], 0.1), None);
        assert_eq!(trimmed(&[1.0, 5.0], 0.1).unwrap().mean, 3.0);
        let ends = [2, 3, 8, 12, 14, 15, 20, 24, 25, 100].map(|n| each_end(n, 0.1));
        assert_eq!(ends, [0, 1, 1, 1, 1, 2, 2, 2, 3, 10]);
        assert_eq!((each_end(3, 0.5), each_end(4, 0.5), each_end(9, 0.0)), (1, 1, 0));
    }

    /// R: `x <- c(2, 0.5, 9, 3, 4, 4.5, 3.5, 2.5, -40, 3); mean(x, trim = 0.1)` is 2.875.
    #[test]
    fn ten_values_agree_with_r() {
        let values = [2.0, 0.5, 9.0, 3.0, 4.0, 4.5, 3.5, 2.5, -40.0, 3.0];
        let got = trimmed(&values, 0.1).unwrap();
        assert!((got.mean - 2.875).abs() < 1e-15, "{}", got.mean);
        assert_eq!((got.low, got.high), (vec![8], vec![2]));
    }

    proptest! {
        #[test]
        fn the_mean_ignores_how_far_out_the_ends_are(
            values in proptest::collection::vec(-10.0f64..10.0, 3..60),
            far in 100.0f64..1e9,
        ) {
            let calm = trimmed(&values, 0.1).unwrap();
            let mut wild = values.clone();
            calm.low.iter().for_each(|i| wild[*i] -= far);
            calm.high.iter().for_each(|i| wild[*i] += far);
            let got = trimmed(&wild, 0.1).unwrap();
            prop_assert!((got.mean - calm.mean).abs() < 1e-9);
        }

        #[test]
        fn the_mean_follows_a_shift_and_lies_within_the_values(
            values in proptest::collection::vec(-10.0f64..10.0, 1..60),
            shift in -5.0f64..5.0,
        ) {
            let got = trimmed(&values, 0.1).unwrap();
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(got.mean >= least - 1e-9 && got.mean <= most + 1e-9);
            prop_assert_eq!(got.low.len(), got.high.len());
            let moved: Vec<f64> = values.iter().map(|v| v + shift).collect();
            let again = trimmed(&moved, 0.1).unwrap();
            prop_assert!((again.mean - got.mean - shift).abs() < 1e-9);
        }
    }
}
