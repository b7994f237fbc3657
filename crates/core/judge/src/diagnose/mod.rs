//! What holds a cell back: from what was seen to a cause, with how surely it is known.
//!
//! Three grades: *proved*, when a lower layer on its own is no faster;
//! *consistent*, when the signals agree with it; *unattributed* otherwise, with the rates of all
//! layers.
//! What spoils a cell is looked at first, and with it the kernel's own account of when we could
//! not run; then the processor, then the disk: a disk that waits for a processor looks idle, a
//! processor that waits for a disk looks idle, but one that runs all the time waits for nobody.
//! iowait and %util are never looked at.

pub mod baseline;
pub mod context;
mod cpu;
mod disk;
mod environment;
pub mod layers;
pub mod summary;

use crate::evidence;
pub use bakeoff_model::bottleneck::Reason;
pub use bakeoff_model::cause::{Cause, Grade};
use bakeoff_model::event::Cell;
use bakeoff_model::run::Run;
use context::CellContext;

/// What holds one cell of a run back; `None` when its workload is not in the run.
pub fn cell(run: &Run, cell: &Cell) -> Option<Reason> {
    let context = CellContext {
        header: &run.header,
        cell,
        workload: cell.workload.get(&run.header.workloads)?,
        ceilings: &run.ceilings,
        place: evidence::cell::place(&run.header, cell.candidate),
        positions: run.positions(cell.candidate),
    };
    Some(reason(&context))
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

pub fn reason(context: &CellContext) -> Reason {
    let steps = baseline::layers(context);
    let found = environment::heat_or_power(context)
        .or_else(|| cpu::waiting_thread(context))
        .or_else(|| environment::foreign(context))
        .or_else(|| environment::page_cache(context))
        .or_else(|| cpu::reasons(context, &steps))
        .or_else(|| disk::reasons(context, &steps));
    found.unwrap_or_else(|| Reason::unattributed(baseline::all(context, &steps)))
}

#[cfg(test)]
mod tests;
