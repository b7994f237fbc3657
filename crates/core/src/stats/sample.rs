//! Mean and standard deviation of a sample.
//!
//! Source: the two-pass algorithm with its correction term, Chan, Golub and LeVeque, "Algorithms
//! for computing the sample variance", The American Statistician 37 (1983).

/// Arithmetic mean; `None` for nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Standard deviation with `n - 1` in the denominator; `None` for fewer than two values.
pub fn sd(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values)?;
    let n = values.len() as f64;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    let rest: f64 = values.iter().map(|v| v - mean).sum();
    Some(libm::sqrt(((squares - rest * rest / n) / (n - 1.0)).max(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand_and_shifted_far_away() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(mean(&values), Some(5.0));
        assert!((sd(&values).unwrap() - libm::sqrt(32.0 / 7.0)).abs() < 1e-15);
        let far: Vec<f64> = values.iter().map(|v| v + 1e9).collect();
        assert!((sd(&far).unwrap() - sd(&values).unwrap()).abs() < 1e-9);
        assert_eq!((mean(&[]), sd(&[1.0])), (None, None));
    }
}
