//! Mean and standard deviation of a sample.
//!
//! Source: the two-pass algorithm with its correction term, Chan, Golub and LeVeque, "Algorithms
//! for computing the sample variance", The American Statistician 37 (1983).

/// Arithmetic mean; `None` for nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The smallest and the largest value; `None` for nothing.
pub fn range(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let ends = values.into_iter().map(|value| (value, value));
    ends.reduce(|(low, high), (value, _)| (low.min(value), high.max(value)))
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

/// Standard error of the mean; `None` for fewer than two values.
pub fn standard_error(values: &[f64]) -> Option<f64> {
    sd(values).map(|sd| sd / libm::sqrt(values.len() as f64))
}

/// The middle value, or the mean of the two middle ones; `None` for nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

/// Ranks from 1; equal values share the mean of theirs.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    for group in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let before = values.iter().filter(|v| **v < values[group[0]]).count();
        let shared = before as f64 + (group.len() as f64 + 1.0) / 2.0;
        group.iter().for_each(|i| ranks[*i] = shared);
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_and_medians_with_ties() {
        let values = [3.0, 1.0, 3.0, 2.0];
        assert_eq!(ranks(&values), [3.5, 1.0, 3.5, 2.0]);
        assert_eq!(
            (median(&values), median(&values[..3]), median(&[])),
            (Some(2.5), Some(3.0), None)
        );
    }

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
