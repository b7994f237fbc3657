//! carry-over: the preceding candidate affects a figure so much that a difference is wrong by over
//! a third of the margin. Estimated from slices that took turns, where each candidate follows each
//! other equally often.

use super::ComparedRun;
use crate::decide::compare::Comparison;
use crate::decide::table::ScoreTable;
use crate::evidence::rule::Hit;
use bakeoff_model::index::WorkloadIx;
use bakeoff_model::run::Run;
use bakeoff_stats::carry_over::{CarriedSlice, CarryOver, estimate};

const SHARE: f64 = 1.0 / 3.0;

const ALPHA: f64 = 0.05;

const ADVICE: &str = "measure the candidates one after the other: set isolation = \"visit\" in the \
                      plan";

pub fn of_workload(of: &ComparedRun, compared: &Comparison) -> Option<Hit> {
    let (&ComparedRun { run, table, .. }, workload) = (of, compared.workload);
    let header = &run.header;
    let k = u16::try_from(header.candidates.len()).ok()?;
    let found = estimate(&slices(run, table, workload), k, ALPHA)?;
    let bound = libm::log1p(header.protocol.tie_margin * SHARE);
    found.exceeds(bound).then(|| Hit::new(evidence(run, &found), ADVICE))
}

fn slices(run: &Run, table: &ScoreTable, workload: WorkloadIx) -> Vec<CarriedSlice> {
    let metric = run.header.workloads[workload].metric;
    let cells = table
        .blocks_of(run)
        .flat_map(|block| &block.cells)
        .filter(|cell| cell.workload == workload);
    cells
        .flat_map(|cell| cell.slices.iter().filter(|s| s.is_valid()).map(move |s| (cell, s)))
        .filter_map(|(cell, slice)| {
            Some(CarriedSlice {
                block: cell.block.number(),
                ln_rate: metric.to_score(slice.figure(metric)?),
                candidate: cell.candidate.number(),
                predecessor: slice.after?.number(),
            })
        })
        .collect()
}

fn evidence(run: &Run, found: &CarryOver) -> String {
    let name = |at: u16| &run.header.candidates[usize::from(at)].name;
    format!(
        "{} appears {:.1} % faster than {} because of the candidates measured just before each (at \
         least {:.1} %)",
        name(found.pair.0),
        libm::expm1(found.bias) * 100.0,
        name(found.pair.1),
        libm::expm1(found.interval.low) * 100.0
    )
}
