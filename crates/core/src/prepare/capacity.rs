//! Whether what workloads make fits on each candidate, as far as that is known before it is made.
//!
//! Every filesystem keeps something of its region to itself. What is counted here is what it keeps
//! on a small one at least, as mkfs of e2fsprogs 1.47, f2fs-tools 1.15, btrfs-progs 6.2, xfsprogs
//! 6.1 and nilfs-tools 2.2 make it: so what is named does not fit once it is made in full, and
//! something that is not named may still not fit.

use super::recipe::{layers_bytes, recipe_of};
use super::space::{FILE_MAX_BYTES, FILE_MIN_BYTES};
use crate::model::candidate::{Candidate, Stack};
use crate::model::job::Rw;
use crate::model::profile::Profile;
use crate::model::workload::{Phase, Workload};

/// Share of what files may have that the data file takes, and as much what is made beside it.
const SHARE: u64 = 4;
/// Small files of bonnie++ where nobody says otherwise.
const BONNIE_FILES: u64 = 16 * 1024;
/// Regions that are looked at for one that is enough: steps, and how many.
const STEP_BYTES: u64 = 64 << 20;
const STEPS: u64 = 4096;

/// Bytes of a region that no file gets, at least. What further words for mkfs make of that is not
/// known.
fn kept_bytes(stack: &Stack) -> u64 {
    let recipe = recipe_of(stack).filter(|recipe| stack.mkfs == recipe.options);
    layers_bytes(stack) + recipe.map_or(0, |recipe| recipe.keeps_bytes)
}

/// Room for the data file, and as much again for what is made beside it, on a region that each of
/// these candidates is made on.
pub fn scratch_bytes(candidates: &[Candidate], region_bytes: u64) -> u64 {
    let kept = candidates.iter().filter_map(Candidate::stack).map(kept_bytes).max().unwrap_or(0);
    let room = region_bytes.saturating_sub(kept) / SHARE;
    room.max(FILE_MIN_BYTES).min(region_bytes / SHARE)
}

/// A workload that has no room on a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The workload, or the profile it is a part of.
    pub workload: String,
    /// The candidate.
    pub candidate: String,
    /// What it writes beside its data file.
    pub files: Files,
    /// The data file.
    pub data_bytes: u64,
    /// What all need.
    pub needed_bytes: u64,
    /// What the candidate leaves of the region at most.
    pub left_bytes: u64,
    /// The region.
    pub region_bytes: u64,
    /// A region that is large enough, where one is found.
    pub enough_bytes: Option<u64>,
}

/// What a workload writes beside its data file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// So many files.
    Count(u64),
    /// Files of the size that the plan asks for.
    Sized,
}

/// What does not fit on which candidate, by name, each once; `regions` in the order of the device
/// axis, `file_bytes` of the data file where it is asked for.
pub fn too_large(
    candidates: &[Candidate],
    workloads: &[Workload],
    file_bytes: Option<u64>,
    regions: &[u64],
) -> Vec<TooLarge> {
    let mut found: Vec<TooLarge> = Vec::new();
    for candidate in candidates.iter().filter(|candidate| candidate.twin_of.is_none()) {
        let region = regions.get(usize::from(candidate.region));
        let Some((stack, region_bytes)) = candidate.stack().zip(region) else { continue };
        for workload in workloads {
            let is_it = |known: &TooLarge| {
                known.workload == called(workload) && known.candidate == candidate.name
            };
            if !found.iter().any(is_it) {
                found.extend(lacks(candidate, stack, workload, file_bytes, *region_bytes));
            }
        }
    }
    found
}

/// The parts of a profile are measured together.
fn called(workload: &Workload) -> &str {
    workload.profile.map_or(&workload.name, |part| part.profile.name())
}

/// Files a workload makes at once, and their bytes.
fn files(workload: &Workload) -> (u64, u64) {
    let job = &workload.job;
    if let Some(part) = workload.profile {
        let own = if job.nrfiles > 0 { job.nrfiles.into() } else { BONNIE_FILES };
        return if part.profile == Profile::Bonnie { (own, 0) } else { (0, 0) };
    }
    let is_metadata = workload.phase == Phase::Metadata && job.rw == Rw::SmallFiles;
    if is_metadata { (job.size / job.bs.max(1), job.size) } else { (0, 0) }
}

