//! The figure of a cell and its stalls: the one place where a measurement becomes a number that is
//! compared.

use serde::Serialize;

use bakeoff_model::event::Cell;
use bakeoff_model::slices::{self, Stalls};
use bakeoff_model::workload::Metric;
use bakeoff_stats::sample;

/// What a candidate reached on a workload in one run, in the unit of the metric: bytes, operations
/// or files a second, or ns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figure {
    pub mean: f64,
    pub min: f64,
    pub max: f64,
    pub cells: u32,
}

impl Figure {
    /// The figure of the scores of its cells; `None` where it has none.
    pub fn from_scores(metric: Metric, scores: &[f64]) -> Option<Figure> {
        let (min, max) = sample::range(scores.iter().map(|score| metric.from_score(*score)))?;
        Some(Figure {
            mean: metric.from_score(sample::mean(scores)?),
            min,
            max,
            cells: scores.len() as u32,
        })
    }
}

/// The figure of a cell in the unit of its metric: the middle of its slices where it has any,
/// otherwise all its work over its time. `None` where nothing was done, or too little for a
/// quantile, which is one of all operations of all slices.
pub fn of_cell(metric: Metric, cell: &Cell) -> Option<f64> {
    if cell.slices.is_empty() || metric.less_is_better() {
        metric.value(&cell.measurement)
    } else {
        slices::figure(&cell.slices, metric).map(|of| of.figure)
    }
}

/// The stalls of cells together. One that is one piece does not count, because no stall can be told
/// apart in it.
pub fn stalls<'c>(metric: Metric, cells: impl IntoIterator<Item = &'c Cell>) -> Stalls {
    let figures = cells.into_iter().filter_map(|cell| slices::figure(&cell.slices, metric));
    figures.map(|of| of.stalls).fold(Stalls::default(), Stalls::plus)
}
