//! Each candidate's own figures, run by run.
//!
//! They were measured in different sessions. What a session adds to all candidates cancels inside
//! a run and does not between runs, so the ratio of two of these is an observation.

use serde::Serialize;

use super::part::Part;
use crate::decide::figure::Figure;
use bakeoff_stats::sample;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub candidate: String,
    /// One for each run; `None` where it has no valid cell.
    pub runs: Vec<Option<Figure>>,
    /// Speed in units of the speed in the first run that has it; `None` where the runs may not be
    /// compared.
    pub ratios: Vec<Option<f64>>,
}

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
    part.table.scores(part.workload, candidate)
}

fn score(part: &Part, name: &str) -> Option<f64> {
    sample::mean(&values(part, name))
}

fn figure(part: &Part, name: &str) -> Option<Figure> {
    let metric = part.run.header.workloads[part.workload].metric;
    Figure::from_scores(metric, &values(part, name))
}
