//! One workload's candidates against each other: pairs, intervals, who is told apart from whom.
//!
//! All pairs are compared, each at the alpha of all pairs; the intervals then hold together, so
//! what follows from several of them (a before b, b before c: a before c) holds too.

use super::table::ScoreTable;
use super::{exclude, schedule};
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Verdict;
use bakeoff_stats::paired::{Interval, Paired};

/// Two candidates; `a` ranks before `b`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    pub a: CandidateIx,
    pub b: CandidateIx,
    /// Their differences; `None` with fewer than two common blocks.
    pub paired: Option<Paired>,
    /// The interval of `ln(a) - ln(b)`; `None` with fewer than five common blocks.
    pub interval: Option<Interval>,
}

/// What follows from a set of intervals.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    pub verdict: Verdict,
    pub top: Vec<CandidateIx>,
}

/// Every candidate measured on one workload, compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    pub workload: WorkloadIx,
    /// Candidates with at least one cell, A/A twins left out, best first.
    pub ranked: Vec<CandidateIx>,
    pub pairs: Vec<Pair>,
}

impl Comparison {
    /// Compares on `workload` at `alpha` for each pair. Pairs with a candidate that was dropped
    /// keep the share of alpha of that look.
    pub fn new(run: &Run, table: &ScoreTable, workload: WorkloadIx, alpha: f64) -> Comparison {
        let ranked = rank(run, table, workload);
        let least = run.header.protocol.first_look();
        let shares: Vec<f64> = ranked.iter().map(|c| share(run, *c)).collect();
        let mut pairs = Vec::new();
        for (i, &a) in ranked.iter().enumerate() {
            for (j, &b) in ranked.iter().enumerate().skip(i + 1) {
                let paired = Paired::from_differences(&table.differences(workload, a, b));
                let enough = paired.filter(|p| p.blocks >= least);
                let alpha = alpha * if shares[i] == 1.0 { shares[j] } else { shares[i] };
                pairs.push(Pair { a, b, paired, interval: enough.map(|p| p.interval(alpha)) });
            }
        }
        Comparison { workload, ranked, pairs }
    }

    pub fn pair(&self, a: CandidateIx, b: CandidateIx) -> Option<&Pair> {
        self.pairs.iter().find(|p| (p.a, p.b) == (a, b) || (p.a, p.b) == (b, a))
    }

    /// The lower end of the interval of `ln(a) - ln(b)`; `None` while there is none.
    pub fn low(&self, a: CandidateIx, b: CandidateIx) -> Option<f64> {
        let pair = self.pair(a, b)?;
        let interval = pair.interval?;
        Some(if pair.a == a { interval.low } else { -interval.high })
    }

    /// Whether the interval alone puts `a` before `b`.
    pub fn is_before(&self, a: CandidateIx, b: CandidateIx) -> bool {
        self.low(a, b).is_some_and(|low| low > 0.0)
    }
}

fn share(run: &Run, candidate: CandidateIx) -> f64 {
    schedule::alpha_with(run, candidate) / schedule::alpha(run)
}

/// Candidates of a workload, best first: by the mean of their differences against all others, so
/// that one dropped early is not ranked by what the device could do in its blocks.
fn rank(run: &Run, table: &ScoreTable, workload: WorkloadIx) -> Vec<CandidateIx> {
    let excluded = exclude::excluded(run, table, workload);
    let measured: Vec<CandidateIx> = CandidateIx::all(run.header.candidates.len())
        .filter(|c| !excluded.iter().any(|e| e.candidate == *c))
        .filter(|c| run.header.candidates[*c].competes(&run.header.candidates))
        .filter(|c| table.values(workload, *c).iter().any(Option::is_some))
        .collect();
    let own_mean =
        |c: CandidateIx| bakeoff_stats::sample::mean(&table.scores(workload, c)).unwrap_or(0.0);
    let score = |c: CandidateIx| -> f64 {
        let against = |other: &CandidateIx| {
            let differences = table.differences(workload, c, *other);
            bakeoff_stats::sample::mean(&differences)
                .unwrap_or_else(|| own_mean(c) - own_mean(*other))
        };
        measured.iter().filter(|o| **o != c).map(against).sum()
    };
    let mut scored: Vec<(f64, CandidateIx)> = measured.iter().map(|c| (score(*c), *c)).collect();
    scored.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
    scored.into_iter().map(|(_, c)| c).collect()
}

