//! What others do, on the same drives: candidate after candidate in a fixed order, or all in random
//! order.
//!
//! Each rule first decides as it does ("as it is"), then with a threshold of its own that makes it
//! wrong in 5 % of runs between equals on this very drive ("at equal error"), which nobody who
//! measures can know: it shows what the rule could see at best.

use serde::Serialize;

use super::disk::{Disk, Use};
use bakeoff_model::index::CandidateIx;
use bakeoff_stats::prng::SplitMix64;
use bakeoff_stats::sample;
use bakeoff_stats::student_t;

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
    /// Ten runs of each; a winner where the ratio of the means less its standard deviation, as
    /// hyperfine prints them, is above 1 (its documentation, "relative speed").
    Hyperfine,
    /// Ten runs of each, all in random order; Welch's t test at 5 % over all pairs.
    Randomised,
}

pub const RULES: [Rule; 6] = [
    Rule::Means(1),
    Rule::Means(3),
    Rule::Deviation,
    Rule::TTest,
    Rule::Hyperfine,
    Rule::Randomised,
];

/// How a rule did on one drive. Counts of runs, cells as means.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rivalry {
    pub disk: String,
    pub rule: String,
    /// Runs played, on equals and on the gap each.
    pub runs: u32,
    /// How far the other candidates are behind where there is a gap, percent.
    pub gap_percent: f64,
    pub false_winner: u32,
    pub right_winner: u32,
    pub right_at_equal_error: u32,
    pub cells_used: f64,
}

impl Rivalry {
    /// A count as a share of the runs.
    pub fn share(&self, count: u32) -> f64 {
        f64::from(count) / f64::from(self.runs.max(1))
    }
}

impl Rule {
    pub fn label(self) -> String {
        match self {
            Rule::Means(1) => "1 run each, compare".to_string(),
            Rule::Means(n) => format!("{n} runs each, compare means"),
            Rule::Deviation => "until 2.5 % deviation, compare means".to_string(),
            Rule::TTest => "10 runs each, t test at 5 %".to_string(),
            Rule::Hyperfine => "10 runs each, ratio beyond its deviation".to_string(),
            Rule::Randomised => "10 runs each, random order, Bonferroni".to_string(),
        }
    }

    /// Runs of each candidate: at least, at most.
    fn runs(self) -> (usize, usize) {
        match self {
            Rule::Means(n) => (n, n),
            Rule::Deviation => (3, 12),
            Rule::TTest | Rule::Hyperfine | Rule::Randomised => (10, 10),
        }
    }

    /// How clear the best is of the others, in the rule's own measure, and whether it is named.
    fn judge(self, best: &[f64], others: &[&Vec<f64>]) -> (f64, bool) {
        let pairs = (others.len() * (others.len() + 1) / 2) as f64;
        let one = |other: &&Vec<f64>| match self {
            Rule::TTest => (-welch(best, other), welch(best, other) < 0.05),
            Rule::Randomised => (-welch(best, other), welch(best, other) < 0.05 / pairs),
            Rule::Hyperfine => {
                let beyond = ratio_beyond(best, other);
                (beyond, beyond > 1.0)
            }
            Rule::Means(_) | Rule::Deviation => {
                let mean = |v: &[f64]| sample::mean(v).unwrap_or(0.0);
                let difference = mean(best) - mean(other);
                (difference, difference > 0.0)
            }
        };
        let of = others.iter().map(one);
        of.fold((f64::INFINITY, true), |all, one| (all.0.min(one.0), all.1 && one.1))
    }

    /// Measures every candidate; the cells of each.
    fn measure(self, disk: &Disk, seed: u64) -> Vec<Vec<f64>> {
        let mut used = Use::new(disk, seed);
        let candidates = disk.means.len();
        let mut rates: Vec<Vec<f64>> = vec![Vec::new(); candidates];
        let mut one = |candidate: usize, rates: &mut Vec<Vec<f64>>| {
            used.visit(CandidateIx::new(candidate));
            // The better candidates lie inside, where a drive is slow.
            let inside = (candidates - 1 - candidate) as f64 / (candidates - 1).max(1) as f64;
            rates[candidate].push(libm::exp(used.cell() - disk.gradient * inside));
        };
        let (least, most) = self.runs();
        if self == Rule::Randomised {
            let mut order: Vec<usize> = (0..candidates * least).map(|i| i % candidates).collect();
            SplitMix64::derive(seed, &[0x6f_7264_6572]).shuffle(&mut order);
            order.into_iter().for_each(|candidate| one(candidate, &mut rates));
            return rates;
        }
        for candidate in 0..candidates {
            while rates[candidate].len() < least
                || (rates[candidate].len() < most && !is_decided(&rates[candidate]))
            {
                one(candidate, &mut rates);
            }
        }
        rates
    }

