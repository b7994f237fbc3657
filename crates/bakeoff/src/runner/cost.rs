//! What a block of this run costs in time and bytes: as rehearsed, then as measured.

use bakeoff_core::decide::schedule;
use bakeoff_core::model::run::{Block, Run};

/// Time and bytes the next block is expected to take.
pub fn of_block(run: &Run) -> (u64, u64) {
    let planned = run.rehearsal.as_ref().map_or((0, 0), |r| (r.block_ns, r.block_write_bytes));
    match schedule::mean_block_ns(run) {
        None => planned,
        Some(mean_ns) => {
            let blocks = run.complete_blocks().count() as u64;
            let written: u64 = run.complete_blocks().map(|b| block_bytes(run, b)).sum();
            (mean_ns, written / blocks.max(1))
        }
    }
}

/// Bytes the run has written so far, in whichever blocks.
pub fn written_bytes(run: &Run) -> u64 {
    let setup = run.rehearsal.as_ref().map_or(0, |r| {
        let image = run.header.region.as_ref().map_or(0, |region| region.size_bytes);
        image + r.file_bytes * run.header.candidates.len() as u64
    });
    setup + run.blocks.iter().map(|b| block_bytes(run, b)).sum::<u64>()
}

/// Bytes a block wrote: its cells, and on an image a data file for each visit.
fn block_bytes(run: &Run, block: &Block) -> u64 {
    let layout = match (&run.header.region, &run.rehearsal) {
        (Some(_), Some(rehearsal)) => rehearsal.file_bytes * block.order.len() as u64,
        _ => 0,
    };
    let cells = block.cells.iter().flat_map(|cell| {
        let m = &cell.measurement;
        [&m.write, &m.create].into_iter().flatten().map(|stats| stats.io_bytes)
    });
    layout + cells.sum::<u64>()
}
