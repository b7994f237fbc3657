//! Each candidate's own figures, run by run.
//!
//! They were measured in different sessions. What a session adds to all candidates cancels inside
//! a run and does not between runs, so the ratio of two of these is an observation.

use serde::Serialize;

use super::part::Part;
use crate::stats::sample;

/// A candidate in every run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its name.
    pub candidate: String,
    /// One for each run; `None` where it has no valid cell.
    pub runs: Vec<Option<Figure>>,
    /// Speed in units of the speed in the first run that has it; `None` where the runs may not be
    /// compared.
    pub ratios: Vec<Option<f64>>,
}

/// A figure of one run, in the unit of the metric: bytes, operations or files a second, or ns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Geometric mean over complete blocks.
    pub mean: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// Cells behind it.
    pub cells: u32,
}

/// Rows for the candidates that all runs have.
pub(super) fn rows(parts: &[Part], shared: &[&str], is_ranked: bool) -> Vec<Row> {
    let row = |name: &&str| {
        let scores: Vec<Option<f64>> = parts.iter().map(|p| score(p, name)).collect();
        let base = scores.iter().flatten().next().copied();
        let ratio = |score: &Option<f64>| Some(libm::exp((*score)? - base?));
        Row {
            candidate: (*name).to_string(),
            runs: parts.iter().map(|p| figure(p, name)).collect(),
            ratios: scores.iter().map(|s| ratio(s).filter(|_| is_ranked)).collect(),
        }
    };
    shared.iter().map(row).collect()
}

fn values(part: &Part, name: &str) -> Vec<f64> {
    let Some(candidate) = part.index(name) else { return Vec::new() };
    part.table.values(part.workload, candidate).iter().flatten().copied().collect()
}

/// Mean of the logarithms of which more is better.
fn score(part: &Part, name: &str) -> Option<f64> {
    sample::mean(&values(part, name))
}

fn figure(part: &Part, name: &str) -> Option<Figure> {
    let values = values(part, name);
    let metric = part.run.header.workloads[part.workload].metric;
    let figures = || values.iter().map(|score| metric.of_score(*score));
    Some(Figure {
        mean: metric.of_score(sample::mean(&values)?),
        min: figures().min_by(f64::total_cmp)?,
        max: figures().max_by(f64::total_cmp)?,
        cells: values.len() as u32,
    })
}
