//! The steady-state test of the SNIA Solid State Storage Performance Test Specification: the last
//! five rounds lie within 20 % of their mean, and the line through them rises or falls by at most
//! 10 % of it.
//!
//! Source: SNIA, "Solid State Storage (SSS) Performance Test Specification (PTS)" 2.0.2, 2020,
//! definition 2.1.24.

use super::sample;

pub const ROUNDS: usize = 5;
pub const MOST_ROUNDS: usize = 25;
/// Most that largest and smallest may differ, as a share of the mean.
pub const RANGE: f64 = 0.20;
/// Most that the fitted line may rise or fall over the rounds, as a share of the mean.
pub const SLOPE: f64 = 0.10;

/// In what mode characterise is not the test whose rule for steady it takes.
/// Source: the same, workload independent preconditioning.
pub const UNLIKE_SNIA: &str = "Unlike SNIA's test, bakeoff does not write twice the capacity \
                               sequentially in 128 KiB blocks before the first round.";

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steadiness {
    /// Largest minus smallest, as a share of the mean.
    pub range: f64,
    /// Rise of the least-squares line over the rounds, without its sign, as a share of the mean.
    pub slope: f64,
}

impl Steadiness {
    /// Whether both limits hold.
    pub fn is_steady(self) -> bool {
        self.range <= RANGE && self.slope <= SLOPE
    }
}

/// Looks at the last [`ROUNDS`] of `rounds` (rates, above 0); `None` for fewer.
pub fn steadiness(rounds: &[f64]) -> Option<Steadiness> {
    let last = rounds.get(rounds.len().checked_sub(ROUNDS)?..)?;
    let mean = sample::mean(last).filter(|m| *m > 0.0)?;
    let (low, high) = sample::range(last.iter().copied())?;
    let middle = (ROUNDS as f64 - 1.0) / 2.0;
    let (mut over, mut under) = (0.0, 0.0);
    for (i, y) in last.iter().enumerate() {
        let x = i as f64 - middle;
        over += x * (y - mean);
        under += x * x;
    }
    let rise = over / under * (ROUNDS as f64 - 1.0);
    Some(Steadiness { range: (high - low) / mean, slope: rise.abs() / mean })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn agrees_with_numpy() {
        let cases = testing::fixture().steady_state;
        assert!(cases.len() >= 10);
        for (rounds, range, slope) in cases {
            let got = steadiness(&rounds).unwrap();
            let off = (got.range - range).abs().max((got.slope - slope).abs());
            assert!(off < 1e-12, "{rounds:?}: {got:?}, not {range} and {slope}");
        }
    }

    #[test]
    fn the_limits_are_inclusive_and_both_count() {
        // 100 +- 10: range exactly 20 %; the line through it is flat.
        assert!(steadiness(&[90.0, 110.0, 100.0, 110.0, 90.0]).unwrap().is_steady());
        assert!(!steadiness(&[89.9, 110.0, 100.0, 110.0, 89.9]).unwrap().is_steady());
        // A line that falls by 11 % has a range of 11 % only.
        assert!(!steadiness(&[105.5, 102.75, 100.0, 97.25, 94.5]).unwrap().is_steady());
        assert_eq!(steadiness(&[1.0; 4]), None);
        assert_eq!(steadiness(&[0.0; 5]), None);
    }
}
