//! The course of cells: what most of a candidate's cells show.
//!
//! A single cell of a real drive often has a step in it, so a rule speaks only where most cells of
//! a candidate show the same.

use bakeoff_model::event::Cell;
use bakeoff_model::measurement::Window;

/// Fewest windows whose course says anything: two seconds.
pub(super) const FEWEST: usize = 20;

/// Bytes a second of every whole window; operations where no bytes move.
fn rates(cell: &Cell) -> Vec<f64> {
    let windows = &cell.measurement.windows;
    let bytes = |w: &Window| w.read_bytes + w.write_bytes;
    let has_bytes = windows.iter().any(|w| bytes(w) > 0);
    let amount = |w: &Window| if has_bytes { bytes(w) } else { w.ios };
    whole(windows)
        .iter()
        .filter(|w| w.len_ns > 0)
        .map(|w| amount(w) as f64 * 1e9 / w.len_ns as f64)
        .collect()
}

/// The windows without the last one, where the end of the cell cut it short.
fn whole(windows: &[Window]) -> &[Window] {
    let Some((last, others)) = windows.split_last() else { return windows };
    let grid_ns = others.iter().map(|w| w.len_ns).filter(|ns| *ns > 0).min();
    if grid_ns.is_some_and(|ns| last.len_ns >= ns) { windows } else { others }
}

/// The cells in which `seen` shows something, when they are most of all that have `fewest` windows.
pub(super) fn in_most<T>(
    cells: &[&Cell],
    fewest: usize,
    seen: impl Fn(&[f64]) -> Option<T>,
) -> Option<(T, usize, usize)> {
    let long: Vec<Vec<f64>> =
        cells.iter().map(|c| rates(c)).filter(|r| r.len() >= fewest).collect();
    let mut shown: Vec<T> = long.iter().filter_map(|r| seen(r)).collect();
    let count = shown.len();
    (count > 0 && 2 * count > long.len()).then(|| (shown.swap_remove(0), count, long.len()))
}
