//! Rule L36: does one candidate's own noise wander from block to block?
//!
//! What all candidates have in common cancels in the difference inside a block. A slow wave of one
//! candidate alone does not: blocks are then no independent samples, and intervals too narrow.
//! Five or eight blocks can hardly show it, so the rule works in two steps: a run that might have a
//! wanderer is not over at an early look, and a verdict is refused where chance explains it badly.
//! How often that finds one is measured in docs/truth.md.

use super::finding;
use crate::decide::compare::Comparison;
use crate::decide::table::Table;
use crate::model::finding::Finding;
use crate::model::run::Run;
use crate::stats::autocorrelation::{Lag1, lag1};
use crate::stats::sample;

/// Probability, over all candidates of a workload, that independent noise is refused at one look.
const REFUSE_ALPHA: f64 = 0.02;
/// Probability, over all candidates of a run, that independent noise keeps it going at one look.
const GO_ON_ALPHA: f64 = 0.15;

/// Noise below this is that of the arithmetic.
const ROUNDING: f64 = 1e-9;

/// Candidates whose own residuals on `workload` wander, each with what was seen.
pub fn wanderers(
    run: &Run,
    table: &Table,
    workload: u16,
    compared: &Comparison,
) -> Vec<(u16, Lag1)> {
    let of = |c: &u16| {
        let residuals = own_residuals(run, table, workload, &compared.ranked, *c).values();
        Some((*c, lag1(&residuals)?))
    };
    suspects(compared.ranked.iter().filter_map(of), compared.ranked.len(), REFUSE_ALPHA)
}

/// Candidates that might wander: too little to refuse, enough to measure on. Looks at what a
/// candidate's workloads have in common in each block, because a wave of the candidate is in all of
/// them and their errors are not.
pub fn might_wander(run: &Run, table: &Table, comparisons: &[Comparison]) -> Vec<u16> {
    let compared = || (0..).zip(comparisons).filter(|(_, c)| c.ranked.len() >= 2);
    let of = |candidate: u16| {
        let series: Vec<Vec<Option<f64>>> = compared()
            .filter(|(_, c)| c.ranked.contains(&candidate))
            .map(|(w, c)| own_residuals(run, table, w, &c.ranked, candidate).in_own_sd())
            .collect();
        let block = |i: usize| {
            let here: Vec<f64> = series.iter().filter_map(|s| s[i]).collect();
            sample::mean(&here)
        };
        let common: Vec<f64> = (0..table.blocks().len()).filter_map(block).collect();
        Some((candidate, lag1(&common)?))
    };
    let most = compared().map(|(_, c)| c.ranked.len()).max().unwrap_or(0);
    let candidates = 0..run.header.candidates.len() as u16;
    let found = suspects(candidates.filter_map(of), most, GO_ON_ALPHA);
    found.into_iter().map(|(candidate, _)| candidate).collect()
}

/// Those that independent noise explains with less than `alpha` over all `candidates`.
fn suspects(
    found: impl Iterator<Item = (u16, Lag1)>,
    candidates: usize,
    alpha: f64,
) -> Vec<(u16, Lag1)> {
    if candidates < 2 {
        return Vec::new();
    }
    // The residuals of two candidates mirror each other: one test fewer than candidates.
    let alpha = alpha / (candidates - 1) as f64;
    found.filter(|(_, lag1)| lag1.p < alpha).collect()
}

/// The findings about one workload.
pub fn findings(run: &Run, table: &Table, workload: u16, compared: &Comparison) -> Vec<Finding> {
    let tell = |(c, Lag1 { r, p }): (u16, Lag1)| {
        let name = &run.header.candidates[usize::from(c)].name;
        let evidence = format!(
            "{name}'s own results wander: lag-1 autocorrelation {r:.2} over {} blocks, which \
             independent noise gives once in {:.0} runs",
            table.values(workload, c).iter().flatten().count(),
            1.0 / p.max(1e-6)
        );
        let advice = "precondition the disk, let it cool, and measure again with --mode decide";
        let mut found = finding(&run.header, "L36", evidence, advice);
        found.candidate = Some(name.clone());
        found
    };
    wanderers(run, table, workload, compared).into_iter().map(tell).collect()
}

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
    fn in_own_sd(&self) -> Vec<Option<f64>> {
        let sd = sample::sd(&self.values()).filter(|sd| *sd > ROUNDING);
        self.by_block.iter().map(|v| Some((*v)? / sd?)).collect()
    }
}

/// What is left of a candidate's `ln(rate)` in each block after what all have in common in that
/// block (the mean of the others) and its own mean. The others are those that stayed in the run at
/// least as long, so that the mean does not jump when one is dropped.
pub fn own_residuals(run: &Run, table: &Table, workload: u16, ranked: &[u16], c: u16) -> Residuals {
    let stayed = |c: u16| run.dropped.iter().find(|d| d.0 == c).map_or(u32::MAX, |d| d.1);
    let others: Vec<u16> =
        ranked.iter().copied().filter(|o| *o != c && stayed(*o) >= stayed(c)).collect();
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
