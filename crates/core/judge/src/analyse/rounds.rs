//! Mode characterise: what the rounds of each workload show, in numbers.
//!
//! The figure is the mean of the last five rounds, and it is called steady only where SNIA's test
//! says so. Nothing is ranked, whatever else stands beside it.

use crate::decide::rounds::{self, RoundEnd};
use bakeoff_model::index::WorkloadIx;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Rounds;
use bakeoff_stats::sample;
use bakeoff_stats::steady_state::{ROUNDS, Steadiness};

/// The rounds of a workload on the first candidate; `None` in other modes.
pub fn from_run(run: &Run, workload: WorkloadIx) -> Option<Rounds> {
    let keys = rounds::keys(run);
    let key = keys.iter().find(|key| key.contains(&workload));
    let key = key.filter(|_| rounds::is_of_rounds(run))?;
    let mut all = rounds::series(run, key);
    let last = all.pop().unwrap_or_default();
    let seen = rounds::steadiness(run, &last, workload);
    let figures: Vec<Option<f64>> =
        last.iter().map(|block| rounds::figure(run, block, workload)).collect();
    let window = &figures[figures.len().saturating_sub(ROUNDS)..];
    let valid: Vec<f64> = window.iter().flatten().copied().collect();
    Some(Rounds {
        blocks: last.iter().map(|block| block.block).collect(),
        is_steady: seen.is_some_and(Steadiness::is_steady),
        is_over: matches!(
            rounds::ended(run, &last, key),
            Some(RoundEnd::Steady | RoundEnd::Rounds)
        ),
        mean: sample::mean(&valid),
        range: seen.map(|s| s.range),
        slope: seen.map(|s| s.slope),
        earlier: all.iter().map(Vec::len).sum::<usize>() as u32,
        figures,
    })
}
