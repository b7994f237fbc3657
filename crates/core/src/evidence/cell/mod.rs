//! Rules over one cell: is its number what it claims to be?

pub mod background;
pub mod cache_state_unknown;
pub mod coordinated_omission;
pub mod device_error;
pub mod direct_fallback;
pub mod fake_capacity;
pub mod file_vs_ram;
pub mod fsync_cadence;
pub mod impossible_rate;
pub mod lazyinit;
pub mod mean_lies;
pub mod no_progress;
pub mod observer;
pub mod rewritten;
pub mod suspended;
pub mod swap;
pub mod sync_outside_latency;
pub mod thin_tail;
pub mod throttled;
pub mod too_short;
pub mod tool_share;
pub mod warm_cache;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

use super::observation::Observation;
use super::rule::{Check, Rule, checks};
use super::{about, finding};
use crate::model::design::Design;
use crate::model::event::Cell;
use crate::model::finding::{Finding, Scope, Severity};
use crate::model::host::Place;
use crate::model::index::{CandidateIx, WorkloadIx};
use crate::model::measurement::{Latency, OpStats};
use crate::model::run::Run;
use crate::model::workload::{Phase, Workload};

/// In the order in which a cell is asked: the first reason against it is the one that is told.
pub static RULES: [&Rule; 22] = [
    &suspended::RULE,
    &swap::RULE,
    &no_progress::RULE,
    &impossible_rate::RULE,
    &warm_cache::RULE,
    &cache_state_unknown::RULE,
    &file_vs_ram::RULE,
    &direct_fallback::RULE,
    &too_short::RULE,
    &background::RULE,
    &tool_share::RULE,
    &rewritten::RULE,
    &fake_capacity::RULE,
    &sync_outside_latency::RULE,
    &fsync_cadence::RULE,
    &mean_lies::RULE,
    &thin_tail::RULE,
    &coordinated_omission::RULE,
    &throttled::RULE,
    &device_error::RULE,
    &lazyinit::RULE,
    &observer::RULE,
];

/// Everything that can be said against a cell, the engine's own findings included.
pub fn cell<'a>(design: impl Into<Design<'a>>, cell: &Cell) -> Vec<Finding> {
    let design = design.into();
    let Some(workload) = cell.workload.get(design.workloads) else {
        return Vec::new();
    };
    let observation = Observation::of_cell(design, workload, cell);
    let found = |(rule, check): (&Rule, &Check)| {
        if let Check::Cell(check) = check {
            return check(design, workload, cell);
        }
        let seen = check.observed(&observation)?;
        Some(finding(design, rule, seen.evidence, seen.advice))
    };
    let own = checks(RULES.into_iter()).filter_map(found);
    let engines = cell.measurement.findings.iter().cloned();
    own.chain(engines).map(|found| about(found, design, cell)).collect()
}

/// Why a cell must be measured again: its number is not what it claims to be.
pub fn invalid_reason<'a>(design: impl Into<Design<'a>>, of: &Cell) -> Option<String> {
    cell(design, of)
        .into_iter()
        .find(|f| f.severity == Severity::Refuse && f.scope == Scope::Cell)
        .map(|f| f.evidence)
}

pub fn is_invalid<'a>(design: impl Into<Design<'a>>, cell: &Cell) -> bool {
    invalid_reason(design, cell).is_some()
}

/// Why cells of a workload do not count: of those that were measured again, then of the others.
pub fn discarded(run: &Run, workload: WorkloadIx) -> Vec<String> {
    let again = run.invalid.iter().filter(|(_, _, of, _)| *of == workload);
    let kept = run.complete_cells().filter(|cell| cell.workload == workload);
    let kept = kept.filter_map(|cell| invalid_reason(&run.header, cell));
    again.map(|(.., reason)| reason.clone()).chain(kept).collect()
}

/// Whether a cell claims to have read from the drive. Small files are read back from where they
/// were just written, by intent.
pub fn reads_drive(workload: &Workload, cell: &Cell) -> bool {
    workload.phase != Phase::Metadata
        && cell.measurement.read.as_ref().is_some_and(|read| read.io_bytes > 0)
}

/// What lies behind a candidate: its directory's place, or the one of the region.
pub(crate) fn place<'a>(
    design: impl Into<Design<'a>>,
    candidate: CandidateIx,
) -> Option<&'a Place> {
    let design = design.into();
    design.place_of(candidate.get(design.candidates)?)
}

/// The kinds of operation with their latencies.
fn latencies(cell: &Cell) -> impl Iterator<Item = (&'static str, &OpStats, &Latency)> {
    cell.measurement.ops().map(|(name, stats)| (name, stats, &stats.lat_ns))
}
