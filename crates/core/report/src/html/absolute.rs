//! What each candidate did, in its own unit and not against another: the mean over blocks with its
//! interval.

use serde::Serialize;

use bakeoff_stats::student_t;

/// Share of intervals that may miss: 95 % hold the mean.
const ALPHA: f64 = 0.05;

/// A rate in the unit of its question.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Absolute {
    pub mid: f64,
    /// Ends of the interval of that mean; the mean itself where one block is all there is.
    pub low: f64,
    pub high: f64,
}

impl Absolute {
    /// Of one value a block; `None` without any. The interval is Student's, of the logarithms.
    pub fn from_values(values: impl Iterator<Item = f64>) -> Option<Absolute> {
        let logs: Vec<f64> = values.map(libm::log).collect();
        let n = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / n;
        if logs.is_empty() || !mean.is_finite() {
            return None;
        }
        let squares: f64 = logs.iter().map(|v| (v - mean) * (v - mean)).sum();
        let half = match logs.len() {
            1 => 0.0,
            _ => student_t::two_sided(ALPHA, n - 1.0) * libm::sqrt(squares / (n - 1.0) / n),
        };
        let [mid, low, high] = [mean, mean - half, mean + half].map(libm::exp);
        high.is_finite().then_some(Absolute { mid, low, high })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_student_s_of_the_logarithms() {
        // ln 1, ln e, ln e^2: mean 1, deviation 1, t(0.975, 2) = 4.302653.
        let e = libm::exp(1.0);
        let of = Absolute::from_values([1.0, e, e * e].into_iter()).unwrap();
        assert!((of.mid - e).abs() < 1e-12);
        let half = 4.302_652_729_911_275 / libm::sqrt(3.0);
        assert!((libm::log(of.high) - 1.0 - half).abs() < 1e-9, "{of:?}");
        assert!((libm::log(of.low) - 1.0 + half).abs() < 1e-9, "{of:?}");
    }

    #[test]
    fn one_block_has_no_interval_and_none_no_mean() {
        let one = Absolute::from_values([7.0].into_iter()).unwrap();
        assert_eq!((one.low, one.high), (one.mid, one.mid));
        assert_eq!(Absolute::from_values(std::iter::empty()), None);
        assert_eq!(Absolute::from_values([0.0, 5.0].into_iter()), None);
    }
}
