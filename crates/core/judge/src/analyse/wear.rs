//! What candidates cost the flash, compared as their speed is: paired differences of logarithms
//! inside blocks, each other against the one that writes least, at the undivided alpha of the look
//! (see [`crate::decide::lead`] for why that holds).
//!
//! A figure is what reached the drive for each byte that a workload wrote. Where others may write
//! to the same device, what they moved is taken off, and a cell in which that is more than a
//! twentieth does not count: nobody counts which drive they used.

use crate::decide::schedule;
use crate::decide::table::ScoreTable;
use crate::evidence;
use bakeoff_model::event::Cell;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Effect;
use bakeoff_model::wear::{WearFigure, WearVerdict};
use bakeoff_stats::paired::Paired;
use bakeoff_stats::sample;

const FOREIGN_SHARE: f64 = 0.05;

/// A candidate's bytes at the drive for each byte in every block, logarithms, and its flushes for
/// each MB.
struct Worn {
    candidate: CandidateIx,
    blocks: Vec<Option<f64>>,
    flushes_per_mb: Option<f64>,
}

/// The candidates of one workload; `None` where nothing was counted.
pub fn of_workload(run: &Run, table: &ScoreTable, workload: WorkloadIx) -> Option<WearVerdict> {
    compare(run, each(run, table, workload))
}

/// The same over all workloads that write, each of the same weight; `None` where only one does.
pub fn of_run(run: &Run, table: &ScoreTable) -> Option<WearVerdict> {
    let workloads = WorkloadIx::all(run.header.workloads.len());
    let writing: Vec<Vec<Worn>> =
        workloads.map(|w| each(run, table, w)).filter(|worn| !worn.is_empty()).collect();
    let first = writing.first().filter(|_| writing.len() > 1)?;
    let over = |own: &Worn| {
        let find = |all: &'_ Vec<Worn>| {
            all.iter().find(|worn| worn.candidate == own.candidate).map(|w| w.blocks.clone())
        };
        let all: Vec<Vec<Option<f64>>> = writing.iter().map(find).collect::<Option<_>>()?;
        let mean = |block: usize| {
            sample::mean(&all.iter().map(|blocks| blocks[block]).collect::<Option<Vec<f64>>>()?)
        };
        let blocks: Vec<Option<f64>> = (0..own.blocks.len()).map(mean).collect();
        let is_known = blocks.iter().any(Option::is_some);
        is_known.then_some(Worn { candidate: own.candidate, blocks, flushes_per_mb: None })
    };
    compare(run, first.iter().filter_map(over).collect())
}

fn each(run: &Run, table: &ScoreTable, workload: WorkloadIx) -> Vec<Worn> {
    let own = CandidateIx::all(run.header.candidates.len());
    let own = own.filter(|c| run.header.candidates[*c].twin_of.is_none());
    own.filter_map(|candidate| worn(run, table, (workload, candidate))).collect()
}

fn worn(run: &Run, table: &ScoreTable, on: (WorkloadIx, CandidateIx)) -> Option<Worn> {
    let is_its = |cell: &&Cell| {
        (cell.workload, cell.candidate) == on && !evidence::is_invalid(&run.header, cell)
    };
    // Of a repeated cell the last one counts.
    let cells: Vec<Option<&Cell>> =
        table.blocks_of(run).map(|block| block.cells.iter().rfind(is_its)).collect();
    let of_cell = |cell: &Option<&Cell>| bytes_per_byte((*cell)?).map(libm::log);
    let blocks: Vec<Option<f64>> = cells.iter().map(of_cell).collect();
    let counted = cells.iter().flatten().filter_map(|cell| cell.measurement.drive_writes);
    let counted: Vec<(u64, Option<u64>)> =
        counted.map(|all| (all.asked_bytes, all.flushes)).collect();
    let asked: u64 = counted.iter().map(|of| of.0).sum();
    let flushes: Option<u64> = counted.iter().map(|of| of.1).sum();
    let flushes_per_mb = flushes.map(|flushes| flushes as f64 * 1e6 / asked.max(1) as f64);
    let is_known = blocks.iter().any(Option::is_some);
    is_known.then_some(Worn { candidate: on.1, blocks, flushes_per_mb })
}

/// What reached the drive for each byte that the workload wrote, what others wrote taken off.
fn bytes_per_byte(cell: &Cell) -> Option<f64> {
    let all = cell.measurement.drive_writes?;
    let foreign = if all.is_shared { cell.truth.foreign_bytes? } else { 0 };
    let reached = all.reached_bytes.saturating_sub(foreign) as f64;
    let is_ours = foreign as f64 <= FOREIGN_SHARE * all.reached_bytes as f64;
    (is_ours && all.asked_bytes > 0 && reached > 0.0).then(|| reached / all.asked_bytes as f64)
}

