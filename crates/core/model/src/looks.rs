//! The rules of each mode, and the arithmetic of several comparisons.
//!
//! Every look at the results is a chance to name a false winner, so alpha is spent on the looks
//! that a mode has (group-sequential analysis: Pocock, "Group sequential methods in the design and
//! analysis of clinical trials", Biometrika 64, 1977). How much each look gets was chosen by
//! simulation: a look after three blocks has almost nothing to say, one after four or five may
//! already end a run, and the last one decides what is left. Between two equal candidates of any
//! noise, all looks of a mode together name a false winner in 4.5 % of runs or less, and what is
//! left to 5 % is for looks after the last one: each time the blocks double, half of the rest (Lan
//! and DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70, 1983).

use super::protocol::{Isolation, Mode, Protocol};
use crate::uses::DriveUse;

/// Fewest blocks behind a statement where a protocol has no looks.
pub const FIRST_LOOK: u32 = 5;

const LEAST_BLOCKS: u32 = 3;

const QUICK: [(u32, f64); 6] =
    [(3, 0.006), (5, 0.012), (8, 0.010), (12, 0.010), (16, 0.010), (20, 0.010)];
const DECIDE: [(u32, f64); 9] = [
    (3, 0.001),
    (4, 0.007),
    (5, 0.012),
    (6, 0.010),
    (7, 0.007),
    (9, 0.006),
    (12, 0.006),
    (18, 0.006),
    (27, 0.013),
];
const PRECISE: [(u32, f64); 6] =
    [(5, 0.010), (6, 0.009), (8, 0.009), (12, 0.010), (18, 0.010), (27, 0.012)];

const AFTER: f64 = 0.005;

/// Twice the blocks so many times are more than anybody measures.
const MOST_DOUBLINGS: usize = 20;

const SECOND_NS: u64 = 1_000_000_000;

/// What the look of that number, from 0, has of alpha: one of `alphas`, then half of what is left
/// of `after` each time.
pub fn alpha_at(alphas: &[f64], after: f64, look: usize) -> f64 {
    alphas.get(look).copied().unwrap_or_else(|| {
        let doublings = look.saturating_sub(alphas.len()).min(MOST_DOUBLINGS);
        after / f64::from(2u32 << doublings)
    })
}

impl Protocol {
    /// The rules of `mode` for `candidates` (A/A twins not counted).
    pub fn for_mode(mode: Mode, candidates: u32) -> Protocol {
        let (tie_margin, looks, time_s): (f64, &[(u32, f64)], Option<u64>) = match mode {
            Mode::Quick => (0.10, &QUICK, Some(3 * 60)),
            Mode::Decide => (0.03, &DECIDE, Some(2 * 3600)),
            Mode::Precise => (0.02, &PRECISE, None),
            Mode::Characterise => (0.0, &[], None),
        };
        // SNIA's rounds are a minute for each pattern (PTS 2.0.2, IOPS test).
        let cell_min_s = if mode == Mode::Characterise { 60 } else { 2 };
        Protocol {
            mode,
            tie_margin,
            looks: looks.iter().map(|look| look.0).collect(),
            alpha: looks.last().map_or(0.0134, |look| look.1),
            alphas: looks.iter().map(|look| look.1).collect(),
            alpha_after: if looks.is_empty() { 0.0 } else { AFTER },
            k: candidates,
            time_ns: time_s.map(|s| s * SECOND_NS),
            cell_min_ns: cell_min_s * SECOND_NS,
            cell_max_ns: (mode == Mode::Quick).then_some(20 * SECOND_NS),
            cell_min_ios: 50,
            max_write_bytes: None,
            isolation: Isolation::default(),
            rounds: 0,
            slice_bytes: 0,
            drive_use: DriveUse::default(),
        }
    }

    /// Nominal two-sided alpha of one pair at the look of that number, from 0.
    pub fn alpha_at(&self, look: usize) -> f64 {
        alpha_at(&self.alphas, self.alpha_after, look)
    }

    /// Complete blocks at which the look of that number is due, from 0. After the last one of the
    /// mode they double.
    pub fn look_at(&self, look: usize) -> u32 {
        self.looks.get(look).copied().unwrap_or_else(|| {
            let doublings = (look.saturating_sub(self.looks.len()) + 1).min(MOST_DOUBLINGS);
            self.last_block().saturating_mul(1 << doublings)
        })
    }

    /// Pairs of candidates: every one of them may yield a false winner.
    pub fn pairs(&self) -> u64 {
        (u64::from(self.k) * u64::from(self.k.saturating_sub(1)) / 2).max(1)
    }

    pub fn alpha_pair(&self) -> f64 {
        self.alpha / self.pairs() as f64
    }

    /// Blocks after which nothing more is measured: those of the first look are enough where
    /// nothing is compared.
    pub fn most_blocks(&self, is_compared: bool) -> u32 {
        if is_compared { self.last_block() } else { self.first_look() }
    }

    /// Complete blocks after which nothing more is measured, unless more time is asked for.
    pub fn last_block(&self) -> u32 {
        self.looks.last().copied().unwrap_or(self.least_blocks()).max(self.least_blocks())
    }

    pub fn first_look(&self) -> u32 {
        self.looks.first().copied().unwrap_or(self.least_blocks()).max(self.least_blocks())
    }

    fn least_blocks(&self) -> u32 {
        if self.looks.is_empty() { FIRST_LOOK } else { LEAST_BLOCKS }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_stats::paired::Paired;
    use bakeoff_stats::prng::{NormalDeviates, SplitMix64};

    /// The share of `runs` runs of two equals in which an interval excludes 0 at any of the looks.
    fn false_winners(looks: &[u32], alphas: &[f64], runs: u32) -> f64 {
        let mut noise = NormalDeviates(SplitMix64::derive(20_261_123, &[looks.len() as u64]));
        let mut one = || {
            let last = looks.last().copied().unwrap_or(0);
            let d: Vec<f64> = (0..last).map(|_| noise.deviate()).collect();
            let at = |n: &u32| Paired::from_differences(&d[..*n as usize]).unwrap();
            looks.iter().zip(alphas).any(|(n, alpha)| at(n).interval(*alpha).excludes_zero())
        };
        let found: u32 = (0..runs).map(|_| u32::from(one())).sum();
        f64::from(found) / f64::from(runs)
    }

    #[test]
    fn the_looks_of_each_mode_name_a_false_winner_in_under_5_percent() {
        for mode in [Mode::Quick, Mode::Decide, Mode::Precise] {
            let Protocol { looks, alphas, .. } = Protocol::for_mode(mode, 2);
            let share = false_winners(&looks, &alphas, 20_000);
            assert!((0.02..0.05).contains(&share), "{}: {share}", mode.name());
        }
    }

    #[test]
    fn the_correction_counts_pairs() {
        let alpha = |k| Protocol::for_mode(Mode::Decide, k).alpha_pair();
        assert_eq!((alpha(1), alpha(2)), (0.013, 0.013));
        assert!((alpha(4) - 0.013 / 6.0).abs() < 1e-15);
    }
}
