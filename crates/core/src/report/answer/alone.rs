//! One candidate, which is measured and not compared.

use crate::model::verdict::WorkloadVerdict;
use crate::model::workload::Metric;
use crate::report::layout::cut;

use super::matrix::figure_words;

/// What it did on one workload, in `width` characters: "1240/s (1180/s to 1300/s)".
pub fn words(metric: Metric, verdict: &WorkloadVerdict, width: usize) -> String {
    let Some(own) = verdict.standings.first() else {
        return "Not measured yet.".to_string();
    };
    let figure = |value| figure_words(metric, value);
    let range = match own.cells {
        0 | 1 => String::new(),
        _ => format!(" (lowest {}, highest {})", figure(own.min), figure(own.max)),
    };
    cut(&format!("{}{range}", figure(own.mean)), width)
}
