//! Whether a drive changed for certain since earlier checks of the same need.
//!
//! A weekly check is one of many chances for a false alarm, and figures of different weeks differ
//! by more than the interval of one check says: by temperature, by what is stored, by what else
//! runs. So a change is certain only where each of the latest checks lies outside what the earlier
//! ones let expect of one more of their kind ([`bakeoff_stats::level`]), on the same side, and by
//! more than a margin. One bad week is none. How often it is wrong is in docs/truth.md.

use bakeoff_model::fit::FitRating;
use bakeoff_stats::level::{Apart, Level};
use bakeoff_stats::sample;

/// Checks in a row that have to agree.
const AGREEING: usize = 3;
/// Checks just before those that are left out where there are enough others, so that a change is
/// not compared with itself when the first checks after it were not yet clear.
const LEFT_OUT: usize = 5;
/// Fewest earlier checks to compare with, and most: what is older says little about now.
const FEWEST: usize = 6;
const MOST: usize = 26;
/// Two-sided error rate of one check of all needs. All of a year's together are simulated.
const ALPHA: f64 = 0.02;
/// A change of less than this is none, whatever the noise: `ln 1.1`.
const MARGIN: f64 = 0.095_310_179_804_324_87;

/// What one check found, for the checks after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PastFit {
    /// When it was, nanoseconds since 1970.
    pub unix_ns: i64,
    /// In the unit of the need, above 0.
    pub estimate: f64,
}

/// A change that chance does not explain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CertainChange {
    /// The figure of the latest checks in units of that of the earlier ones.
    pub ratio: f64,
    /// Least and most that this ratio is.
    pub low: f64,
    pub high: f64,
    /// Checks that they were compared with.
    pub earlier: u32,
}

impl PastFit {
    /// `None` where the check found no figure.
    pub fn new(unix_ns: i64, rating: &FitRating) -> Option<PastFit> {
        let estimate = rating.estimate.filter(|figure| *figure > 0.0)?;
        Some(PastFit { unix_ns, estimate })
    }
}

/// Judges the latest of these checks, which are of one need on one place, in the order of time.
///
/// A change stays one for as many checks as the earlier ones are remembered. Each of the `needs`
/// that are checked at a time is a chance for a false alarm.
pub fn certain_change(checks: &[PastFit], needs: usize) -> Option<CertainChange> {
    let alpha = ALPHA / needs.max(1) as f64;
    let level =
        |check: &PastFit| Level { mean: libm::log(check.estimate), standard_error: 0.0, blocks: 2 };
    let (earlier, latest) = checks.split_at(checks.len().saturating_sub(AGREEING));
    let left_out = LEFT_OUT.min(earlier.len().saturating_sub(FEWEST));
    let earlier: Vec<Level> = earlier.iter().rev().skip(left_out).take(MOST).map(level).collect();
    if earlier.len() < FEWEST || latest.len() < AGREEING {
        return None;
    }
    let apart = |check: &PastFit| Some(Apart::new(&earlier, level(check))?.interval(alpha));
    let apart: Vec<_> = latest.iter().map(apart).collect::<Option<_>>()?;
    let is_slower = apart.iter().all(|interval| interval.high < -MARGIN);
    let is_quicker = apart.iter().all(|interval| interval.low > MARGIN);
    if !is_slower && !is_quicker {
        return None;
    }
    let mean = |of: fn(&bakeoff_stats::paired::Interval) -> f64| {
        sample::mean(&apart.iter().map(of).collect::<Vec<f64>>()).map(libm::exp)
    };
    Some(CertainChange {
        ratio: mean(|of| 0.5 * (of.low + of.high))?,
        low: mean(|of| of.low)?,
        high: mean(|of| of.high)?,
        earlier: earlier.len() as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks(figures: &[f64]) -> Vec<PastFit> {
        figures.iter().map(|f| PastFit { unix_ns: 0, estimate: *f }).collect()
    }

    #[test]
    fn a_change_is_certain_when_it_stays() {
        let steady = [10.0, 10.2, 9.9, 10.1, 10.0, 9.8, 10.1, 10.0];
        let then = |after: &[f64]| certain_change(&checks(&[&steady[..], after].concat()), 1);
        assert_eq!(then(&[]), None);
        assert_eq!((then(&[20.0]), then(&[20.0, 21.0])), (None, None));
        assert_eq!(then(&[20.0, 21.0, 10.0]), None);
        let found = then(&[20.0, 21.0, 20.5]).unwrap();
        assert!((found.ratio - 2.05).abs() < 0.05 && found.low > 1.8 && found.high < 2.4);
        assert!(then(&[5.0, 5.1, 4.9]).unwrap().high < 0.6);
        assert_eq!(then(&[10.8, 10.9, 10.8]), None, "within the margin");
    }

    #[test]
    fn few_checks_and_equal_ones_tell_nothing() {
        assert_eq!(certain_change(&checks(&[1.0, 1.0, 1.0, 9.0, 9.0, 9.0]), 1), None);
        assert_eq!(certain_change(&checks(&[3.0; 40]), 1), None);
        let tried = checks(&[&[3.0; 20][..], &[9.0; 3]].concat());
        assert!(certain_change(&tried, 1).is_some());
    }
}