fn compare(run: &Run, mut all: Vec<Worn>) -> Option<WearVerdict> {
    let own = |worn: &Worn| worn.blocks.iter().flatten().copied().collect::<Vec<f64>>();
    let mean = |worn: &Worn| sample::mean(&own(worn)).unwrap_or(0.0);
    all.sort_by(|x, y| mean(x).total_cmp(&mean(y)).then(x.candidate.cmp(&y.candidate)));
    let least = all.first()?;
    let name = |worn: &Worn| run.header.candidates[worn.candidate].name.clone();
    let figure = |worn: &Worn| {
        let (low, high) = sample::range(own(worn))?;
        Some(WearFigure {
            candidate: name(worn),
            bytes_per_byte: libm::exp(mean(worn)),
            min: libm::exp(low),
            max: libm::exp(high),
            flushes_per_mb: worn.flushes_per_mb,
            blocks: own(worn).len() as u32,
        })
    };
    let more = |worn: &Worn| {
        let pairs = worn.blocks.iter().zip(&least.blocks);
        let differences: Vec<f64> = pairs.filter_map(|(a, b)| Some((*a)? - (*b)?)).collect();
        let paired = Paired::from_differences(&differences)?;
        let dropped = |c: &CandidateIx| run.dropped.iter().any(|d| d.0 == *c);
        let alpha = match [worn.candidate, least.candidate].into_iter().find(dropped) {
            Some(dropped) => schedule::alpha_with(run, dropped),
            None => schedule::alpha(run),
        };
        let interval = paired.interval(alpha);
        let is_enough = paired.blocks >= run.header.protocol.first_look();
        is_enough.then(|| Effect::new([name(worn), name(least)], paired, interval))
    };
    Some(WearVerdict {
        figures: all.iter().filter_map(figure).collect(),
        more: all.iter().skip(1).filter_map(more).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;
    use bakeoff_model::wear::DriveWrites;
    use bakeoff_model::workloads;

    /// Runs in which candidate `c` makes `reached(c, block)` bytes of 10 MB reach the drive.
    fn run_with(names: &[&str], blocks: u32, reached: impl Fn(u16, u32) -> u64) -> Run {
        let workloads = ["randwrite", "smallfiles"].map(|name| workloads::find(name).unwrap());
        let built = RunBuilder::stacks(names).header(|h| h.workloads = workloads.to_vec());
        let mut run = built.play(blocks, |_, c, _| 100.0 + f64::from(c)).build();
        for block in &mut run.blocks {
            for cell in &mut block.cells {
                let (candidate, number) = (cell.candidate.number(), cell.block.number());
                cell.measurement.drive_writes = Some(DriveWrites {
                    asked_bytes: 10_000_000,
                    reached_bytes: reached(candidate, number),
                    flushes: Some(200),
                    is_shared: false,
                });
            }
        }
        run
    }

    fn verdict(run: &Run) -> Option<WearVerdict> {
        of_workload(run, &ScoreTable::from_evidence(run), WorkloadIx::FIRST)
    }

    #[test]
    fn a_known_ratio_is_found_whatever_the_drive_has_in_common() {
        // What blocks have in common leaves with the difference.
        let common = |block: u32| 1.0 + 0.3 * f64::from(block % 3);
        let bytes = |c: u16, block: u32| {
            ([31e6, 14e6, 70e6][usize::from(c)] * common(block)) as u64 + u64::from(c * 97)
        };
        let found = verdict(&run_with(&["ext4", "f2fs", "btrfs"], 6, bytes)).unwrap();
        let names: Vec<&str> = found.figures.iter().map(|f| f.candidate.as_str()).collect();
        assert_eq!(names, ["f2fs", "ext4", "btrfs"]);
        assert!(found.is_certain());
        assert_eq!(found.figures[0].flushes_per_mb, Some(20.0));
        for (other, truth) in [("ext4", 31.0 / 14.0), ("btrfs", 5.0)] {
            let more = found.more_of(other).unwrap();
            assert!((more.ratio / truth - 1.0).abs() < 0.001, "{more:?}");
            assert!(more.low <= truth * 1.001 && more.high >= truth * 0.999, "{more:?}");
        }
    }

    #[test]
    fn what_scatters_as_much_as_it_differs_is_not_certain() {
        let bytes =
            |c: u16, block: u32| 10_000_000 + u64::from((block + u32::from(c)) % 2) * 4_000_000;
        let found = verdict(&run_with(&["a", "b"], 6, bytes)).unwrap();
        assert!(!found.is_certain() && found.more[0].low < 1.0, "{found:?}");
        let few = verdict(&run_with(&["a", "b"], 2, |c, _| 1_000_000 * u64::from(c + 1))).unwrap();
        assert!(few.more.is_empty() && !few.is_certain() && few.figures.len() == 2);
    }

    #[test]
    fn what_others_write_to_a_shared_device_is_taken_off_or_the_cell_does_not_count() {
        let mut run = run_with(&["a", "b"], 3, |_, _| 20_000_000);
        let mut share = |foreign: Option<u64>| {
            for cell in run.blocks.iter_mut().flat_map(|block| &mut block.cells) {
                cell.measurement.drive_writes.as_mut().unwrap().is_shared = true;
                cell.truth.foreign_bytes = foreign;
            }
            verdict(&run).map(|found| found.figures[0].bytes_per_byte)
        };
        assert!((share(Some(1_000_000)).unwrap() - 1.9).abs() < 1e-9);
        assert_eq!((share(Some(1_000_001)), share(None)), (None, None));
        run.blocks.iter_mut().flat_map(|block| &mut block.cells).for_each(|cell| {
            cell.measurement.drive_writes = None;
        });
        assert_eq!(verdict(&run), None);
    }

    #[test]
    fn all_workloads_together_weigh_the_same() {
        let mut run = run_with(&["a", "b"], 4, |c, _| 10_000_000 << c);
        let table = ScoreTable::from_evidence(&run);
        assert!((of_run(&run, &table).unwrap().more[0].ratio - 2.0).abs() < 1e-9);
        for cell in run.blocks.iter_mut().flat_map(|block| &mut block.cells) {
            if cell.workload == WorkloadIx::FIRST && cell.candidate.number() == 1 {
                cell.measurement.drive_writes.as_mut().unwrap().reached_bytes *= 4;
            }
        }
        let want = 4.0;
        let found = of_run(&run, &table).unwrap().more[0].ratio;
        assert!((found / want - 1.0).abs() < 1e-9, "{found}, not {want}");
        run.header.workloads.truncate(1);
        assert_eq!(of_run(&run, &table), None);
    }
}
