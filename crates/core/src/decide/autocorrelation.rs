//! Rule L36: does one candidate's own noise wander from block to block?
//!
//! What all candidates have in common cancels in the difference inside a block. A slow wave of one
//! candidate alone does not: blocks are then no independent samples, and intervals too narrow.
//! Five or eight blocks can hardly show it, so the rule works in three steps: a run with a
//! candidate that might drift is not over at an early look, a verdict is refused where chance
//! explains the wave badly, and after the last block a winner must be one also for a wave as slow
//! as the blocks allow. How often that finds one, and how often anything could, is measured in
//! docs/truth.md.

mod residuals;

use crate::decide::compare::Comparison;
use crate::decide::lead::{Against, Lead};
use crate::decide::table::Table;
use crate::distinct;
use crate::model::index::{CandidateIx, WorkloadIx};
use crate::model::run::Run;
use crate::stats::autocorrelation::{Lag1, lag1, widening};
use crate::stats::sample;
pub use residuals::{Residuals, own_residuals};

/// Probability, over all candidates of a workload, that independent noise is refused at one look.
const REFUSE_ALPHA: f64 = 0.02;
/// Probability, over all candidates of a run, that independent noise looks like a wave at one look
/// and keeps the run going.
const WAVE_ALPHA: f64 = 0.04;
/// The same for one candidate that looks noisier than the others, as one with a wave of its own is.
const NOISY_ALPHA: f64 = 0.08;
/// Fewest blocks from which a coefficient is estimated well enough to widen an interval by it.
pub const ESTIMABLE: usize = 12;

/// The same for the leader's pairs over all workloads after the last block, when no further one can
/// tell. A larger value finds more waves and refuses more true winners: with 0.3 it was 8 % of them
/// on each of six workloads.
const LAST_ALPHA: f64 = 0.03;

/// An answer that holds for intervals so many times as wide is taken at once, whatever one
/// candidate does: between equals of which one wanders slowly (lag-1 0.9), five blocks give such an
/// answer in less than one run of a hundred.
const CLEAR: f64 = 5.0;

/// Candidates whose own residuals on `workload` wander, each with what was seen.
pub fn autocorrelated(
    run: &Run,
    table: &Table,
    workload: WorkloadIx,
    compared: &Comparison,
) -> Vec<(CandidateIx, Lag1)> {
    let of = |c: &CandidateIx| {
        let residuals = own_residuals(run, table, workload, &compared.ranked, *c).values();
        Some((*c, lag1(&residuals)?))
    };
    suspects(compared.ranked.iter().filter_map(of), compared.ranked.len(), REFUSE_ALPHA)
}

/// The leader's pairs whose differences wander so that its lead would say less, each with what was
/// seen. Only these are tested, at limits divided by their number on all workloads: over all pairs,
/// waves that do not matter refused three of four true winners among twelve candidates.
pub fn of_lead(
    run: &Run,
    table: &Table,
    workload: WorkloadIx,
    lead: &Lead,
) -> Vec<(CandidateIx, Lag1)> {
    let tests = (lead.against.len() * run.header.workloads.len()).max(1) as f64;
    let blocks = table.blocks().len();
    let is_last = blocks >= ESTIMABLE && blocks >= run.header.protocol.last_block() as usize;
    let limit = if is_last { LAST_ALPHA } else { REFUSE_ALPHA };
    let Some(leader) = lead.leader else { return Vec::new() };
    let seen = |against: &Against| {
        let found = lag1(&table.differences(workload, leader, against.other))?;
        (found.p < limit / tests).then_some((against.other, found))
    };
    let found: Vec<(CandidateIx, Lag1)> = lead.against.iter().filter_map(seen).collect();
    let factor = |against: &Against| {
        let blocks = against.paired.map_or(0, |p| p.blocks);
        let own = found.iter().find(|(other, _)| *other == against.other);
        own.map_or(1.0, |(_, lag1)| widening(lag1.r, blocks))
    };
    let margin = run.header.protocol.tie_margin;
    match lead.reading_by(factor, margin) < lead.reading(margin) {
        true => found,
        false => Vec::new(),
    }
}

/// Candidates that might wander: too little to refuse, enough to measure on. Looks at what a
/// candidate's workloads have in common in each block, because a wave of the candidate is in all of
/// them and their errors are not.
pub fn might_be_autocorrelated(
    run: &Run,
    table: &Table,
    comparisons: &[Comparison],
) -> Vec<CandidateIx> {
    let most = comparisons.iter().map(|c| c.ranked.len()).max().unwrap_or(0);
    if most < 2 {
        return Vec::new();
    }
    let candidates = || CandidateIx::all(run.header.candidates.len());
    let waves = candidates()
        .filter_map(|c| Some((c, lag1(&common_residuals(run, table, comparisons, c))?)));
    let waves = suspects(waves, most, WAVE_ALPHA).into_iter().map(|(candidate, _)| candidate);
    let alpha = NOISY_ALPHA / most as f64;
    distinct::sorted(waves.chain(candidates().filter(|c| {
        residuals::scatters_alone(run, table, comparisons, *c).is_some_and(|p| p < alpha)
    })))
}

/// How many times as wide the interval of `a` and `b` may be made for the answer to be taken while
/// `suspects` might wander.
pub fn interval_inflation(suspects: &[CandidateIx], a: CandidateIx, b: CandidateIx) -> f64 {
    if suspects.contains(&a) || suspects.contains(&b) { CLEAR } else { 1.0 }
}

/// The mean over its workloads of a candidate's residuals in their own standard deviations, one a
/// block.
fn common_residuals(
    run: &Run,
    table: &Table,
    comparisons: &[Comparison],
    candidate: CandidateIx,
) -> Vec<f64> {
    let series: Vec<Vec<Option<f64>>> = WorkloadIx::each(comparisons)
        .filter(|(_, c)| c.ranked.len() >= 2 && c.ranked.contains(&candidate))
        .map(|(w, c)| own_residuals(run, table, w, &c.ranked, candidate).in_own_sd())
        .collect();
    let block = |i: usize| {
        let here: Vec<f64> = series.iter().filter_map(|s| s[i]).collect();
        sample::mean(&here)
    };
    (0..table.blocks().len()).filter_map(block).collect()
}

/// Those that independent noise explains with less than `alpha` over all `candidates`.
fn suspects(
    found: impl Iterator<Item = (CandidateIx, Lag1)>,
    candidates: usize,
    alpha: f64,
) -> Vec<(CandidateIx, Lag1)> {
    if candidates < 2 {
        return Vec::new();
    }
    // The residuals of two candidates mirror each other: one test fewer than candidates.
    let alpha = alpha / (candidates - 1) as f64;
    found.filter(|(_, lag1)| lag1.p < alpha).collect()
}
