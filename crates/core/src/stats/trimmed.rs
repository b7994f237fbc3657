//! The mean of the middle: a share of the values is left out at both ends.
//!
//! Source: Tukey and McLaughlin, "Less vulnerable confidence and significance procedures for
//! location based on a single sample", Sankhya A 25 (1963).

/// The mean without the `share` (0 to below 0.5) of the values at each end, rounded up where there
/// are five values or more; `None` for none.
pub fn mean(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cut = match sorted.len() {
        0..5 => 0,
        n => (libm::ceil(share * n as f64) as usize).min((n - 1) / 2),
    };
    super::sample::mean(&sorted[cut..sorted.len() - cut])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_out_both_ends() {
        assert_eq!(mean(&[9.0, 1.0, 2.0, 3.0, -90.0], 0.1), Some(2.0));
        assert_eq!(mean(&[1.0, 2.0, 3.0, 90.0], 0.1), Some(24.0), "too few to leave any out");
        assert_eq!(mean(&[], 0.1), None);
        let ten: Vec<f64> = (0..10).map(f64::from).collect();
        assert_eq!(mean(&ten, 0.1), Some(4.5));
        assert_eq!(mean(&[1.0; 6], 0.49), Some(1.0));
    }
}
