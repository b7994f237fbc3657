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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::turns::turns;
    use crate::testing::RunBuilder;
    use bakeoff_model::event::Cell;
    use bakeoff_model::index::{BlockIx, CandidateIx};
    use bakeoff_model::slice;

    fn played(names: &[&str]) -> Run {
        let builder = RunBuilder::stacks(names).workloads(&["randread"]);
        builder.play(10, |_, _, _| 1000.0).build()
    }

    /// Ten blocks of eight rounds in which whoever follows candidate 0 does `share` more.
    fn run_with(share: f64) -> Run {
        let mut run = played(&["a", "b", "c", "d"]);
        for block in 0..run.blocks.len() {
            let number = run.blocks[block].block;
            for cell in &mut run.blocks[block].cells {
                cell.slices = slices_of(cell, number, share);
            }
        }
        run
    }

    fn slices_of(cell: &Cell, block: BlockIx, share: f64) -> Vec<slice::Slice> {
        let (mut before, mut own) = (None, Vec::new());
        let standing = [0, 1, 2, 3].map(CandidateIx::new);
        let workload = WorkloadIx::FIRST;
        for round in 0..8u16 {
            for (turn, candidate) in (0..).zip(turns(1, block, workload, round.into(), &standing)) {
                let more = if before == Some(CandidateIx::FIRST) { share } else { 0.0 };
                // Slices are never quite alike.
                let noise = f64::from((round * 7 + turn * 3 + candidate.number()) % 5) * 0.002;
                let ios = (1000.0 * (1.0 + more + noise)) as u64;
                let slice = slice::Slice {
                    round,
                    turn,
                    after: before,
                    elapsed_ns: 50_000_000,
                    ios,
                    bytes: ios * 4096,
                    ..slice::Slice::default()
                };
                own.extend((candidate == cell.candidate).then_some(slice));
                before = Some(candidate);
            }
        }
        own
    }

    fn found(run: &Run) -> Vec<Hit> {
        let table = ScoreTable::from_run(run, u32::MAX);
        ComparedRun::new(run, &table).each(of_workload)
    }

    #[test]
    fn a_candidate_that_helps_its_successor_is_found() {
        let found = found(&run_with(0.4));
        assert!(found[0].evidence.contains("appears") && found[0].workload.is_some(), "{found:?}");
    }

    #[test]
    fn candidates_that_leave_nothing_behind_are_not() {
        assert_eq!(found(&run_with(0.0)), []);
        // Cells in one piece say nothing about it.
        assert_eq!(found(&played(&["a", "b", "c"])), []);
    }
}