/// What follows from `intervals`, one for each pair of `ranked` in order of the ranks.
pub fn decide(ranked: &[CandidateIx], intervals: &[Option<Interval>], margin: f64) -> Decision {
    let n = ranked.len();
    let mut apart = vec![vec![false; n]; n];
    let mut inside = vec![vec![false; n]; n];
    let mut next = intervals.iter();
    for i in 0..n {
        for j in i + 1..n {
            if let Some(Some(interval)) = next.next() {
                apart[i][j] = interval.low > 0.0;
                apart[j][i] = interval.high < 0.0;
                inside[i][j] = interval.is_inside(margin);
            }
        }
    }
    close(&mut apart);
    let top: Vec<usize> = (0..n).filter(|i| !(0..n).any(|j| apart[j][*i])).collect();
    let all_inside = top.iter().all(|i| top.iter().all(|j| j <= i || inside[*i][*j]));
    let verdict = match top.len() {
        _ if n < 2 => Verdict::Leads,
        1 if (0..n).all(|j| j == top[0] || apart[top[0]][j]) => Verdict::Fastest,
        2.. if all_inside => Verdict::AsFast,
        _ => Verdict::Leads,
    };
    Decision { verdict, top: top.into_iter().map(|i| ranked[i]).collect() }
}

/// Adds what follows from chains (Warshall's closure).
fn close(apart: &mut [Vec<bool>]) {
    let n = apart.len();
    for via in 0..n {
        for from in 0..n {
            for to in 0..n {
                if from != to && apart[from][via] && apart[via][to] {
                    apart[from][to] = true;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(low: f64, high: f64) -> Option<Interval> {
        Some(Interval { low, high })
    }

    #[test]
    fn a_chain_of_certain_steps_is_certain() {
        // 0 before 1 and 1 before 2 for certain, 0 against 2 not by itself.
        let decision = decide(
            &[7, 8, 9].map(CandidateIx::new),
            &[of(0.1, 0.2), of(-0.1, 0.6), of(0.1, 0.2)],
            0.03,
        );
        assert_eq!((decision.verdict, decision.top), (Verdict::Fastest, vec![CandidateIx::new(7)]));
    }

    #[test]
    fn one_that_nobody_stands_before_keeps_the_question_open() {
        // 2 is so noisy that it can be told from nobody.
        let intervals = [of(0.1, 0.2), of(-0.5, 0.9), of(-0.6, 0.7)];
        let decision = decide(&[0, 1, 2].map(CandidateIx::new), &intervals, 0.03);
        assert_eq!(
            (decision.verdict, decision.top),
            (Verdict::Leads, [0, 2].map(CandidateIx::new).to_vec())
        );
    }

    #[test]
    fn a_tie_is_between_those_nobody_stands_before() {
        let intervals = [of(-0.01, 0.02), of(0.1, 0.2), of(0.1, 0.2)];
        let decision = decide(&[0, 1, 2].map(CandidateIx::new), &intervals, 0.03);
        assert_eq!(
            (decision.verdict, decision.top),
            (Verdict::AsFast, [0, 1].map(CandidateIx::new).to_vec())
        );
        assert_eq!(
            decide(&[0, 1].map(CandidateIx::new), &[of(-0.04, 0.02)], 0.03).verdict,
            Verdict::Leads
        );
        assert_eq!(decide(&[0, 1].map(CandidateIx::new), &[None], 0.03).verdict, Verdict::Leads);
        assert_eq!(decide(&[CandidateIx::FIRST], &[], 0.03).verdict, Verdict::Leads);
    }
}
