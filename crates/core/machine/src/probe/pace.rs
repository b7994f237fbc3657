//! How fast the pieces of a test went, and whether that is certainly too slow.
//!
//! A drive that stalls, that cleans up because it is full, or that another program uses for a
//! moment is slow in some pieces and as fast as ever in the others. One that is slow by itself is
//! slow in all of them. So its quicker half is judged: the upper quartile of the pieces against a
//! limit that leaves room for what boards and cards of one kind differ by. How often that is wrong:
//! crates/truth/src/examination.rs, docs/truth.md.

use serde::Serialize;

/// Fewer pieces than these tell nothing.
pub const FEWEST_PIECES: usize = 12;
/// Below this share of what a mark promises, it is not kept.
pub const SHARE_OF_MARK: f64 = 0.85;
/// Bytes of other programs, as a share of ours, from which on nothing is called slow.
pub const FOREIGN_MAX: f64 = 0.05;

/// Rates of pieces that were measured alike, spread over time: bytes or operations a second.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PieceRates {
    rates: Vec<f64>,
}

/// Whether a pace is below a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaceVerdict {
    Reached,
    Below,
    /// It is below, and that says nothing about the drive: others used it meanwhile, or too little
    /// was measured.
    NotJudged,
}

impl PieceRates {
    /// Rates that are not finite and positive are left out.
    pub fn new(rates: impl IntoIterator<Item = f64>) -> PieceRates {
        let mut rates: Vec<f64> =
            rates.into_iter().filter(|rate| rate.is_finite() && *rate > 0.0).collect();
        rates.sort_by(f64::total_cmp);
        PieceRates { rates }
    }

    pub fn pieces(&self) -> usize {
        self.rates.len()
    }

    /// The middle piece and the interval that contains the true median with at least 95 %, by its
    /// ranks (the sign test turned round, with the normal approximation of the binomial); `None`
    /// for fewer than [`FEWEST_PIECES`].
    pub fn median(&self) -> Option<(f64, f64, f64)> {
        let n = self.rates.len();
        if n < FEWEST_PIECES {
            return None;
        }
        let low = ((n as f64 - 1.96 * libm::sqrt(n as f64)) / 2.0).max(1.0) as usize - 1;
        let middle = bakeoff_stats::sample::median(&self.rates)?;
        Some((middle, self.rates[low], self.rates[n - 1 - low]))
    }

    /// Judges the quicker half against `limit`. `foreign` is the share of bytes of other programs;
    /// `None` = not known, and then nothing is called slow.
    pub fn against(&self, limit: f64, foreign: Option<f64>) -> PaceVerdict {
        let n = self.rates.len();
        if n < FEWEST_PIECES {
            return PaceVerdict::NotJudged;
        }
        let is_reached = self.rates[n - 1 - n / 4] >= limit;
        match foreign {
            _ if is_reached => PaceVerdict::Reached,
            Some(share) if share <= FOREIGN_MAX => PaceVerdict::Below,
            Some(_) | None => PaceVerdict::NotJudged,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn stalls_and_others_make_no_drive_slow() {
        let steady = |rate: f64| (0..40).map(move |i| rate * (1.0 + f64::from(i % 5) / 50.0));
        let against = |rates: Vec<f64>, foreign| PieceRates::new(rates).against(100.0, foreign);
        assert_eq!(against(steady(100.0).collect(), Some(0.0)), PaceVerdict::Reached);
        assert_eq!(against(steady(70.0).collect(), Some(0.0)), PaceVerdict::Below);
        let stalled = steady(100.0).enumerate().map(|(i, r)| if i % 5 < 3 { r / 50.0 } else { r });
        assert_eq!(against(stalled.collect(), Some(0.0)), PaceVerdict::Reached);
        assert_eq!(against(steady(50.0).collect(), Some(0.5)), PaceVerdict::NotJudged);
        assert_eq!(against(steady(50.0).collect(), None), PaceVerdict::NotJudged);
        assert_eq!(against(steady(50.0).take(5).collect(), Some(0.0)), PaceVerdict::NotJudged);
        let odd = [f64::NAN, f64::INFINITY, 0.0, -1.0];
        assert_eq!(PieceRates::new(odd).pieces(), 0);
    }

    proptest! {
        #[test]
        fn the_interval_contains_the_median_and_a_quicker_drive_is_no_slower(
            rates in proptest::collection::vec(1.0..1e9, FEWEST_PIECES..80),
            limit in 1.0..1e9,
        ) {
            let pace = PieceRates::new(rates.iter().copied());
            let (middle, low, high) = pace.median().unwrap();
            prop_assert!(low <= middle && middle <= high);
            let quicker = PieceRates::new(rates.iter().map(|rate| rate * 2.0));
            if pace.against(limit, Some(0.0)) == PaceVerdict::Reached {
                prop_assert_eq!(quicker.against(limit, Some(0.0)), PaceVerdict::Reached);
            }
        }
    }
}
