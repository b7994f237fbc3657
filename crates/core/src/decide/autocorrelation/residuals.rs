//! A candidate's own noise: what is left of its numbers after what all have in common.

use crate::decide::compare::Comparison;
use crate::decide::table::Table;
use crate::model::index::{CandidateIx, WorkloadIx};
use crate::model::run::Run;
use crate::stats::own_noise::own_noise;
use crate::stats::sample;

const ROUNDING: f64 = 1e-9;

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

    /// In units of their own standard deviation, so that those of several workloads add up.
    pub fn in_own_sd(&self) -> Vec<Option<f64>> {
        let sd = sample::sd(&self.values()).filter(|sd| *sd > ROUNDING);
        self.by_block.iter().map(|v| Some((*v)? / sd?)).collect()
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

/// Probability that `c` scatters so much more than the others from block to block by chance. Over
/// the mean of its workloads: a wave of the candidate is in all of them, their errors are not.
pub fn scatters_alone(
    run: &Run,
    table: &Table,
    comparisons: &[Comparison],
    c: CandidateIx,
) -> Option<f64> {
    let compared: Vec<(WorkloadIx, &Comparison)> = WorkloadIx::each(comparisons)
        .filter(|(_, compared)| compared.ranked.contains(&c))
        .collect();
    let others = others(run, &compared.first()?.1.ranked, c);
    // In units of what is usual on the workload, so that one that is noisy by nature counts as one.
    let scale = |workload: WorkloadIx, ranked: &[CandidateIx]| -> Option<f64> {
        let of =
            |c: &CandidateIx| sample::sd(&own_residuals(run, table, workload, ranked, *c).values());
        let usual = sample::mean(&ranked.iter().filter_map(of).collect::<Vec<f64>>());
        usual.filter(|usual| *usual > ROUNDING)
    };
    let scaled: Vec<(WorkloadIx, f64)> =
        compared.iter().filter_map(|(w, of)| Some((*w, scale(*w, &of.ranked)?))).collect();
    let mean = |c: CandidateIx, block: usize| -> Option<f64> {
        let of = |(w, scale): &(WorkloadIx, f64)| Some(table.values(*w, c)[block]? / scale);
        sample::mean(&scaled.iter().map(of).collect::<Option<Vec<f64>>>()?)
    };
    let everybody = |block: usize| -> Option<Vec<f64>> {
        std::iter::once(&c).chain(&others).map(|o| mean(*o, block)).collect()
    };
    let blocks: Vec<Vec<f64>> = (0..table.blocks().len()).filter_map(everybody).collect();
    let column = |i: usize| blocks.iter().map(|b| b[i]).collect::<Vec<f64>>();
    let others: Vec<Vec<f64>> = (1..=others.len()).map(column).collect();
    own_noise(&column(0), &others.iter().map(Vec::as_slice).collect::<Vec<_>>())
}
