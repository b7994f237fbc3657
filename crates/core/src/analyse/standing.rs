//! Each candidate's own figures on a workload.

use super::energy;
use crate::decide::compare::Comparison;
use crate::decide::figure::Figure;
use crate::decide::rounds;
use crate::decide::table::Table;
use crate::evidence;
use crate::model::event::Cell;
use crate::model::index::{CandidateIx, WorkloadIx};
use crate::model::measurement::OpStats;
use crate::model::run::Run;
use crate::model::verdict::Standing;
use crate::stats::sample;

/// Figures of every candidate with a cell, best first, A/A twins last.
pub fn standings(
    run: &Run,
    table: &Table,
    workload: WorkloadIx,
    compared: &Comparison,
) -> Vec<Standing> {
    let candidates = CandidateIx::all(run.header.candidates.len());
    let twins = candidates.filter(|c| !compared.ranked.contains(c));
    let order = compared.ranked.iter().copied().chain(twins);
    order.filter_map(|c| standing(run, table, workload, compared, c)).collect()
}

fn standing(
    run: &Run,
    table: &Table,
    workload: WorkloadIx,
    compared: &Comparison,
    candidate: CandidateIx,
) -> Option<Standing> {
    let metric = run.header.workloads[workload].metric;
    let figure = Figure::from_scores(metric, &table.scores(workload, candidate))?;
    Some(Standing {
        candidate: run.header.candidates[candidate].name.clone(),
        mean: figure.mean,
        min: figure.min,
        max: figure.max,
        cells: figure.cells,
        sd_log: sd_log(run, table, workload, &compared.ranked, candidate),
        p99_ns: p99_ns(run, table, workload, candidate),
        dropped_after: run.dropped.iter().find(|d| d.0 == candidate).map(|d| d.1),
        energy: energy::from_cells(&cells(run, table, workload, candidate)),
    })
}

/// Noise of one candidate: what is left of its `ln(rate)` in each block after what all have in
/// common there (the mean of the others) and its own mean. The mean of `m` others carries a share
/// `1/m` of noise of its own, which is taken out as if all were equal.
fn sd_log(
    run: &Run,
    table: &Table,
    workload: WorkloadIx,
    ranked: &[CandidateIx],
    candidate: CandidateIx,
) -> f64 {
    let others = others(run, ranked, candidate);
    if others.is_empty() {
        return sample::sd(&table.scores(workload, candidate)).unwrap_or(0.0);
    }
    let common = |block: usize| -> Option<f64> {
        let values = others.iter().map(|o| table.values(workload, *o)[block]);
        sample::mean(&values.collect::<Option<Vec<f64>>>()?)
    };
    let own = table.values(workload, candidate).iter().enumerate();
    let mut left: Vec<f64> = own.filter_map(|(block, y)| Some((*y)? - common(block)?)).collect();
    let mean = sample::mean(&left).unwrap_or(0.0);
    left.iter_mut().for_each(|d| *d -= mean);
    let inflation = libm::sqrt(1.0 + 1.0 / others.len() as f64);
    sample::sd(&left).unwrap_or(0.0) / inflation
}

/// The others that stayed in the run at least as long as `c`, so that their mean does not jump when
/// one is dropped.
fn others(run: &Run, ranked: &[CandidateIx], c: CandidateIx) -> Vec<CandidateIx> {
    let stayed = |c: CandidateIx| run.dropped.iter().find(|d| d.0 == c).map_or(u32::MAX, |d| d.1);
    ranked.iter().copied().filter(|o| *o != c && stayed(*o) >= stayed(c)).collect()
}

/// Mean over cells of the 99th percentile of the operation the cell spent most of its time in;
/// `None` unless every cell has one.
fn p99_ns(run: &Run, table: &Table, workload: WorkloadIx, candidate: CandidateIx) -> Option<f64> {
    let cells = cells(run, table, workload, candidate);
    let p99 = |cell: &&Cell| main_operation(cell)?.lat_ns.p99.map(|ns| ns as f64);
    sample::mean(&cells.iter().map(p99).collect::<Option<Vec<f64>>>()?)
}

/// The cells of a candidate on a workload that count.
fn cells<'a>(
    run: &'a Run,
    table: &Table,
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
