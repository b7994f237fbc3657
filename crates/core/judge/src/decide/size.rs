//! How large the files of a workload are: as the plan asks, or by the room there is.

use thiserror::Error;

use bakeoff_machine::prepare::space;
use bakeoff_model::protocol::{Isolation, Protocol};
use bakeoff_model::workload::{Phase, Workload};
use bakeoff_stats::units;

const APPEND_NS: u64 = 4_000_000_000;
const MIB: u64 = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizeLimits {
    pub file_bytes: u64,
    pub scratch_bytes: u64,
    /// What the fastest candidate writes in order, bytes a second.
    pub bytes_per_s: f64,
}

impl SizeLimits {
    pub fn sized(&self, workload: &Workload) -> Workload {
        let mut workload = workload.clone();
        let asked = workload.sized.then_some(workload.job.size);
        workload.job.size = match workload.phase {
            // It cannot be larger than the data file, which is laid out in whole steps.
            Phase::ColdRead | Phase::Overwrite => {
                asked.map_or(self.file_bytes, |bytes| bytes.min(self.file_bytes))
            }
            // Beside the data file, and with blocks of its own size.
            Phase::Whole => asked
                .unwrap_or_else(|| self.file_bytes.min(self.scratch_bytes.max(MIB)))
                .max(workload.job.bs),
            Phase::Append => asked.unwrap_or_else(|| self.append_bytes()),
            Phase::Metadata => workload.job.size,
        };
        workload
    }

    /// What the fastest candidate writes in a cell, within the room that is left.
    fn append_bytes(&self) -> u64 {
        let wanted = (self.bytes_per_s * APPEND_NS as f64 / 1e9) as u64;
        space::growing_bytes(wanted.max(self.file_bytes), self.scratch_bytes)
    }
}

/// Time for one data file where visits follow each other, or where nothing limits the run.
const LAYOUT_NS: u64 = 2_000_000_000;
/// Blocks that a run has time for, as far as the size of its data file goes, to those of its first
/// look.
const MORE_BLOCKS: u64 = 2;
/// Share of a block that laying out its data files may take.
const LAYOUT_SHARE: u64 = 10;
/// Share of the bytes a run may write that go into data files.
const WEAR_SHARE: u64 = 4;

/// Largest data file that a run of stacks has time for, at so many bytes a second. Side by side
/// each filesystem has its own once in a block, and all of them may take a tenth of the block.
fn laid_out_bytes(protocol: &Protocol, filesystems: u64, bytes_per_s: f64) -> u64 {
    let usual = space::laid_out_bytes(bytes_per_s, LAYOUT_NS);
    match (protocol.isolation, protocol.time_ns) {
        (Isolation::Slices, Some(time_ns)) => {
            let ns = time_ns / blocks(protocol) / LAYOUT_SHARE / filesystems.max(1);
            usual.max((bytes_per_s * ns as f64 / 1e9) as u64)
        }
        (Isolation::Slices | Isolation::Visit, _) => usual,
    }
}

/// Size of the data file on so many filesystems in each block, with `room_bytes` for it on each:
/// over the blocks that a run has time for it may take a quarter of the bytes that may be written.
/// `None` = not even the smallest has room.
pub fn data_file_bytes(
    protocol: &Protocol,
    (filesystems, room_bytes): (u64, u64),
    bytes_per_s: f64,
) -> Option<u64> {
    let wear = protocol.max_write_bytes.map(|bytes| bytes / WEAR_SHARE);
    let layouts = filesystems * (blocks(protocol) + 1);
    let by_time = laid_out_bytes(protocol, filesystems, bytes_per_s);
    space::file_bytes(room_bytes, wear, layouts, by_time)
}

fn blocks(protocol: &Protocol) -> u64 {
    u64::from(protocol.first_look()) * MORE_BLOCKS
}

/// A workload whose own files do not fit beside the data file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{name}: its files of {} and a data file of {} do not fit into a region of {}, a quarter of \
     which is reserved for the filesystem: use a smaller size or a larger region",
    units::size(*.size_bytes),
    units::size(*.file_bytes),
    units::size(*.region_bytes)
)]
pub struct DoesNotFit {
    name: String,
    size_bytes: u64,
    file_bytes: u64,
    region_bytes: u64,
}

