//! L35 drift: the raw read before each block drifts over time by more than 3 % and the margin, or
//! the A/A control differs from its twin.

use super::{ALPHA, ComparedRun, FEWEST};
use crate::decide::compare::Comparison;
use crate::evidence::rule::Hit;
use crate::rules::control::{SETTLE, controls};
use bakeoff_model::thresholds;
use bakeoff_stats::sample;
use bakeoff_stats::spearman::spearman;
use bakeoff_stats::units;

/// The raw read at the start of each block. Drift is common to all and cancels inside blocks,
/// so it is reported where it is large against the margin of the mode, too.
pub fn sentinel(&ComparedRun { run, table, .. }: &ComparedRun) -> Option<Hit> {
    let reads: Vec<f64> =
        table.blocks_of(run).filter_map(|b| b.sentinel.filter(|s| *s > 0.0)).collect();
    if reads.len() < FEWEST {
        return None;
    }
    let half = reads.len() / 2;
    let early = sample::median(&reads[..half])?;
    let late = sample::median(&reads[reads.len() - half..])?;
    let drift = late / early - 1.0;
    let limit = thresholds::SENTINEL.max(run.header.protocol.tie_margin);
    (drift.abs() > limit && follows_time(&reads)).then(|| {
        let evidence = format!(
            "the raw read speed before each block changed from {} to {} ({:+.1} %)",
            units::rate(early),
            units::rate(late),
            drift * 100.0
        );
        Hit::common(evidence, SETTLE)
    })
}

fn follows_time(series: &[f64]) -> bool {
    let time: Vec<f64> = (0..series.len()).map(|i| i as f64).collect();
    let limit = thresholds::CORRELATION;
    spearman(&time, series).is_some_and(|s| s.rho.abs() > limit && s.p < ALPHA)
}

pub fn twins(of: &ComparedRun, compared: &Comparison) -> Vec<Hit> {
    let differing = controls(of.run, of.table, compared.workload)
        .filter(|control| control.interval.excludes_zero());
    differing.map(|control| Hit::new(control.measured_twice(), SETTLE)).collect()
}
