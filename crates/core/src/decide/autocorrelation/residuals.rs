//! A candidate's own noise: what is left of its numbers after what all have in common.

use crate::decide::table::Table;
use crate::model::index::{CandidateIx, WorkloadIx};
use crate::model::run::Run;
use crate::stats::sample;

/// A candidate's own noise.
pub struct Residuals {
    /// One for each block; `None` where something is missing.
    by_block: Vec<Option<f64>>,
    /// Candidates whose mean was taken as what the block has in common.
    pub others: usize,
}

impl Residuals {
    /// Those there are, in the order of the blocks.
    pub fn values(&self) -> Vec<f64> {
        self.by_block.iter().flatten().copied().collect()
    }
}

/// What is left of a candidate's `ln(rate)` in each block after what all have in common in that
/// block (the mean of the others) and its own mean. The others are those that stayed in the run at
/// least as long, so that the mean does not jump when one is dropped.
pub fn own_residuals(
    run: &Run,
    table: &Table,
    workload: WorkloadIx,
    ranked: &[CandidateIx],
    c: CandidateIx,
) -> Residuals {
    let others = others(run, ranked, c);
    let common = |block: usize| -> Option<f64> {
        let values = others.iter().map(|o| table.values(workload, *o)[block]);
        sample::mean(&values.collect::<Option<Vec<f64>>>()?)
    };
    let own = table.values(workload, c).iter().enumerate();
    let mut by_block: Vec<Option<f64>> =
        own.map(|(block, y)| Some((*y)? - common(block)?)).collect();
    let there: Vec<f64> = by_block.iter().flatten().copied().collect();
    let mean = sample::mean(&there).unwrap_or(0.0);
    by_block.iter_mut().flatten().for_each(|d| *d -= mean);
    Residuals { by_block, others: others.len() }
}

/// The others of `ranked` that stayed in the run at least as long as `c`.
fn others(run: &Run, ranked: &[CandidateIx], c: CandidateIx) -> Vec<CandidateIx> {
    let stayed = |c: CandidateIx| run.dropped.iter().find(|d| d.0 == c).map_or(u32::MAX, |d| d.1);
    ranked.iter().copied().filter(|o| *o != c && stayed(*o) >= stayed(c)).collect()
}
