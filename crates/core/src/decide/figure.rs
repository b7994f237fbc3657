//! The figure of a cell and its stalls: the one place where a measurement becomes a number that is
//! compared.

use crate::model::event::Cell;
use crate::model::slices::{self, Stalls};
use crate::model::workload::Metric;

/// The figure of a cell in the unit of its metric: the middle of its slices where it has any,
/// otherwise all its work over its time. `None` where nothing was done, or too little for a
/// quantile, which is one of all operations of all slices.
pub fn of(metric: Metric, cell: &Cell) -> Option<f64> {
    match cell.slices.is_empty() || metric.less_is_better() {
        true => metric.of(&cell.measurement),
        false => slices::figure(&cell.slices, metric).map(|of| of.figure),
    }
}

/// The stalls of cells together. One that is one piece does not count, because no stall can be told
/// apart in it.
pub fn stalls<'c>(metric: Metric, cells: impl IntoIterator<Item = &'c Cell>) -> Stalls {
    let figures = cells.into_iter().filter_map(|cell| slices::figure(&cell.slices, metric));
    figures.map(|of| of.stalls).fold(Stalls::default(), Stalls::plus)
}
