//! The bootstrap over blocks: what the mean difference would have been, had the blocks fallen
//! otherwise.
//!
//! Source: Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7
//! (1979), percentile interval; the unit that is drawn is the block, never a single operation,
//! because those of one block resemble each other. With `length` above 1 runs of neighbouring
//! blocks are drawn instead (circular block bootstrap: Politis and Romano, 1992), which keeps a
//! slow wave in. Seeded: the same differences give the same interval everywhere.

use super::paired::Interval;
use super::sample;
use crate::prng::SplitMix64;

/// Most draws.
pub const MOST_DRAWS: u32 = 20_000;

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draws {
    /// How many new samples; at most [`MOST_DRAWS`].
    pub count: u32,
    /// Neighbouring blocks drawn together; 1 = each by itself.
    pub length: usize,
    /// Where the random numbers start.
    pub seed: u64,
}

/// The percentile interval of the mean of `differences` at `alpha`, two-sided; `None` for fewer
/// than two differences or no draws.
pub fn interval(differences: &[f64], alpha: f64, draws: Draws) -> Option<Interval> {
    let n = differences.len();
    let count = draws.count.min(MOST_DRAWS);
    if n < 2 || count == 0 || draws.length == 0 || differences.iter().any(|d| !d.is_finite()) {
        return None;
    }
    let mut random = SplitMix64::derive(draws.seed, &[0x626f_6f74, n as u64]);
    let mut means: Vec<f64> = (0..count)
        .map(|_| {
            let mut drawn = Vec::with_capacity(n);
            while drawn.len() < n {
                let start = random.below(n as u64) as usize;
                let run = (0..draws.length).map(|i| differences[(start + i) % n]);
                drawn.extend(run.take(n - drawn.len()));
            }
            sample::mean(&drawn).unwrap_or(0.0)
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let rank = libm::ceil(share * f64::from(count)).clamp(1.0, f64::from(count));
        means[rank as usize - 1]
    };
    Some(Interval { low: at(alpha / 2.0), high: at(1.0 - alpha / 2.0) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::oracle;

    const DRAWS: Draws = Draws { count: 20_000, length: 1, seed: 5 };

    #[test]
    fn agrees_with_all_samples_there_are() {
        // The fixture counts out all n^n samples of small n.
        let cases = oracle::fixture().bootstrap;
        assert!(cases.len() >= 5);
        for (differences, alpha, low, high) in cases {
            let got = interval(&differences, alpha, DRAWS).unwrap();
            let spread = sample::sd(&differences).unwrap();
            let off = (got.low - low).abs().max((got.high - high).abs());
            assert!(off < 0.05 * spread, "{differences:?} {alpha}: {got:?}, not {low} to {high}");
        }
    }

    #[test]
    fn runs_of_neighbours_keep_a_slow_wave() {
        let wave: Vec<f64> = (0..24).map(|i| libm::sin(f64::from(i) / 4.0)).collect();
        let width = |length| {
            let i = interval(&wave, 0.05, Draws { length, count: 2000, seed: 1 }).unwrap();
            i.high - i.low
        };
        assert!(width(6) > 1.5 * width(1), "{} {}", width(6), width(1));
    }

    #[test]
    fn repeatable_and_bounded() {
        let d = [0.1, 0.2, 0.4];
        assert_eq!(interval(&d, 0.05, DRAWS), interval(&d, 0.05, DRAWS));
        assert_eq!(interval(&d[..1], 0.05, DRAWS), None);
        assert_eq!(interval(&d, 0.05, Draws { count: 0, ..DRAWS }), None);
        assert_eq!(interval(&d, 0.05, Draws { length: 0, ..DRAWS }), None);
        let many = Draws { count: u32::MAX, ..DRAWS };
        assert_eq!(interval(&d, 0.05, many), interval(&d, 0.05, DRAWS));
    }
}