/// Whether the files that workloads ask for fit on a region beside its data file.
pub fn fits_beside(
    workloads: &[Workload],
    file_bytes: u64,
    region_bytes: u64,
) -> Result<(), DoesNotFit> {
    let room = files_bytes(region_bytes).saturating_sub(file_bytes);
    match with_own_files(workloads).find(|w| w.job.size > room) {
        None => Ok(()),
        Some(w) => {
            let (name, size_bytes) = (w.name.clone(), w.job.size);
            Err(DoesNotFit { name, size_bytes, file_bytes, region_bytes })
        }
    }
}

/// Room for a data file beside the files that workloads ask for, for each of so many candidates
/// that share the region.
pub fn left_bytes(workloads: &[Workload], sharing: u64, region_bytes: u64) -> u64 {
    let asked = with_own_files(workloads).map(|w| w.job.size).max().unwrap_or(0);
    files_bytes(region_bytes).saturating_sub(asked.saturating_mul(sharing))
}

/// The smallest region that has room for the files of workloads, for each of so many candidates
/// that share it, and for a data file, which may be asked for.
pub fn least_region_bytes(workloads: &[Workload], sharing: u64, file_bytes: Option<u64>) -> u64 {
    let asked = with_own_files(workloads).map(|w| w.job.size).max().unwrap_or(0);
    let all = file_bytes.unwrap_or(space::FILE_MIN_BYTES).saturating_add(asked * sharing);
    let alone = file_bytes.map_or(4 * space::FILE_MIN_BYTES, |bytes| 2 * bytes);
    (all / 3 * 4 + 4).max(alone)
}

fn files_bytes(region_bytes: u64) -> u64 {
    region_bytes / 4 * 3
}

fn with_own_files(workloads: &[Workload]) -> impl Iterator<Item = &Workload> {
    let has_own = |w: &&Workload| w.sized && matches!(w.phase, Phase::Whole | Phase::Append);
    workloads.iter().filter(has_own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_model::profiles;
    use bakeoff_model::workloads;

    const ROOM: SizeLimits =
        SizeLimits { file_bytes: 64 * MIB, scratch_bytes: 48 * MIB, bytes_per_s: 50e6 };

    fn workload(name: &str, asked: Option<u64>) -> Workload {
        let mut all = workloads::all().into_iter().chain(profiles::all());
        let found = all.find(|w| w.name == name).expect("a workload of that name");
        let mut job = found.job.clone();
        job.size = asked.unwrap_or(job.size);
        Workload { job, sized: asked.is_some(), ..found }
    }

    fn mib(name: &str, asked_mib: Option<u64>) -> u64 {
        ROOM.sized(&workload(name, asked_mib.map(|n| n * MIB))).job.size / MIB
    }

    #[test]
    fn what_is_asked_for_is_done_and_the_rest_follows_the_room() {
        assert_eq!((mib("nas-read", None), mib("nas-read", Some(8))), (48, 8));
        assert_eq!((mib("randread", None), mib("randread", Some(8))), (64, 8));
        assert_eq!((mib("seqwrite", None), mib("seqwrite", Some(8))), (32, 8));
        assert_eq!(mib("randwrite", Some(80)), 64, "the data file is as large as it is");
    }

    #[test]
    fn files_beside_the_data_file_leave_a_quarter_of_the_region() {
        let region = 256 * MIB;
        let all = [workload("boot", Some(128 * MIB)), workload("randread", Some(1 << 40))];
        assert_eq!(fits_beside(&all, 64 * MIB, region), Ok(()));
        let error = fits_beside(&all, 65 * MIB, region).expect_err("a mebibyte too much");
        assert!(error.to_string().contains("128 MiB and a data file of 65 MiB"), "{error}");
        assert_eq!(fits_beside(&[workload("boot", None)], 65 * MIB, region), Ok(()));
        assert_eq!(left_bytes(&all, 1, region), 64 * MIB, "a data file that large does fit");
        assert_eq!(left_bytes(&all[1..], 1, region), 192 * MIB);
        assert_eq!(left_bytes(&all, 4, region), 0);
        let least = least_region_bytes(&all, 1, None);
        assert!(left_bytes(&all, 1, least) >= 16 * MIB && least < 200 * MIB, "{least}");
        assert_eq!(least_region_bytes(&[], 1, None), 64 * MIB);
        assert_eq!(
            fits_beside(&all, 64 * MIB, least_region_bytes(&all, 1, Some(64 * MIB))),
            Ok(())
        );
    }
}
