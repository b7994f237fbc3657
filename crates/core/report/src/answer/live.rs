//! The matrix while a run is measured: few lines that a terminal redraws in place.

use crate::layout::{Tone, cut, paint};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use bakeoff_stats::phrases;

use super::{matrix, table};

/// Lines that are redrawn; more would scroll on a small terminal.
const LINES_MAX: usize = 12;

/// Candidates x workloads as far as they are measured: [`LINES_MAX`] lines of `width` columns at
/// most; none where nothing is compared. What is not shown is counted.
pub fn live(run: &Run, analysis: &Analysis, width: usize, color: bool) -> Vec<String> {
    if !analysis.compares {
        return Vec::new();
    }
    let width = width.max(40);
    let mut parts = table::parts(&matrix::from_run(run, analysis), "", width, color).into_iter();
    let mut lines = parts.next().unwrap_or_default();
    let mut hidden = Vec::new();
    let has_more_workloads = parts.next().is_some();
    if lines.len() > LINES_MAX || has_more_workloads {
        let left_out = lines.split_off(lines.len().min(LINES_MAX - 1)).len();
        hidden.extend((left_out > 0).then(|| phrases::count(left_out, "candidate")));
    }
    hidden.extend(has_more_workloads.then(|| "some workloads".to_string()));
    if !hidden.is_empty() {
        let note = format!("Not shown: {}.", phrases::list(&hidden));
        lines.push(paint(&cut(&note, width), Tone::Grey, color));
    }
    lines
}
