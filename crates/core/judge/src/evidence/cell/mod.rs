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
pub mod testing;
#[cfg(test)]
mod tests;

use super::observation::{Observation, Observing};
use super::rule::Checks;
use bakeoff_model::design::Design;
use bakeoff_model::event::Cell;
use bakeoff_model::finding::{Finding, Scope, Severity};
use bakeoff_model::host::Place;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::measurement::{Latency, OpStats};
use bakeoff_model::run::Run;
use bakeoff_model::workload::{Phase, Workload};

/// In the order in which a cell is asked: the first reason against it is the one that is told.
pub static CHECKS: Checks<Observing> = &[
    (suspended::ID, suspended::in_cell),
    (swap::ID, swap::in_cell),
    ("no-progress", no_progress::in_cell),
    ("L15", impossible_rate::in_cell),
    ("L16", warm_cache::in_cell),
    ("cache-unknown", cache_state_unknown::in_cell),
    ("L12", file_vs_ram::in_cell),
    ("L17", direct_fallback::in_cell),
    ("L25", too_short::hit),
    (background::ID, background::moved),
    (background::ID, background::computed),
    ("tool-share", tool_share::in_cell),
    ("rewritten", rewritten::in_cell),
    (fake_capacity::ID, fake_capacity::in_cell),
    ("L14", sync_outside_latency::hit),
    ("L19", fsync_cadence::hit),
    ("L26", mean_lies::hit),
    ("L47", thin_tail::in_cell),
    ("L48", coordinated_omission::in_cell),
    (throttled::ID, throttled::told_by_firmware),
    (throttled::ID, throttled::lowered_clock),
    ("device-error", device_error::in_cell),
    (lazyinit::ID, lazyinit::in_cell),
    ("L54", observer::in_cell),
];

/// Everything that can be said against a cell, the engine's own findings included.
pub fn cell<'a>(design: impl Into<Design<'a>>, cell: &'a Cell) -> Vec<Finding> {
    let design = design.into();
    let Some(workload) = cell.workload.get(design.workloads) else {
        return Vec::new();
    };
    let observation = Observation::of_cell(design, workload, cell);
    let own = CHECKS.iter().filter_map(|(rule, check)| Some((rule, check(&observation)?)));
    let engines = cell.measurement.findings.iter().cloned();
    let candidate = cell.candidate.get(design.candidates).map(|c| c.name.clone());
    own.map(|(rule, hit)| hit.finding(design, rule))
        .chain(engines)
        .map(|found| Finding {
            workload: Some(workload.name.clone()),
            candidate: candidate.clone(),
            ..found
        })
        .collect()
}

/// Why a cell must be measured again: its number is not what it claims to be.
pub fn invalid_reason<'a>(design: impl Into<Design<'a>>, of: &'a Cell) -> Option<String> {
    cell(design, of)
        .into_iter()
        .find(|f| f.severity == Severity::Refuse && f.scope == Scope::Cell)
        .map(|f| f.evidence)
}

pub fn is_invalid<'a>(design: impl Into<Design<'a>>, cell: &'a Cell) -> bool {
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
pub fn place<'a>(design: impl Into<Design<'a>>, candidate: CandidateIx) -> Option<&'a Place> {
    let design = design.into();
    design.place_of(candidate.get(design.candidates)?)
}

/// The kinds of operation with their latencies.
fn latencies(cell: &Cell) -> impl Iterator<Item = (&'static str, &OpStats, &Latency)> {
    cell.measurement.ops().map(|(name, stats)| (name, stats, &stats.lat_ns))
}