/// Why a workload does not fit, with what would do.
fn lacks(
    candidate: &Candidate,
    stack: &Stack,
    workload: &Workload,
    file_bytes: Option<u64>,
    region_bytes: u64,
) -> Option<TooLarge> {
    let kept = kept_bytes(stack);
    let (count, bytes) = files(workload);
    let each = recipe_of(stack).map_or(0, |recipe| recipe.file_bytes);
    let is_asked = workload.sized && matches!(workload.phase, Phase::Whole | Phase::Append);
    let asked = if is_asked { workload.job.size } else { 0 };
    let needs = asked.max(count.saturating_mul(each).saturating_add(bytes));
    let fits = |data: u64, region: u64| {
        data.saturating_add(needs) <= region.saturating_sub(kept) && needs > 0
    };
    let data = file_bytes.unwrap_or(FILE_MIN_BYTES);
    if needs == 0 || fits(data, region_bytes) {
        return None;
    }
    let enough = (1..=STEPS).map(|step| step * STEP_BYTES).find(|region| {
        let room = (region.saturating_sub(kept) / SHARE).clamp(FILE_MIN_BYTES, FILE_MAX_BYTES);
        *region > region_bytes && fits(file_bytes.unwrap_or(room), *region)
    });
    Some(TooLarge {
        workload: called(workload).to_string(),
        candidate: candidate.name.clone(),
        files: if needs > asked { Files::Count(count) } else { Files::Sized },
        data_bytes: data,
        needed_bytes: data.saturating_add(needs),
        left_bytes: region_bytes.saturating_sub(kept),
        region_bytes,
        enough_bytes: enough,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{built_in, tests::expanded};

    const MIB: u64 = 1 << 20;

    fn found(region_mib: u64, change: impl Fn(&mut Workload)) -> Vec<TooLarge> {
        let mut made = expanded(built_in("usb-stick").expect("it is built in").text, &[]);
        made.workloads.iter_mut().for_each(change);
        too_large(&made.candidates, &made.workloads, None, &[region_mib * MIB])
    }

    #[test]
    fn f2fs_has_no_room_for_the_many_files_of_bonnie_on_a_small_region() {
        let expected = TooLarge {
            workload: "bonnie".into(),
            candidate: "f2fs".into(),
            files: Files::Count(BONNIE_FILES),
            data_bytes: 16 * MIB,
            needed_bytes: 80 * MIB,
            left_bytes: 68 * MIB,
            region_bytes: 128 * MIB,
            enough_bytes: Some(192 * MIB),
        };
        assert_eq!(found(128, |_| {}), [expected]);
        assert_eq!(found(192, |_| {}), [], "what is told to be enough is");
        assert_eq!(found(128, |w| w.job.nrfiles = 1024), []);
    }

    #[test]
    fn a_size_that_is_asked_for_is_held_against_what_each_leaves() {
        let asked = |w: &mut Workload| {
            if w.name == "seqwrite" {
                (w.sized, w.job.size) = (true, 240 * MIB);
            }
        };
        assert_eq!(found(320, asked), []);
        let all = found(300, asked);
        let [one] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!((one.workload.as_str(), one.candidate.as_str()), ("seqwrite", "f2fs"));
        assert_eq!(one.files, Files::Sized);
    }

    #[test]
    fn files_share_what_the_most_demanding_candidate_leaves() {
        let made = |fs: &str| {
            let text = format!("[axes]\nfs = {fs}\n[[stack]]\n[[workload]]\nname = 'randwrite'\n");
            expanded(&text, &[]).candidates
        };
        let room = |fs: &str, mib: u64| scratch_bytes(&made(fs), mib * MIB) / MIB;
        let smaller = "['btrfs']\nmkfs = [['-m', 'single']]";
        assert_eq!(room(smaller, 128), 32, "what is not known is not counted");
        assert_eq!((room("['ext4']", 128), room("['ext4', 'f2fs']", 128)), (32, 17));
        // Never less than the smallest data file, and never more than before.
        assert_eq!((room("['btrfs']", 128), room("['reiserfs']", 64)), (16, 16));
        assert_eq!(room("['f2fs', 'btrfs']", 4096), 1004);
    }
}
