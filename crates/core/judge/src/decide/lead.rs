//! The lead: the smallest lower bound of the leader's differences to all others.
//!
//! Each of these intervals is at the *undivided* alpha of its look. To name a false leader, the
//! interval against the truly best candidate must be wrong, which is one comparison however many
//! there are. Sources: Gutmann and Maymin, "Is the selected population the best?", Annals of
//! Statistics 15 (1987); Hung and Fithian, "Rank verification for exponential families", Annals of
//! Statistics 47 (2019). Why "no other is faster by more than" holds for every sign: Hsu, "Multiple
//! Comparisons: Theory and Methods", Chapman and Hall 1996, chapter 4. That it holds for selected
//! leaders, several looks and unequal noise is simulated (docs/truth.md).

use super::compare::Comparison;
use super::schedule;
use super::table::ScoreTable;
use bakeoff_model::index::CandidateIx;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Verdict;
use bakeoff_stats::paired::{Interval, Paired, half_width};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Against {
    pub other: CandidateIx,
    pub paired: Option<Paired>,
    /// The interval of the difference; unbounded while there are too few blocks.
    pub interval: Interval,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DecidedLead {
    /// Index of the leader; `None` where nobody is ranked.
    pub leader: Option<CandidateIx>,
    pub against: Vec<Against>,
}

const UNBOUNDED: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };

impl DecidedLead {
    /// The lead of the first in rank that was not dropped, each interval at the alpha of its look
    /// over `divisor` (the number of workloads for a statement over all of them, otherwise 1).
    pub fn new(
        run: &Run,
        table: &ScoreTable,
        compared: &Comparison,
        divisor: usize,
    ) -> DecidedLead {
        let survivors = run.survivors();
        let leader = compared.ranked.iter().copied().find(|c| survivors.contains(c));
        let leader = leader.or(compared.ranked.first().copied());
        match leader {
            Some(leader) => DecidedLead::from(run, table, compared, leader, divisor),
            None => DecidedLead { leader: None, against: Vec::new() },
        }
    }

    /// The same from the view of any candidate: how far the others may be ahead of it.
    pub fn from(
        run: &Run,
        table: &ScoreTable,
        compared: &Comparison,
        leader: CandidateIx,
        divisor: usize,
    ) -> DecidedLead {
        let least = run.header.protocol.first_look();
        let divisor = divisor.max(1) as f64;
        let against = |other: CandidateIx| {
            let paired =
                Paired::from_differences(&table.differences(compared.workload, leader, other));
            let dropped =
                [other, leader].into_iter().find(|c| run.dropped.iter().any(|d| d.0 == *c));
            let alpha = dropped.map_or_else(
                || schedule::alpha(run),
                |candidate| schedule::alpha_with(run, candidate),
            );
            let enough = paired.filter(|p| p.blocks >= least);
            let interval = enough.map_or(UNBOUNDED, |p| p.interval(alpha / divisor));
            Against { other, paired, interval }
        };
        let others = compared.ranked.iter().copied().filter(|c| *c != leader);
        let mut lead = DecidedLead { leader: Some(leader), against: others.map(against).collect() };
        lead.follow_chains(run, compared);
        lead
    }

    /// A candidate that was dropped lost to somebody for certain, and who beats that one is ahead
    /// of both: its own interval against the dropped one, which no block narrows any more, need not
    /// say so.
    fn follow_chains(&mut self, run: &Run, compared: &Comparison) {
        let is_dropped = |c: CandidateIx| run.dropped.iter().any(|d| d.0 == c);
        for _ in 0..self.against.len() {
            let before = self.against.clone();
            for found in self.against.iter_mut().filter(|found| is_dropped(found.other)) {
                let through =
                    before.iter().filter(|via| via.other != found.other).filter_map(|via| {
                        let step = compared.low(via.other, found.other).filter(|low| *low > 0.0)?;
                        Some(via.interval.low + step)
                    });
                found.interval.low = through.fold(found.interval.low, f64::max);
            }
            if before == self.against {
                return;
            }
        }
    }

    /// The lead; `None` without others, or while an interval is missing.
    pub fn value(&self) -> Option<f64> {
        self.closest().map(|against| against.interval.low).filter(|low| low.is_finite())
    }

    pub fn closest(&self) -> Option<&Against> {
        self.against
            .iter()
            .min_by(|x, y| x.interval.low.total_cmp(&y.interval.low).then(x.other.cmp(&y.other)))
    }

    pub fn verdict(&self, margin: f64) -> Verdict {
        Verdict::by_lead(self.value(), margin)
    }

    pub fn verdict_by(&self, factor: impl Fn(&Against) -> f64, margin: f64) -> Verdict {
        let lows = self.against.iter().map(|a| a.interval.widened(factor(a)).low);
        Verdict::by_lead(lows.reduce(f64::min).filter(|low| low.is_finite()), margin)
    }

    /// Whether more blocks would change nothing that matters: somebody is the fastest, or nobody is
    /// faster by the margin and there is one that the leader is not ahead of by the margin either.
    pub fn is_decided(&self, margin: f64) -> bool {
        let verdict = self.verdict(margin);
        let has_equal = || self.against.iter().any(|a| a.interval.is_inside(margin));
        verdict.is_winner() || verdict.is_tie() && has_equal()
    }

    /// The lead that is expected after `more` further blocks, if effects and noise stay as they
    /// are, at nominal `alpha`; pairs with a candidate that was dropped stay as they are.
    pub fn expected(&self, run: &Run, more: u32, alpha: f64) -> Option<f64> {
        let then = |a: &Against| match a.paired {
            Some(p) if !run.dropped.iter().any(|d| d.0 == a.other) => {
                p.mean - half_width(alpha, p.blocks.saturating_add(more)) * p.sd
            }
            _ => a.interval.low,
        };
        self.against.iter().map(then).reduce(f64::min).filter(|low| low.is_finite())
    }
}

#[cfg(test)]
mod tests;
