//! The figure of a cell and its stalls: the one place where a measurement becomes a number that is
//! compared.

use crate::model::event::Cell;
use crate::model::slices;
use crate::model::workload::Metric;

/// What stalled in a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellStalls {
    /// How many slices.
    pub number: u32,
    /// The longest, nanoseconds.
    pub longest_ns: u64,
    /// Time in all of them, nanoseconds.
    pub stalled_ns: u64,
    /// Time of the cell, nanoseconds.
    pub cell_ns: u64,
}

/// The figure of a cell in the unit of its metric: the middle of its slices where it has any,
/// otherwise all its work over its time. `None` where nothing was done, or too little for a
/// quantile, which is one of all operations of all slices.
pub fn of(metric: Metric, cell: &Cell) -> Option<f64> {
    match cell.slices.is_empty() || metric.less_is_better() {
        true => metric.of(&cell.measurement),
        false => slices::figure(&cell.slices, metric).map(|of| of.figure),
    }
}

/// The stalls of a cell; `None` where it is one piece and none can be told apart.
pub fn stalls(metric: Metric, cell: &Cell) -> Option<CellStalls> {
    let stalls = slices::figure(&cell.slices, metric)?.stalls;
    let valid = cell.slices.iter().filter(|slice| slice.is_valid());
    let cell_ns = valid.map(|slice| slice.elapsed_ns).sum();
    Some(CellStalls {
        number: stalls.count,
        longest_ns: stalls.longest_ns,
        stalled_ns: (stalls.time_share * cell_ns as f64) as u64,
        cell_ns,
    })
}
