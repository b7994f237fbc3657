//! What others do, on the same disks: candidate after candidate in a fixed order.
//!
//! Each rule first decides as it does ("as it is"), then with a threshold of its own that makes it
//! wrong in 5 % of runs between equals on this very disk ("at equal error"), which nobody who
//! measures can know: it shows what the rule could see at best.

use serde::Serialize;

use super::disk::{Disk, Use};
use crate::prng::SplitMix64;
use crate::stats::sample;
use crate::stats::student_t;

/// A way to find a winner among candidates measured one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// So many runs of each, the higher mean wins.
    Means(usize),
    /// Each is run until the standard deviation is at most 2.5 % of the mean (3 runs at least, 12
    /// at most), then the higher mean wins.
    Deviation,
    /// Ten runs of each, Welch's t test at 5 %.
    TTest,
}

/// Every rule.
pub const RULES: [Rule; 4] = [Rule::Means(1), Rule::Means(3), Rule::Deviation, Rule::TTest];

/// How a rule did on one disk between two candidates. Counts of runs, cells as means.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rivalry {
    /// The disk, in words.
    pub disk: String,
    /// The rule, in words.
    pub rule: String,
    /// Runs played, on equals and on the gap each.
    pub runs: u32,
    /// How far the second candidate is behind where there is a gap, percent.
    pub gap_percent: f64,
    /// Winners between equals, as it is.
    pub false_winner: u32,
    /// Right winners at the gap, as it is.
    pub right_winner: u32,
    /// Right winners at the gap, at equal error.
    pub right_at_equal_error: u32,
    /// Cells of a run.
    pub cells_used: f64,
}

impl Rivalry {
    /// A count as a share of the runs.
    pub fn share(&self, count: u32) -> f64 {
        f64::from(count) / f64::from(self.runs.max(1))
    }
}

impl Rule {
    /// In words.
    pub fn words(self) -> String {
        match self {
            Rule::Means(1) => "1 run each, compare".to_string(),
            Rule::Means(n) => format!("{n} runs each, compare means"),
            Rule::Deviation => "until 2.5 % deviation, compare means".to_string(),
            Rule::TTest => "10 runs each, t test at 5 %".to_string(),
        }
    }

    /// Runs of each candidate: at least, at most.
    fn runs(self) -> (usize, usize) {
        match self {
            Rule::Means(n) => (n, n),
            Rule::Deviation => (3, 12),
            Rule::TTest => (10, 10),
        }
    }

    /// How clear a difference is, in the rule's own measure, and whether it names a winner.
    fn judge(self, a: &[f64], b: &[f64]) -> (f64, bool) {
        let mean = |v: &[f64]| sample::mean(v).unwrap_or(0.0);
        let difference = (mean(a) - mean(b)).abs();
        match self {
            Rule::TTest => {
                let p = welch(a, b);
                (-p, p < 0.05)
            }
            _ => (difference, difference > 0.0),
        }
    }

    /// Measures both candidates, the first one first; the cells of each.
    fn measure(self, disk: &Disk, seed: u64) -> [Vec<f64>; 2] {
        let mut used = Use::new(disk, seed);
        [0u16, 1].map(|candidate| {
            let (least, most) = self.runs();
            let mut rates = Vec::new();
            while rates.len() < least || (rates.len() < most && !is_settled(&rates)) {
                used.visit(candidate);
                // The better candidate lies inside, where a disk is slow.
                let place = disk.gradient * f64::from(1 - candidate);
                rates.push(libm::exp(used.cell() - place));
            }
            rates
        })
    }

