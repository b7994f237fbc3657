//! Rule L36: does one candidate's own noise wander from block to block?
//!
//! What all candidates have in common cancels in the difference inside a block. A slow wave of one
//! candidate alone does not: blocks are then no independent samples, and intervals too narrow.
//! A verdict is refused where chance explains the wave badly and an interval as wide as the wave
//! asks for would change it. How often that finds one, and how often anything could, is measured in
//! docs/truth.md.

use crate::decide::lead::{Against, DecidedLead};
use crate::decide::table::ScoreTable;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::run::Run;
use bakeoff_stats::autocorrelation::{Lag1, lag1, widening};

const REFUSE_ALPHA: f64 = 0.02;
/// Fewest blocks from which a coefficient is estimated well enough to widen an interval by it.
const ESTIMABLE: usize = 12;

/// The same for the leader's pairs over all workloads after the last block, when no further one can
/// tell. A larger value finds more waves and refuses more true winners: with 0.3 it was 8 % of them
/// on each of six workloads.
const LAST_ALPHA: f64 = 0.03;

/// The leader's pairs whose differences wander so that its lead would say less, each with what was
/// seen. Only these are tested, at limits divided by their number on all workloads: over all pairs,
/// waves that do not matter refused three of four true winners among twelve candidates.
pub fn of_lead(
    run: &Run,
    table: &ScoreTable,
    workload: WorkloadIx,
    lead: &DecidedLead,
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
    if lead.verdict_by(factor, margin) > lead.verdict(margin) { found } else { Vec::new() }
}
