//! What a block of this run costs in time and bytes: as rehearsed, then as measured.

use bakeoff_core::decide::schedule;
use bakeoff_core::model::event::{FlashState, Region};
use bakeoff_core::model::run::{Block, Run};

/// A commit writes whole pages: of the journal, the table, an index and the header.
const COMMIT_BYTES: u64 = 4 * 4096;

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
        let regions: u64 = run.header.regions().map(|region| region.size_bytes).sum();
        let everyone: Vec<u16> = (0..run.header.candidates.len() as u16).collect();
        regions + visits_bytes(run, r.file_bytes, &everyone)
    });
    setup + precondition_bytes(run) + run.blocks.iter().map(|b| block_bytes(run, b)).sum::<u64>()
}

/// Bytes written to bring regions to their steady state.
pub fn precondition_bytes(run: &Run) -> u64 {
    run.preconditioned.iter().flat_map(|series| &series.rounds).map(|r| r.write_bytes).sum()
}

/// Bytes written to prepare these visits: a data file each, and the region where every visit finds
/// it written anew.
fn visits_bytes(run: &Run, file_bytes: u64, order: &[u16]) -> u64 {
    let regions: Vec<&Region> = run.header.regions().collect();
    let restored = |candidate: &u16| {
        let index = run.header.candidates.get(usize::from(*candidate))?.region;
        let region = regions.get(usize::from(index))?;
        (region.flash_state == FlashState::Overwritten).then_some(region.size_bytes)
    };
    order.iter().map(|c| file_bytes + restored(c).unwrap_or(0)).sum()
}

/// Bytes a block wrote: its cells, and what each visit on a region took.
fn block_bytes(run: &Run, block: &Block) -> u64 {
    let layout = match (&run.header.region, &run.rehearsal) {
        (Some(_), Some(rehearsal)) => visits_bytes(run, rehearsal.file_bytes, &block.order),
        _ => 0,
    };
    let cells = block.cells.iter().flat_map(|cell| {
        let m = &cell.measurement;
        let written = [&m.write, &m.create].into_iter().flatten().map(|stats| stats.io_bytes);
        let commits = m.commit.iter().map(|stats| stats.io_bytes + stats.total_ios * COMMIT_BYTES);
        written.chain(commits)
    });
    layout + cells.sum::<u64>()
}
