//! What a block of this run costs in time and bytes: as rehearsed, then as measured.

use super::schedule;
use bakeoff_model::event::{Action, Cell, FlashState, Region};
use bakeoff_model::index::CandidateIx;
use bakeoff_model::measurement::Measurement;
use bakeoff_model::run::{Block, BlockState, Run};

/// A commit writes whole pages: of the journal, the table, an index and the header.
const COMMIT_BYTES: u64 = 4 * 4096;

/// Time and bytes the next block is expected to take.
pub fn of_block(run: &Run) -> (u64, u64) {
    let planned = run.rehearsal.as_ref().map_or((0, 0), |r| (r.block_ns, r.block_write_bytes));
    match schedule::mean_block_ns(run) {
        None => planned,
        Some(mean_ns) => {
            let blocks = run.complete_blocks().count() as u64;
            // Of rounds what the next one writes: preparing the first is counted with it.
            let of = |b: &Block| match b.round {
                Some(_) => cells_bytes(b),
                None => block_bytes(run, b),
            };
            let written: u64 = run.complete_blocks().map(of).sum();
            (mean_ns, written / blocks.max(1))
        }
    }
}

/// Bytes the run has written so far, in whichever blocks. A region that was cut off while it was
/// written counts in full: a drive wears by it all the same.
pub fn written_bytes(run: &Run) -> u64 {
    let files = |visits: u64| run.rehearsal.as_ref().map_or(0, |r| visits * r.file_bytes);
    let rehearsed = files(run.header.all_stands().len() as u64);
    let on_region = run.header.region.is_some();
    let blocks = run.blocks.iter().map(|block| {
        let stands = run.header.stands(&block.order).len() as u64;
        let layouts = if on_region { files(stands) } else { 0 };
        layouts + cells_bytes(block)
    });
    let measured = blocks.sum::<u64>() + lost_bytes(run);
    overwritten_bytes(run) + rehearsed + measured + filled_bytes(run)
}

/// Bytes of the files that were made before measuring: those of every block, and before them of the
/// rehearsal, which are as many as the most of a block.
fn filled_bytes(run: &Run) -> u64 {
    let each: Vec<u64> = run.blocks.iter().map(|block| filled_in(run, block)).collect();
    each.iter().sum::<u64>() + each.iter().max().unwrap_or(&0)
}

fn filled_in(run: &Run, block: &Block) -> u64 {
    run.filled.iter().filter(|f| f.block == block.block).map(|f| f.tree.written_bytes).sum()
}

/// Bytes of the regions and images that were written in full, each time that was begun: before the
/// first block, before visits, and once more after a kill.
pub fn overwritten_bytes(run: &Run) -> u64 {
    let bytes = run.steps.iter().map(|record| match &record.step.action {
        Action::Overwrite { size_bytes, .. } | Action::Fill { size_bytes, .. } => *size_bytes,
        Action::Run { .. }
        | Action::RunWithKey { .. }
        | Action::MakeScratch { .. }
        | Action::AttachLoop { .. }
        | Action::SetKnob { .. }
        | Action::AddUdevRule { .. }
        | Action::Mount { .. } => 0,
    });
    bytes.sum()
}

/// Bytes of cells of which nothing is recorded: of each try whose number does not stand, and of the
/// one that was cut off in each block that was. As much as the largest like it that is recorded.
fn lost_bytes(run: &Run) -> u64 {
    let cells = || run.blocks.iter().flat_map(|block| &block.cells);
    let planned = run.rehearsal.as_ref().map_or(0, |r| r.block_write_bytes);
    let largest = cells().map(cell_bytes).max().unwrap_or(planned);
    let tries = run.invalid.iter().map(|(_, _, workload, _)| {
        let like_it = cells().filter(|cell| cell.workload == *workload);
        like_it.map(cell_bytes).max().unwrap_or(largest)
    });
    let is_cut_off = |block: &&Block| block.state == BlockState::Superseded;
    let cut_off = run.blocks.iter().filter(is_cut_off).count() as u64;
    tries.sum::<u64>() + cut_off * largest
}

/// Bytes written to prepare these visits: a data file each, and the region where every visit finds
/// it written anew.
fn visits_bytes(run: &Run, file_bytes: u64, order: &[CandidateIx]) -> u64 {
    let regions: Vec<&Region> = run.header.regions().collect();
    let restored = |candidate: &CandidateIx| {
        let index = candidate.get(&run.header.candidates)?.region;
        let region = regions.get(usize::from(index))?;
        (region.flash_state == FlashState::Overwritten).then_some(region.size_bytes)
    };
    let stands = run.header.stands(order);
    stands.iter().map(|shared| file_bytes + restored(&shared[0]).unwrap_or(0)).sum()
}