    /// Plays `runs` runs between equals and as many at a gap.
    pub fn play(self, words: &str, disk: &Disk, gap: f64, runs: u32, seed: u64) -> Rivalry {
        let equals = Disk { means: vec![0.0, 0.0], ..disk.clone() };
        let apart = Disk { means: vec![0.0, -libm::log1p(gap)], ..disk.clone() };
        let mut cells = 0;
        let mut judge = |disk: &Disk, i: u32, half: u64| {
            let seed = SplitMix64::derive(seed, &[i.into(), half]).next_u64();
            let [a, b] = self.measure(disk, seed);
            cells += a.len() + b.len();
            let (clear, is_named) = self.judge(&a, &b);
            let is_first = sample::mean(&a) > sample::mean(&b);
            (clear, is_named, is_first)
        };
        let null: Vec<_> = (0..runs).map(|i| judge(&equals, i, 0)).collect();
        let real: Vec<_> = (0..runs).map(|i| judge(&apart, i, 1)).collect();
        let mut clear: Vec<f64> = null.iter().map(|n| n.0).collect();
        clear.sort_by(f64::total_cmp);
        let rank = libm::ceil(0.95 * f64::from(runs)) as usize;
        let bar = clear.get(rank.saturating_sub(1)).copied().unwrap_or(f64::INFINITY);
        let count = |is: &dyn Fn(&(f64, bool, bool)) -> bool| real.iter().filter(|r| is(r)).count();
        Rivalry {
            disk: words.to_string(),
            rule: self.words(),
            runs,
            gap_percent: gap * 100.0,
            false_winner: null.iter().filter(|n| n.1).count() as u32,
            right_winner: count(&|r| r.1 && r.2) as u32,
            right_at_equal_error: count(&|r| r.0 > bar && r.2) as u32,
            cells_used: cells as f64 / f64::from(runs.max(1)) / 2.0,
        }
    }
}

/// Every rule on every disk they are compared on.
pub fn all(runs: u32, seed: u64) -> Vec<Rivalry> {
    let quiet = Disk::of(&[0.0, 0.0], 2.0);
    let drift = Disk { drift: libm::log(1.1), lag1: 0.5, ..quiet.clone() };
    let places = Disk { gradient: libm::log(1.0 / 0.69), ..quiet.clone() };
    let disks = [
        ("quiet disk", quiet),
        ("drift 10 %, common lag-1 0.5", drift),
        ("own partitions of a hard disk, the better one inside", places),
    ];
    let each = disks.iter().flat_map(|(words, disk)| RULES.map(|rule| (*words, disk, rule)));
    each.map(|(words, disk, rule)| rule.play(words, disk, 0.06, runs, seed)).collect()
}

fn is_settled(rates: &[f64]) -> bool {
    let (Some(mean), Some(sd)) = (sample::mean(rates), sample::sd(rates)) else { return false };
    sd <= 0.025 * mean
}

/// Two-sided p of Welch's test ("The generalization of 'Student's' problem", Biometrika 34, 1947).
fn welch(a: &[f64], b: &[f64]) -> f64 {
    let of = |v: &[f64]| {
        let sd = sample::sd(v).unwrap_or(0.0);
        (sample::mean(v).unwrap_or(0.0), sd * sd / v.len() as f64, v.len() as f64)
    };
    let ((x, u, n), (y, v, m)) = (of(a), of(b));
    if u + v == 0.0 {
        return if x == y { 1.0 } else { 0.0 };
    }
    let df = (u + v) * (u + v) / (u * u / (n - 1.0) + v * v / (m - 1.0));
    2.0 * student_t::upper_tail(((x - y) / libm::sqrt(u + v)).abs(), df)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn welch_by_scipy() {
        // scipy.stats.ttest_ind([1, 2, 3, 4], [2, 4, 6], equal_var=False).pvalue
        let p = welch(&[1.0, 2.0, 3.0, 4.0], &[2.0, 4.0, 6.0]);
        assert!((p - 0.33382370007750106).abs() < 1e-9, "{p}");
        assert_eq!((welch(&[1.0; 3], &[1.0; 3]), welch(&[1.0; 3], &[2.0; 3])), (1.0, 0.0));
    }

    #[test]
    fn on_a_drifting_disk_comparing_means_always_finds_a_winner_between_equals() {
        let drift = Disk { drift: 0.1, ..Disk::of(&[0.0, 0.0], 2.0) };
        let means = Rule::Means(3).play("drift", &drift, 0.06, 200, 1);
        assert_eq!(means.false_winner, 200);
        assert_eq!(means.cells_used, 6.0);
        let t = Rule::TTest.play("drift", &drift, 0.06, 200, 1);
        assert!(t.false_winner > 150, "{t:?}");
    }

    #[test]
    fn on_a_quiet_disk_the_t_test_keeps_its_level() {
        let t = Rule::TTest.play("quiet", &Disk::of(&[0.0, 0.0], 2.0), 0.06, 400, 1);
        assert!((5..=40).contains(&t.false_winner), "{t:?}");
        assert!(t.right_winner > 380 && t.right_at_equal_error > 380, "{t:?}");
    }
}
