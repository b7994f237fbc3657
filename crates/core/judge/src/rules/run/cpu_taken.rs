//! cpu-taken: the load waited for a CPU for more than half of the time.

use super::ComparedRun;
use crate::decide::compare::Comparison;
use crate::evidence::rule::Hit;
use bakeoff_model::event::Cell;
use bakeoff_model::index::CandidateIx;
use bakeoff_stats::distinct;
use bakeoff_stats::phrases;

pub const ID: &str = "cpu-taken";

/// Above this share of its time a load has measured how CPUs are shared, and not storage.
const WAITED: f64 = 0.5;
/// So many of those who had the CPUs are named.
const NAMED: usize = 3;

pub fn of_workload(of: &ComparedRun, compared: &Comparison) -> Option<Hit> {
    let cells = || of.run.complete_cells().filter(|cell| cell.workload == compared.workload);
    let cpus = of.run.header.host.cpus.max(1);
    let taken: Vec<&Cell> = cells().filter(|cell| is_taken(cell, cpus)).collect();
    // One that has to wait is compared with others that do not.
    let is_mostly_taken = |candidate: CandidateIx| {
        let all = cells().filter(|cell| cell.candidate == candidate).count();
        2 * taken.iter().filter(|cell| cell.candidate == candidate).count() > all
    };
    let mut candidates = CandidateIx::all(of.run.header.candidates.len());
    candidates.any(is_mostly_taken).then(|| {
        let by = taken.iter().flat_map(|cell| &cell.truth.foreign_cpus_by).cloned();
        let mut by = distinct::sorted(by);
        by.truncate(NAMED);
        let by = if by.is_empty() { "other programs".to_string() } else { phrases::list(&by) };
        let evidence = format!(
            "in {} of {} measurements the load waited for a CPU for more than half of the time, \
             while {by} had it",
            taken.len(),
            cells().count()
        );
        Hit::new(evidence, "stop other programs (see: top), then measure again")
    })
}

/// Threads of the load that wait for each other do not count: others had half of the CPUs.
fn is_taken(cell: &Cell, cpus: u32) -> bool {
    let m = &cell.measurement;
    let all_ns = m.elapsed_ns as f64 * f64::from(m.job.numjobs.max(1));
    let waited = m.waited_ns.is_some_and(|waited| waited as f64 > WAITED * all_ns);
    waited && cell.truth.foreign_cpus.is_some_and(|busy| busy >= 0.5 * f64::from(cpus))
}