/// Bytes a block wrote: its cells, and what each visit on a region took.
fn block_bytes(run: &Run, block: &Block) -> u64 {
    // Rounds after the first find everything as the one before left it.
    let follows = block.round.is_some_and(|round| round.round > 0);
    let layout = match (&run.header.region, &run.rehearsal) {
        (Some(_), Some(rehearsal)) if !follows => {
            visits_bytes(run, rehearsal.file_bytes, &block.order)
        }
        _ => 0,
    };
    layout + filled_in(run, block) + cells_bytes(block)
}

fn cells_bytes(block: &Block) -> u64 {
    block.cells.iter().map(cell_bytes).sum()
}

fn cell_bytes(cell: &Cell) -> u64 {
    let beside = cell.beside.as_deref().map_or(0, measured_bytes);
    measured_bytes(&cell.measurement).saturating_add(beside)
}

/// Bytes that a measurement wrote, as far as they were counted.
pub fn measured_bytes(m: &Measurement) -> u64 {
    if let Some(bytes) = m.wrote_bytes {
        return bytes + m.laid_out_bytes.unwrap_or(0);
    }
    let written = [&m.write, &m.create].into_iter().flatten().map(|stats| stats.io_bytes);
    let commits = m.commit.iter().map(|stats| stats.io_bytes + stats.total_ios * COMMIT_BYTES);
    written.chain(commits).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_machine::prepare::steps;
    use bakeoff_model::event::{Event, Rehearsal, What};
    use bakeoff_model::path::RawPath;

    fn run(whats: Vec<What>) -> Run {
        let text = include_str!("../../../../../fixtures/bundle/v0.1.0.jsonl");
        let started: Event = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
        let event = |(seq, what)| Event { seq, unix_ns: 0, elapsed_ns: 0, what };
        let events: Vec<Event> =
            std::iter::once(started).chain((1..).zip(whats).map(event)).collect();
        Run::fold(&events).unwrap()
    }

    #[test]
    fn what_a_run_wrote_is_its_rehearsal_the_layouts_of_its_visits_and_its_cells() {
        use crate::testing::{RunBuilder, rehearsal};
        let rate = |_: u32, _: u16, _: u16| 1e3;
        let mut run = RunBuilder::stacks(&["a", "b", "c"]).play(2, rate).build();
        let cells: u64 = run.blocks.iter().map(cells_bytes).sum();
        assert!(run.header.region.is_some() && cells > 0);
        assert_eq!(written_bytes(&run), cells);
        run.rehearsal = Some(Rehearsal { file_bytes: 1000, ..rehearsal(&run.header) });
        // Three candidates once, and three visits in each of two blocks.
        assert_eq!(written_bytes(&run), cells + 3000 + 2 * 3000);
    }

    #[test]
    fn a_try_that_does_not_stand_counts_as_the_largest_cell_like_it() {
        let text = include_str!("../../../../../fixtures/bundle/v0.1.0.jsonl");
        let parsed = text.lines().map(serde_json::from_str::<Event>);
        let mut events: Vec<Event> = parsed.filter_map(Result::ok).collect();
        let before = Run::fold(&events).unwrap();
        let cells = || before.blocks.iter().flat_map(|block| &block.cells);
        let largest = cells().max_by_key(|cell| cell_bytes(cell)).unwrap();
        let (block, candidate, workload) = (largest.block, largest.candidate, largest.workload);
        let reason = "the machine was suspended for 12 s".to_string();
        let what = What::CellInvalid { block, candidate, workload, reason };
        let last = events.last().unwrap();
        events.push(Event { seq: last.seq + 1, what, ..last.clone() });
        let after = Run::fold(&events).unwrap();
        assert!(cell_bytes(largest) > 0);
        assert_eq!(written_bytes(&after) - written_bytes(&before), cell_bytes(largest));
    }

    #[test]
    fn a_region_written_again_after_a_kill_counts_again() {
        let device = RawPath::new("/dev/loop7");
        let overwrite = |number| What::StepPlanned(steps::overwrite(number, &device, 64, true));
        let killed = run(vec![overwrite(0)]);
        assert_eq!(written_bytes(&killed), 64, "a step that was begun and never ended");
        assert_eq!(written_bytes(&run(vec![overwrite(0), overwrite(1)])), 128);
    }
}
