//! One candidate, which is measured and not compared.

use bakeoff_judge::evidence;
use bakeoff_model::index::WorkloadIx;
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::WorkloadVerdict;

use super::matrix::{figure_words, metric};

/// What it did on one workload: "1240/s (lowest 1180/s, highest 1300/s)", or why that is not known.
pub fn words(run: &Run, verdict: &WorkloadVerdict) -> String {
    let Some(own) = verdict.standings.first() else {
        let at = WorkloadIx::find(&run.header.workloads, |w| w.name == verdict.workload);
        return match at.and_then(|at| evidence::discarded(run, at).pop()) {
            Some(reason) => format!("Discarded: {}.", sanitize(&reason)),
            None => "Not measured yet.".to_string(),
        };
    };
    let figure = |value| figure_words(metric(run, verdict), value);
    match own.cells {
        0 | 1 => figure(own.mean),
        _ => format!(
            "{} (lowest {}, highest {})",
            figure(own.mean),
            figure(own.min),
            figure(own.max)
        ),
    }
}
