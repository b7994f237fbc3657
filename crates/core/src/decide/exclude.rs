//! Who is not ranked on a workload: memory is never a winner.
//!
//! A candidate whose reads came from memory, wholly or in part, is neither leader nor reference on
//! that workload. The same holds where that cannot be ruled out (a driver in user space, another
//! machine) while the others were counts to be cold, and for places that are memory.

use super::figure;
use super::rounds;
use super::table::Table;
use crate::cold_reads::COLD_SHARE;
use crate::evidence;
use crate::model::event::{CacheState, Cell};
use crate::model::host::PlaceClass;
use crate::model::index::{CandidateIx, WorkloadIx};
use crate::model::lead::NotRanked;
use crate::model::run::Run;
use crate::model::workload::Phase;

/// A candidate that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excluded {
    /// Its index.
    pub candidate: CandidateIx,
    /// Why.
    pub reason: NotRanked,
    /// Its cells for which that is so.
    pub cells: u32,
    /// Its cells.
    pub of: u32,
}

/// Those left out on `workload`, by index. Empty for runs of version 0.1, which ranked everybody.
pub fn excluded(run: &Run, table: &Table, workload: WorkloadIx) -> Vec<Excluded> {
    if run.header.protocol.rules.is_all_pairs() {
        return Vec::new();
    }
    let candidates = CandidateIx::all(run.header.candidates.len());
    let counts: Vec<ReadCounts> =
        candidates.map(|c| read_counts(run, table, workload, c)).collect();
    let some_are_cold = counts.iter().any(|s| s.cold > 0);
    let judge = |(candidate, counts): (CandidateIx, &ReadCounts)| {
        let found = if is_memory(run, candidate) {
            Some((NotRanked::Memory, counts.all))
        } else if counts.warm > 0 {
            Some((NotRanked::Memory, counts.warm))
        } else if counts.unknown > 0 && some_are_cold {
            Some((NotRanked::CacheUnknown, counts.unknown))
        } else {
            None
        };
        let (reason, cells) = found.filter(|_| counts.all > 0)?;
        Some(Excluded { candidate, reason, cells, of: counts.all })
    };
    CandidateIx::each(&counts).filter_map(judge).collect()
}

/// Where the reads of a candidate's cells came from.
#[derive(Clone, Copy, Debug, Default)]
struct ReadCounts {
    all: u32,
    warm: u32,
    unknown: u32,
    cold: u32,
}

fn read_counts(
    run: &Run,
    table: &Table,
    workload: WorkloadIx,
    candidate: CandidateIx,
) -> ReadCounts {
    let of = &run.header.workloads[workload];
    let mut counts = ReadCounts::default();
    let own = |c: &&Cell| (c.workload, c.candidate) == (workload, candidate);
    // Of a repeated cell the last one counts.
    for cell in table.blocks_of(run).filter_map(|b| b.cells.iter().rfind(own)) {
        let is_warm = cell.truth.cache == CacheState::Warm;
        let is_counted = rounds::counts(run, cell)
            && figure::of_cell(of.metric, cell).is_some()
            && (is_warm || !evidence::is_invalid(&run.header, cell));
        if !is_counted {
            continue;
        }
        counts.all += 1;
        // Other phases make their files new, and what they read back is told by other rules.
        if of.phase != Phase::ColdRead {
            continue;
        }
        match cell.truth.cache {
            CacheState::Warm => counts.warm += 1,
            CacheState::Unknown if has_moved(cell) => counts.cold += 1,
            CacheState::Unknown => counts.unknown += 1,
            CacheState::Cold => counts.cold += 1,
            CacheState::NotRead => {}
        }
    }
    counts
}

/// Whether the devices moved what was read, whoever stands between.
fn has_moved(cell: &Cell) -> bool {
    let read = cell.measurement.read.as_ref().map_or(0, |r| r.io_bytes);
    let moved = cell.truth.device_read_bytes;
    read > 0 && moved.is_some_and(|moved| moved as f64 >= read as f64 * COLD_SHARE)
}

fn is_memory(run: &Run, candidate: CandidateIx) -> bool {
    let place = run.header.candidates[candidate].place();
    place.is_some_and(|place| place.class == PlaceClass::Memory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;

    /// The first candidate's cells do not know where their bytes came from; the devices moved so
    /// many percent of them.
    fn unknown(cell: &mut Cell, percent: u64) {
        if cell.candidate == CandidateIx::FIRST {
            let read = cell.measurement.read.as_ref().map_or(0, |r| r.io_bytes);
            cell.truth.cache = CacheState::Unknown;
            cell.truth.device_read_bytes = Some(read / 100 * percent);
        }
    }

    fn left_out(change: fn(&mut Cell)) -> Vec<NotRanked> {
        let run = RunBuilder::directories(&["/a", "/b"]).workloads(&["seqread"]).cells(change);
        let run = run.play(5, |_, _, _| 900.0).build();
        let table = Table::from_evidence(&run);
        excluded(&run, &table, WorkloadIx::FIRST).iter().map(|excluded| excluded.reason).collect()
    }

    /// Of cells that cannot tell whether they were cold, those count whose devices moved the bytes.
    #[test]
    fn reads_of_which_nothing_is_known_count_where_the_devices_moved_them() {
        assert_eq!(left_out(|cell| unknown(cell, 100)), []);
        assert_eq!(left_out(|cell| unknown(cell, 50)), [NotRanked::CacheUnknown]);
    }
}
