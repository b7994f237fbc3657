//! Each candidate's own figures on a workload.

use crate::decide::compare::Comparison;
use crate::decide::figure::Figure;
use crate::decide::rounds;
use crate::evidence;
use crate::rules::run::ComparedRun;
use bakeoff_model::event::Cell;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::measurement::OpStats;
use bakeoff_model::verdict::Standing;
use bakeoff_stats::sample;

/// Figures of every candidate with a cell, best first, A/A twins last.
pub fn standings(of: &ComparedRun, compared: &Comparison) -> Vec<Standing> {
    let candidates = CandidateIx::all(of.run.header.candidates.len());
    let twins = candidates.filter(|c| !compared.ranked.contains(c));
    let order = compared.ranked.iter().copied().chain(twins);
    order.filter_map(|c| standing(of, compared, c)).collect()
}

fn standing(of: &ComparedRun, compared: &Comparison, candidate: CandidateIx) -> Option<Standing> {
    let (run, workload) = (of.run, compared.workload);
    let metric = run.header.workloads[workload].metric;
    let figure = Figure::from_scores(metric, &of.table.scores(workload, candidate))?;
    let cells = cells(of, workload, candidate);
    Some(Standing {
        candidate: run.header.candidates[candidate].name.clone(),
        mean: figure.mean,
        min: figure.min,
        max: figure.max,
        cells: figure.cells,
        p99_ns: p99_ns(&cells),
        dropped_after: run.dropped.iter().find(|d| d.0 == candidate).map(|d| d.1),
    })
}

/// Mean over cells of the 99th percentile of the operation the cell spent most of its time in;
/// `None` unless every cell has one.
fn p99_ns(cells: &[&Cell]) -> Option<f64> {
    let p99 = |cell: &&Cell| main_operation(cell)?.lat_ns.p99.map(|ns| ns as f64);
    sample::mean(&cells.iter().map(p99).collect::<Option<Vec<f64>>>()?)
}

fn cells<'a>(
    &ComparedRun { run, table, .. }: &ComparedRun<'a>,
    workload: WorkloadIx,
    candidate: CandidateIx,
) -> Vec<&'a Cell> {
    table
        .blocks_of(run)
        .flat_map(|b| &b.cells)
        .filter(|c| (c.workload, c.candidate) == (workload, candidate) && rounds::counts(run, c))
        .filter(|c| !evidence::is_invalid(&run.header, c))
        .collect()
}

fn main_operation(cell: &Cell) -> Option<&OpStats> {
    let time = |s: &OpStats| s.lat_ns.mean * s.total_ios as f64;
    cell.measurement.ops().map(|(_, s)| s).max_by(|a, b| time(a).total_cmp(&time(b)))
}
