//! What use changes: each candidate against the same stack less used, on every workload, by the
//! differences inside blocks. Every block was filled and aged by itself, from another seed and on
//! another region, so blocks are the unit of replication here as everywhere.

use super::schedule;
use super::table::ScoreTable;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::run::Run;
use bakeoff_stats::paired::{Interval, Paired};

/// A stack in two states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsedPair {
    pub workload: WorkloadIx,
    /// The least used one.
    pub before: CandidateIx,
    pub after: CandidateIx,
    pub paired: Paired,
    /// Of `ln(after) - ln(before)`.
    pub interval: Interval,
}

/// The pairs, workload by workload, each interval at the alpha of all pairs of a workload. A pair
/// with fewer blocks than the first look needs is left out.
pub fn pairs(run: &Run, table: &ScoreTable) -> Vec<UsedPair> {
    let all = &run.header.candidates;
    let own = || CandidateIx::each(all).filter(|(_, c)| c.twin_of.is_none());
    let before = |(after, candidate): (CandidateIx, &bakeoff_model::candidate::Candidate)| {
        let same = own().filter(|(_, other)| other.is_same_stack(candidate));
        let (before, least) = same.min_by_key(|(_, other)| other.state())?;
        (least.state() < candidate.state()).then_some((before, after))
    };
    let pairs: Vec<(CandidateIx, CandidateIx)> = own().filter_map(before).collect();
    let alpha = schedule::alpha(run) / pairs.len().max(1) as f64;
    let least = run.header.protocol.first_look();
    let compared = |workload, (before, after)| {
        let paired = Paired::from_differences(&table.differences(workload, after, before));
        let paired = paired.filter(|paired| paired.blocks >= least)?;
        Some(UsedPair { workload, before, after, paired, interval: paired.interval(alpha) })
    };
    let of = |workload| pairs.iter().filter_map(move |pair| compared(workload, *pair));
    WorkloadIx::all(run.header.workloads.len()).flat_map(of).collect()
}

/// Whether every change is told from none, or is less than the margin.
pub fn is_told(run: &Run, table: &ScoreTable) -> bool {
    let margin = run.header.protocol.tie_margin;
    let is_out = |c: CandidateIx| run.dropped.iter().any(|dropped| dropped.0 == c);
    let is_told = |pair: &UsedPair| {
        let Interval { low, high } = pair.interval;
        low > 0.0 || high < 0.0 || pair.interval.is_inside(margin) || is_out(pair.after)
    };
    pairs(run, table).iter().all(is_told)
}