    /// Plays `runs` runs between equals and as many at a gap, the first one ahead.
    pub fn play(self, (words, disk): (&str, &Disk), gap: f64, runs: u32, seed: u64) -> Rivalry {
        let equals = Disk { means: vec![0.0; disk.means.len()], ..disk.clone() };
        let mut apart = Disk { means: vec![-libm::log1p(gap); disk.means.len()], ..disk.clone() };
        apart.means[0] = 0.0;
        let mut cells = 0;
        let mut judge = |disk: &Disk, i: u32, half: u64| {
            let seed = SplitMix64::derive(seed, &[i.into(), half]).next_u64();
            let rates = self.measure(disk, seed);
            cells += rates.iter().map(Vec::len).sum::<usize>();
            let mean = |c: &usize| sample::mean(&rates[*c]).unwrap_or(0.0);
            let best = (0..rates.len()).max_by(|x, y| mean(x).total_cmp(&mean(y))).unwrap_or(0);
            let others: Vec<&Vec<f64>> =
                (0..rates.len()).filter(|c| *c != best).map(|c| &rates[c]).collect();
            let (clear, is_named) = self.judge(&rates[best], &others);
            (clear, is_named, best == 0)
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
            rule: self.label(),
            runs,
            gap_percent: gap * 100.0,
            false_winner: null.iter().filter(|n| n.1).count() as u32,
            right_winner: count(&|r| r.1 && r.2) as u32,
            right_at_equal_error: count(&|r| r.0 > bar && r.2) as u32,
            cells_used: cells as f64 / f64::from(runs.max(1)) / 2.0,
        }
    }
}

/// Every rule on every drive they are compared on.
pub fn all(runs: u32, seed: u64) -> Vec<Rivalry> {
    let quiet = Disk::new(&[0.0, 0.0], 2.0);
    let drift = Disk { drift: libm::log(1.1), lag1: 0.5, ..quiet.clone() };
    let places = Disk { gradient: libm::log(1.0 / 0.69), ..quiet.clone() };
    let four = Disk::new(&[0.0; 4], 2.0);
    let four_drift = Disk { drift: libm::log(1.1), lag1: 0.5, ..four.clone() };
    let disks = [
        ("quiet drive", quiet),
        ("drift 10 %, common lag-1 0.5", drift),
        ("own partitions of a hard disk, the better one inside", places),
        ("four candidates, quiet drive", four),
        ("four candidates, drift 10 %, common lag-1 0.5", four_drift),
    ];
    let each = disks.iter().flat_map(|(words, disk)| RULES.map(|rule| (*words, disk, rule)));
    each.map(|(words, disk, rule)| rule.play((words, disk), 0.06, runs, seed)).collect()
}

fn is_decided(rates: &[f64]) -> bool {
    let (Some(mean), Some(sd)) = (sample::mean(rates), sample::sd(rates)) else { return false };
    sd <= 0.025 * mean
}

/// The ratio of two means less its standard deviation, by propagation of the runs' deviations.
fn ratio_beyond(a: &[f64], b: &[f64]) -> f64 {
    let of = |v: &[f64]| (sample::mean(v).unwrap_or(0.0), sample::sd(v).unwrap_or(0.0));
    let ((x, u), (y, v)) = (of(a), of(b));
    let ratio = x / y;
    ratio - ratio * libm::sqrt((u / x) * (u / x) + (v / y) * (v / y))
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
        let drift = Disk { drift: 0.1, ..Disk::new(&[0.0, 0.0], 2.0) };
        let means = Rule::Means(3).play(("drift", &drift), 0.06, 200, 1);
        assert_eq!(means.false_winner, 200);
        assert_eq!(means.cells_used, 6.0);
        let t = Rule::TTest.play(("drift", &drift), 0.06, 200, 1);
        assert!(t.false_winner > 150, "{t:?}");
    }

    #[test]
    fn on_a_quiet_disk_the_t_test_keeps_its_level() {
        let t = Rule::TTest.play(("quiet", &Disk::new(&[0.0, 0.0], 2.0)), 0.06, 400, 1);
        assert!((5..=40).contains(&t.false_winner), "{t:?}");
        assert!(t.right_winner > 380 && t.right_at_equal_error > 380, "{t:?}");
    }
}
