//! Whether what workloads make fits on each candidate, as far as that is known before it is made.
//!
//! Every filesystem keeps something of its region to itself. What is counted here is what it keeps
//! on a small one at least, as mkfs of e2fsprogs 1.47, f2fs-tools 1.15, btrfs-progs 6.2, xfsprogs
//! 6.1 and nilfs-tools 2.2 make it: so what is named does not fit once it is made in full, and
//! something that is not named may still not fit.

use super::recipe::{layers_bytes, recipe_of};
use super::space::{FILE_MAX_BYTES, FILE_MIN_BYTES};
use bakeoff_model::candidate::{Candidate, Skipped, Stack};
use bakeoff_model::job::Rw;
use bakeoff_model::workload::{Phase, Workload};
use bakeoff_stats::units;

/// Share of what files may have that the data file takes, and as much what is made beside it.
const SHARE: u64 = 4;
/// Share of what files may have that they get where a filesystem is filled: the rest is for what
/// describes them.
const UNMETADATA: (u64, u64) = (15, 16);
/// Regions that are looked at for one that is enough: steps, and how many.
const STEP_BYTES: u64 = 64 << 20;
const STEPS: u64 = 4096;

/// Bytes of a region that no file gets, at least. What further words for mkfs make of that is not
/// known.
fn kept_bytes(stack: &Stack) -> u64 {
    let recipe = recipe_of(stack).filter(|recipe| stack.mkfs == recipe.options);
    layers_bytes(stack) + recipe.map_or(0, |recipe| recipe.keeps_bytes)
}

/// What files may have of a region on each of these candidates, as far as that is known before.
fn files_bytes(candidates: &[Candidate], region_bytes: u64) -> u64 {
    let kept = candidates.iter().filter_map(Candidate::stack).map(kept_bytes).max().unwrap_or(0);
    region_bytes.saturating_sub(kept)
}

/// Room for the data file, and as much again for what is made beside it, on a region that each of
/// these candidates is made on.
pub fn scratch_bytes(candidates: &[Candidate], region_bytes: u64) -> u64 {
    let room = files_bytes(candidates, region_bytes);
    let usual = (room / SHARE).max(FILE_MIN_BYTES).min(region_bytes / SHARE);
    let beside =
        |c: &Candidate| fill_bytes(candidates, region_bytes) / 100 * c.state().data_percent();
    candidates.iter().filter(|c| !c.state().is_empty()).map(beside).fold(usual, u64::min)
}

/// What a share of fill is a share of: the same for all candidates, which get the same files then.
pub fn fill_bytes(candidates: &[Candidate], region_bytes: u64) -> u64 {
    files_bytes(candidates, region_bytes) / UNMETADATA.1 * UNMETADATA.0
}

/// Bytes that filling and ageing writes on all of these candidates, each on a region of that size.
pub fn filling_bytes(candidates: &[Candidate], region_bytes: u64) -> u64 {
    let room = fill_bytes(candidates, region_bytes);
    candidates.iter().map(|c| c.state().written_bytes(room)).fold(0, u64::saturating_add)
}

/// What does not fit on which candidate, by name, each once; `regions` in the order of the device
/// axis, `file_bytes` of the data file where it is asked for.
pub fn too_large(
    candidates: &[Candidate],
    workloads: &[Workload],
    file_bytes: Option<u64>,
    regions: &[u64],
) -> Vec<Skipped> {
    let mut found: Vec<Skipped> = Vec::new();
    for candidate in candidates.iter().filter(|candidate| candidate.twin_of.is_none()) {
        let region = regions.get(usize::from(candidate.region));
        let Some((stack, region_bytes)) = candidate.stack().zip(region) else { continue };
        for workload in workloads {
            let name = format!("{} on {}", called(workload), candidate.name);
            if !found.iter().any(|known| known.name == name) {
                let lacks = lacks(candidate, stack, workload, file_bytes, *region_bytes);
                found.extend(lacks.map(|why| Skipped::new(name, why)));
            }
        }
    }
    found
}

fn called(workload: &Workload) -> &str {
    workload.profile.map_or(&workload.name, |part| part.profile.name())
}

fn files(workload: &Workload) -> (u64, u64) {
    let job = &workload.job;
    let is_metadata = workload.phase == Phase::Metadata && job.rw == Rw::SmallFiles;
    if is_metadata { (job.size / job.bs.max(1), job.size) } else { (0, 0) }
}

fn lacks(
    candidate: &Candidate,
    stack: &Stack,
    workload: &Workload,
    file_bytes: Option<u64>,
    region_bytes: u64,
) -> Option<String> {
    let full = fill_bytes(std::slice::from_ref(candidate), region_bytes) / 100;
    let kept = kept_bytes(stack) + full * u64::from(candidate.state().fill_percent);
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
    let (what, smaller) = if needs > asked {
        (format!("{count} files"), "fewer files")
    } else {
        ("its files".to_string(), "a smaller size")
    };
    let larger = enough.map_or("Use ".to_string(), |region| {
        format!("Set size = \"{}m\" under [region], or use ", region >> 20)
    });
    Some(format!(
        "{what} and a data file of {} need at least {}, but {} leaves at most {} free in a region \
         of {}. {larger}{smaller}",
        units::size(data),
        units::size(data.saturating_add(needs)),
        candidate.name,
        units::size(region_bytes.saturating_sub(kept)),
        units::size(region_bytes),
    ))
}
