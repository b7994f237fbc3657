//! Rules over one cell: is its number what it claims to be?

pub mod figures;
pub mod machine;
pub mod reads;
pub mod writes;

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
    (machine::SUSPENDED, machine::suspended),
    (machine::SWAP, machine::swap),
    ("no-progress", figures::no_progress),
    ("L15", reads::impossible_rate),
    ("L16", reads::warm_cache),
    ("cache-unknown", reads::cache_state_unknown),
    ("L17", writes::direct_fallback),
    ("L25", figures::too_short),
    (machine::BACKGROUND, machine::foreign_bytes),
    (machine::BACKGROUND, machine::foreign_cpus),
    ("tool-share", figures::tool_share),
    (writes::FAKE_CAPACITY, writes::fake_capacity),
    ("L14", figures::sync_outside_latency),
    ("L19", figures::fsync_cadence),
    ("L26", figures::mean_lies),
    ("L48", figures::coordinated_omission),
    (machine::THROTTLED, machine::told_by_firmware),
    (machine::THROTTLED, machine::lowered_clock),
    ("device-error", machine::device_error),
];

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

pub fn invalid_reason<'a>(design: impl Into<Design<'a>>, of: &'a Cell) -> Option<String> {
    cell(design, of)
        .into_iter()
        .find(|f| f.severity == Severity::Refuse && f.scope == Scope::Cell)
        .map(|f| f.evidence)
}

pub fn is_invalid<'a>(design: impl Into<Design<'a>>, cell: &'a Cell) -> bool {
    invalid_reason(design, cell).is_some()
}

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

fn latencies(cell: &Cell) -> impl Iterator<Item = (&'static str, &OpStats, &Latency)> {
    cell.measurement.ops().map(|(name, stats)| (name, stats, &stats.lat_ns))
}
