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
//!
//! Runs that version 0.1 stored looked after 5, 8, 12, 18 and 27 blocks at nominal alpha 0.0134,
//! divided by all pairs (Bonferroni). They are analysed so.

use crate::model::protocol::{Isolation, Mode, Protocol, Rules};
use crate::model::thresholds::Thresholds;

/// Fewest complete blocks about which anything is said in runs of version 0.1.
pub const FIRST_LOOK: u32 = 5;

/// Looks of each mode, as complete blocks and nominal alpha.
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

/// What is left for looks after the last one of a mode.
const AFTER: f64 = 0.005;

/// Twice the blocks so many times are more than anybody measures.
const MOST_DOUBLINGS: usize = 20;

const SECOND_NS: u64 = 1_000_000_000;

impl Protocol {
    /// The rules of `mode` for `candidates` (A/A twins not counted).
    pub fn for_mode(mode: Mode, candidates: u32) -> Protocol {
        let (tie_margin, looks, time_s): (f64, &[(u32, f64)], Option<u64>) = match mode {
            Mode::Quick => (0.10, &QUICK, Some(3 * 60)),
            Mode::Decide => (0.03, &DECIDE, Some(2 * 3600)),
            Mode::Precise => (0.02, &PRECISE, None),
            Mode::Characterise => (0.0, &[], None),
        };
        Protocol {
            tie_margin,
            looks: looks.iter().map(|look| look.0).collect(),
            alpha: looks.last().map_or(0.0134, |look| look.1),
            alphas: looks.iter().map(|look| look.1).collect(),
            alpha_after: if looks.is_empty() { 0.0 } else { AFTER },
            time_ns: time_s.map(|s| s * SECOND_NS),
            rules: Rules::Lead,
            ..Protocol::of_version_0_1(mode, candidates)
        }
    }

    /// The rules of `mode` as version 0.1 had them.
    pub fn of_version_0_1(mode: Mode, candidates: u32) -> Protocol {
        let (tie_margin, looks, time_s, cell_max_s) = match mode {
            Mode::Quick => (0.10, vec![FIRST_LOOK, 8], Some(5 * 60), Some(20)),
            Mode::Decide => (0.03, vec![FIRST_LOOK, 8, 12, 18, 27], Some(2 * 3600), None),
            Mode::Precise => (0.02, vec![FIRST_LOOK, 8, 12, 18, 27], None, None),
            Mode::Characterise => (0.0, Vec::new(), None, None),
        };
        // SNIA's rounds are a minute for each pattern (PTS 2.0.2, IOPS test).
        let cell_min_s = if mode == Mode::Characterise { 60 } else { 2 };
        Protocol {
            mode,
            tie_margin,
            looks,
            alpha: 0.0134,
            alphas: Vec::new(),
            alpha_after: 0.0,
            k: candidates,
            time_ns: time_s.map(|s: u64| s * SECOND_NS),
            cell_min_ns: cell_min_s * SECOND_NS,
            cell_max_ns: cell_max_s.map(|s| s * SECOND_NS),
            cell_min_ios: 50,
            max_write_bytes: None,
            thresholds: Thresholds::default(),
            prove: false,
            precondition: None,
            rules: Rules::AllPairs,
            isolation: Isolation::default(),
            rounds: 0,
            slice_bytes: 0,
            weights: Vec::new(),
        }
    }

    /// Nominal two-sided alpha of one pair at the look of that number, from 0.
    pub fn alpha_at(&self, look: usize) -> f64 {
        if self.rules.is_all_pairs() {
            return self.alpha;
        }
        self.alphas.get(look).copied().unwrap_or_else(|| {
            let doublings = look.saturating_sub(self.alphas.len()).min(MOST_DOUBLINGS);
            self.alpha_after / f64::from(2u32 << doublings)
        })
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

    /// Nominal two-sided alpha of one pair on one workload at one look.
    pub fn alpha_pair(&self) -> f64 {
        self.alpha / self.pairs() as f64
    }

    /// Nominal alpha of one pair for a statement over `workloads` workloads together.
    pub fn alpha_headline(&self, workloads: usize) -> f64 {
        self.alpha_pair() / workloads.max(1) as f64
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

    /// Fewest blocks that an interval is made from.
    fn least_blocks(&self) -> u32 {
        if self.rules.is_all_pairs() || self.looks.is_empty() { FIRST_LOOK } else { 3 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prng::SplitMix64;
    use crate::simulate::disk::Normal;
    use crate::stats::oracle;
    use crate::stats::paired::Paired;

    /// Of `runs` runs of two equals those in which an interval excludes 0 at any of the looks.
    fn false_winners(looks: &[u32], alpha: f64, runs: u32) -> u32 {
        let mut noise = Normal(SplitMix64::derive(20_261_123, &[looks.len() as u64]));
        let mut one = || {
            let last = looks.last().copied().unwrap_or(0);
            let d: Vec<f64> = (0..last).map(|_| noise.deviate()).collect();
            let at = |n: &u32| Paired::from_differences(&d[..*n as usize]).unwrap().interval(alpha);
            looks.iter().any(|n| at(n).excludes_zero())
        };
        (0..runs).map(|_| u32::from(one())).sum()
    }

    #[test]
    fn looks_name_a_false_winner_as_often_as_numpy_says_and_in_under_5_percent() {
        let cases = oracle::fixture().looks;
        let looks = Protocol::of_version_0_1(Mode::Decide, 2).looks;
        let ours = cases.iter().find(|(l, alpha, ..)| (l, *alpha) == (&looks, 0.0134)).unwrap();
        assert!(f64::from(ours.3) / f64::from(ours.2) < 0.049, "{ours:?}");
        for (looks, alpha, runs, wrong) in cases {
            let (share, own_runs) = (f64::from(wrong) / f64::from(runs), 20_000);
            let own = f64::from(false_winners(&looks, alpha, own_runs)) / f64::from(own_runs);
            let error = (share * (1.0 - share) / f64::from(own_runs)).sqrt();
            assert!((own - share).abs() < 4.0 * error, "{looks:?} {alpha}: {own}, not {share}");
        }
    }

    #[test]
    fn the_correction_counts_pairs_and_workloads() {
        let alpha = |k| Protocol::of_version_0_1(Mode::Decide, k).alpha_pair();
        assert_eq!((alpha(1), alpha(2)), (0.0134, 0.0134));
        assert!((alpha(4) - 0.0134 / 6.0).abs() < 1e-15);
        let headline = Protocol::of_version_0_1(Mode::Decide, 4).alpha_headline(6);
        assert!((headline - 0.0134 / 36.0).abs() < 1e-15);
    }
}
