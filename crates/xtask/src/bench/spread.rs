//! The median of a few values with the smallest and the largest.

/// A median with its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Middle value, or the mean of the two in the middle.
    pub median: f64,
    /// Smallest.
    pub low: f64,
    /// Largest.
    pub high: f64,
}

impl Spread {
    /// Of at least one value.
    pub fn from_values(values: impl IntoIterator<Item = f64>) -> Spread {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let (last, middle) = (values.len() - 1, values.len() / 2);
        let median = if values.len().is_multiple_of(2) {
            (values[middle - 1] + values[middle]) / 2.0
        } else {
            values[middle]
        };
        Spread { median, low: values[0], high: values[last] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_and_even_counts() {
        assert_eq!(
            Spread::from_values([3.0, 1.0, 2.0]),
            Spread { median: 2.0, low: 1.0, high: 3.0 }
        );
        assert_eq!(Spread::from_values([4.0, 1.0, 2.0, 3.0]).median, 2.5);
    }
}
