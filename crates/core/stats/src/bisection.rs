//! The quantile of a distribution by bisection of its cumulative function.

/// Halvings at most; a binary fraction has no more digits before two neighbours are left.
const MOST_STEPS: u32 = 200;

/// The x between `low` and `high` at which `cdf`, which never falls, reaches `p`, as near as
/// `is_near` asks of the two ends.
pub fn quantile(
    cdf: impl Fn(f64) -> f64,
    p: f64,
    (mut low, mut high): (f64, f64),
    is_near: impl Fn(f64, f64) -> bool,
) -> f64 {
    for _ in 0..MOST_STEPS {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high || is_near(low, high) {
            break;
        }
        if cdf(middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn ends_near_the_quantile_or_between_neighbouring_numbers() {
        let square = |x: f64| x * x;
        let near = quantile(square, 0.5, (0.0, 1.0), |low, high| high - low < 0.01);
        assert!((near - 0.5f64.sqrt()).abs() < 0.01 && near != 0.5f64.sqrt(), "{near}");
        let exact = quantile(square, 0.5, (0.0, 1.0), |_, _| false);
        assert!((exact - 0.5f64.sqrt()).abs() < 1e-15, "{exact}");
    }
}
