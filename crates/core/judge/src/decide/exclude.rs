//! Who is not ranked on a workload: memory is never a winner.
//!
//! A candidate whose reads came from memory, wholly or in part, is neither leader nor reference on
//! that workload. The same applies where that cannot be ruled out (a driver in user space, another
//! machine), and to places that are memory.

use super::figure;
use super::rounds;
use super::table::ScoreTable;
use crate::cold_reads;
use crate::evidence;
use bakeoff_model::event::{CacheState, Cell};
use bakeoff_model::host::PlaceClass;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::lead::NotRanked;
use bakeoff_model::run::Run;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOutCandidate {
    pub candidate: CandidateIx,
    pub reason: NotRanked,
    pub cells: u32,
    pub of: u32,
}

pub fn excluded(run: &Run, table: &ScoreTable, workload: WorkloadIx) -> Vec<LeftOutCandidate> {
    let candidates = CandidateIx::all(run.header.candidates.len());
    let counts: Vec<ReadCounts> =
        candidates.map(|c| read_counts(run, table, workload, c)).collect();
    let judge = |(candidate, counts): (CandidateIx, &ReadCounts)| {
        let found = if is_memory(run, candidate) {
            Some((NotRanked::MemoryPlace, counts.all))
        } else if counts.behind > 0 {
            Some((NotRanked::Memory, counts.behind))
        } else if counts.warm * 2 > counts.all {
            // A few do not count, and the others do.
            Some((NotRanked::Memory, counts.warm))
        } else if counts.unknown > 0 {
            Some((NotRanked::CacheUnknown, counts.unknown))
        } else {
            None
        };
        let (reason, cells) = found.filter(|_| counts.all > 0)?;
        Some(LeftOutCandidate { candidate, reason, cells, of: counts.all })
    };
    CandidateIx::each(&counts).filter_map(judge).collect()
}

/// Where the reads of a candidate's cells came from.
#[derive(Clone, Copy, Debug, Default)]
struct ReadCounts {
    all: u32,
    warm: u32,
    behind: u32,
    unknown: u32,
}

fn read_counts(
    run: &Run,
    table: &ScoreTable,
    workload: WorkloadIx,
    candidate: CandidateIx,
) -> ReadCounts {
    let of = &run.header.workloads[workload];
    let mut counts = ReadCounts::default();
    let own = |c: &&Cell| (c.workload, c.candidate) == (workload, candidate);
    // Of a repeated cell the last one counts.
    for cell in table.blocks_of(run).filter_map(|b| b.cells.iter().rfind(own)) {
        let is_warm = evidence::reads_drive(of, cell) && cell.truth.cache == CacheState::Warm;
        let is_counted = rounds::counts(run, cell)
            && figure::of_cell(of.metric, cell).is_some()
            && (is_warm || !evidence::is_invalid(&run.header, cell));
        if !is_counted {
            continue;
        }
        counts.all += 1;
        match cell.truth.cache {
            _ if !evidence::reads_drive(of, cell) => {}
            CacheState::Warm => counts.warm += 1,
            CacheState::Unknown => match is_delivered(cell) {
                Some(true) => {}
                Some(false) => counts.behind += 1,
                None => counts.unknown += 1,
            },
            CacheState::Cold | CacheState::NotRead => {}
        }
    }
    counts
}

fn is_delivered(cell: &Cell) -> Option<bool> {
    let read = cell.measurement.read.as_ref().map_or(0, |r| r.io_bytes);
    cold_reads::is_delivered(&cell.truth, read)
}

fn is_memory(run: &Run, candidate: CandidateIx) -> bool {
    let place = run.header.candidates[candidate].place();
    place.is_some_and(|place| place.class == PlaceClass::Memory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;
    use bakeoff_model::workload::{Metric, Phase, Workload};

    /// The first candidate's cells do not know where their bytes came from; the devices moved so
    /// many percent of them.
    fn unknown(cell: &mut Cell, percent: u64) {
        if cell.candidate == CandidateIx::FIRST {
            let read = cell.measurement.read.as_ref().map_or(0, |r| r.io_bytes);
            cell.truth.cache = CacheState::Unknown;
            cell.truth.device_read_bytes = Some(read / 100 * percent);
        }
    }

    fn left_out(workload: &Workload, change: fn(&mut Cell)) -> Vec<NotRanked> {
        let run = RunBuilder::directories(&["/a", "/b"]).header(|h| {
            h.workloads = vec![workload.clone()];
            h.host.mem_total_bytes = 1 << 40;
        });
        // A second or so for each cell, so that there is time for all blocks.
        let rate = match workload.metric {
            Metric::Bandwidth => 50e6,
            Metric::LatencyP99 => 2e6,
            Metric::Iops | Metric::FilesPerSecond | Metric::TransactionsPerSecond => 900.0,
        };
        let run = run.cells(change).play(5, |_, _, _| rate).build();
        let table = ScoreTable::from_run(&run, 5);
        excluded(&run, &table, WorkloadIx::FIRST).iter().map(|excluded| excluded.reason).collect()
    }

    /// Of cells that cannot tell whether they were cold, those count whose devices moved the bytes.
    #[test]
    fn reads_of_which_nothing_is_known_count_where_the_devices_moved_them() {
        let seqread = bakeoff_model::workloads::find("seqread").expect("built in");
        assert_eq!(left_out(&seqread, |cell| unknown(cell, 100)), []);
        assert_eq!(left_out(&seqread, |cell| unknown(cell, 50)), [NotRanked::Memory]);
    }

    /// Behind ntfs-3g only the workloads that read a file laid out before were judged: the reads of
    /// sysbench and of every other profile came from memory and led, unmarked.
    #[test]
    fn memory_leads_on_no_workload_and_no_part_of_any_profile() {
        let mut read = 0;
        let all = bakeoff_model::workloads::all().into_iter();
        let all = all.chain(bakeoff_model::workloads::classic());
        for mut workload in all.chain(bakeoff_model::profiles::all()) {
            let spec = workload.profile.and_then(bakeoff_model::profiles::part_spec);
            workload.job.rw = spec.map_or(workload.job.rw, |spec| spec.rw);
            let measured = crate::testing::measurement(&workload, 900.0);
            let reads = measured.read.is_some() && workload.phase != Phase::Metadata;
            let warm = left_out(&workload, |cell| cell.truth.cache = CacheState::Warm);
            let unknown = left_out(&workload, |cell| {
                (cell.truth.cache, cell.truth.device_read_bytes) = (CacheState::Unknown, None);
            });
            let both = |reason| if reads { vec![reason; 2] } else { Vec::new() };
            assert_eq!(warm, both(NotRanked::Memory), "{}", workload.name);
            assert_eq!(unknown, both(NotRanked::CacheUnknown), "{}", workload.name);
            read += u32::from(reads);
        }
        assert!(read > 12, "{read} workloads read");
    }

    #[test]
    fn a_stray_block_from_memory_leaves_the_others_to_be_ranked() {
        let seqread = bakeoff_model::workloads::find("seqread").expect("built in");
        let stray = |cell: &mut Cell| {
            if cell.candidate == CandidateIx::FIRST
                && cell.block == bakeoff_model::index::BlockIx::FIRST
            {
                cell.truth.cache = CacheState::Warm;
            }
        };
        assert_eq!(left_out(&seqread, stray), []);
    }
}
