//! The figure of a cell and its stalls: the one place where a measurement becomes a number that is
//! compared.

use crate::model::event::Cell;
use crate::model::workload::Metric;

/// What was trimmed from a cell as stalls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellStalls {
    /// How many.
    pub number: u32,
    /// The longest, nanoseconds.
    pub longest_ns: u64,
    /// Time in all of them, nanoseconds.
    pub stalled_ns: u64,
    /// Time of the cell, nanoseconds.
    pub cell_ns: u64,
}

/// The figure of a cell in the unit of its metric; `None` where nothing was done.
pub fn of(metric: Metric, cell: &Cell) -> Option<f64> {
    metric.of(&cell.measurement)
}

/// The stalls of a cell; `None` where it is one piece and none can be told apart.
pub fn stalls(_cell: &Cell) -> Option<CellStalls> {
    None
}
