//! L37 not-steady: most cells of a candidate are not steady over their five parts, or their mean
//! changes permanently by over 10 %.

use super::course::in_most;
use crate::evidence::rule::Hit;
use bakeoff_model::event::Cell;
use bakeoff_model::thresholds;
use bakeoff_stats::steady_state::{ROUNDS, SLOPE, Steadiness};
use bakeoff_stats::{change_point, sample, steady_state};

/// Fewest windows of a cell that can be called unsteady: three seconds. Single windows of 100 ms
/// range over 20 % on a drive that is as steady as it gets.
const FEWEST: usize = 30;

pub fn in_course(cells: &[&Cell]) -> Option<Hit> {
    unsteady(cells).or_else(|| changes(cells))
}

fn changes(cells: &[&Cell]) -> Option<Hit> {
    let penalty = thresholds::CHANGE_PENALTY;
    let largest = |rates: &[f64]| -> Option<(f64, usize)> {
        let segments = change_point::segments(rates, penalty);
        let mean = sample::mean(rates).filter(|mean| *mean > 0.0)?;
        let steps = segments.windows(2).map(|w| ((w[1].mean - w[0].mean) / mean, w[1].start));
        steps.filter(|(step, _)| step.abs() > SLOPE).max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))
    };
    let ((step, at), count, all) = in_most(cells, FEWEST, largest)?;
    let evidence = format!(
        "the rate changes permanently in {count} of {all} measurements (in the first one by {:+.0} \
         % after {:.1} s)",
        step * 100.0,
        at as f64 / 10.0
    );
    let advice = "check the rate over time in the report, or measure longer: {runtime=60s}";
    Some(Hit::new(evidence, advice))
}

fn unsteady(cells: &[&Cell]) -> Option<Hit> {
    let unsteady = |rates: &[f64]| -> Option<Steadiness> {
        // Five rounds of the cell, as the standard has five of the device.
        let length = rates.len() / ROUNDS;
        let rounds: Vec<f64> =
            rates.chunks(length.max(1)).take(ROUNDS).filter_map(sample::mean).collect();
        steady_state::steadiness(&rounds).filter(|s| !s.is_steady())
    };
    let (steadiness, count, all) = in_most(cells, FEWEST, unsteady)?;
    let evidence = format!(
        "throughput was not steady in {count} of {all} measurements (first: range {:.0} %, trend \
         {:.0} %)",
        steadiness.range * 100.0,
        steadiness.slope * 100.0
    );
    let advice = "check the rate over time in the report, or measure longer: {runtime=60s}";
    Some(Hit::new(evidence, advice))
}
