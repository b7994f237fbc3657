//! Which candidates of a plan stand side by side, and whether one stands twice.

use bakeoff_judge::decide::{size, twin};
use bakeoff_judge::plan::{Expanded, Plan};
use bakeoff_machine::prepare::recipe::{BTRFS, smallest_region_bytes};
use bakeoff_machine::prepare::region::{self, Span};
use bakeoff_machine::prepare::{capacity, space};
use bakeoff_model::candidate::Candidate;
use bakeoff_model::protocol::{Isolation, Mode};
use bakeoff_model::stands;
use bakeoff_model::workload::{Phase, Workload};
use bakeoff_stats::units;

use super::share::Share;
use crate::fault::Fault;
use crate::host;
use crate::load::scratch::MOST_STANDS;
use crate::places::targets;
use crate::steps::target::Target;

/// Candidates that take turns at most: each has a process of its own that measures it.
const MOST_MEMBERS: usize = 32;

/// How the candidates of a plan share a block.
pub enum Standing {
    /// Each target's place, and into how many regions it is divided.
    SideBySide(u16, Vec<Span>),
    Visits(Option<String>),
}

/// How candidates share a block on what they may have of the targets. Adds the twin of one: always
/// in `precise`, elsewhere where one more has room beside the others.
pub fn standing(
    asked: &Plan,
    made: &mut Expanded,
    share: &Share<'_>,
    file_bytes: u64,
    seed: u64,
) -> Result<Standing, Fault> {
    let is_precise = asked.protocol.mode == Mode::Precise;
    if is_precise || made.candidates.len() > 1 {
        for twin in twin::twins(&made.candidates, seed) {
            let mut both = made.clone();
            both.candidates.push(twin);
            // Where it has no room, what follows says so of the others.
            let standing = side_by_side(asked, &mut both, share, file_bytes);
            if let Ok(standing @ Standing::SideBySide(..)) = standing {
                *made = both;
                return Ok(standing);
            }
        }
    }
    if is_precise {
        made.candidates.extend(twin::drawn(&made.candidates, seed));
    }
    side_by_side(asked, made, share, file_bytes)
}

/// Whether more than one btrfs would stand on loop devices over one file: mkfs.btrfs takes them for
/// the same device, and the second is refused while the first is mounted.
fn several_btrfs_on_loops(made: &Expanded, region: usize, found: &[Target]) -> bool {
    let is_plain = |c: &&Candidate| {
        c.stack().is_some_and(|stack| stack.fs == BTRFS && stack.crypt.is_none() && !stack.lvm)
    };
    let on_region = made.candidates.iter().filter(|c| usize::from(c.region) == region);
    let on_loops = found.get(region).is_some_and(|target| target.is_image || !host::dm_runs());
    let plain: Vec<Candidate> = on_region.filter(is_plain).cloned().collect();
    on_loops && stands::count(&plain) > 1
}

/// Side by side, unless the plan asks for visits or has too little room.
fn side_by_side(
    asked: &Plan,
    made: &mut Expanded,
    share: &Share<'_>,
    file_bytes: u64,
) -> Result<Standing, Fault> {
    let found = share.targets;
    let on = |region: usize| {
        let own = made.candidates.iter().filter(|c| usize::from(c.region) == region);
        stands::count(&own.cloned().collect::<Vec<_>>())
    };
    let parts = (0..found.len()).map(on).max().unwrap_or(1).max(1);
    let parts = usize::try_from(parts).map_err(Fault::bug)?;
    let wants = asked.protocol.isolation;
    let are_tangled = (0..found.len()).any(|region| several_btrfs_on_loops(made, region, found));
    let is_visited = wants == Some(Isolation::Visit)
        || asked.protocol.mode == Mode::Characterise
        || made.candidates.len() < 2
        || are_tangled && wants.is_none()
        || !made.workloads.iter().any(Workload::can_be_sliced);
    if is_visited {
        return Ok(Standing::Visits(None));
    }
    if are_tangled {
        return Err(Fault::usage(
            "two btrfs cannot be mounted at once on loop devices over one device, because \
             mkfs.btrfs takes them for the same. Leave one out, load the dm_mod module, or set \
             isolation = \"visit\"",
        ));
    }
    let (spans, why) = match share.side_by_side(parts as u64) {
        Ok(spans) => {
            let why = lacks_room(made, (found, &spans), parts, file_bytes);
            (spans, why)
        }
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    match (why, wants) {
        (None, _) => {
            made.protocol.isolation = Isolation::Slices;
            Ok(Standing::SideBySide(u16::try_from(parts).map_err(Fault::bug)?, spans))
        }
        (Some(why), Some(Isolation::Slices)) => Err(Fault::usage(format!(
            "{parts} candidates do not fit side by side (at most {MOST_STANDS} do): {why}. Change \
             size in [region], or set isolation = \"visit\""
        ))),
        (Some(why), _) => Ok(Standing::Visits(Some(why))),
    }
}

/// Why candidates cannot stand side by side on these places, each divided into `parts` regions.
fn lacks_room(
    made: &Expanded,
    (found, spans): (&[Target], &[Span]),
    parts: usize,
    file_bytes: u64,
) -> Option<String> {
    // Regions begin where the device likes it.
    let part = |(target, span): (&Target, &Span)| {
        let granule_bytes = region::alignment_bytes(target.room.granule_bytes);
        span.size_bytes / parts as u64 / granule_bytes * granule_bytes
    };
    let regions: Vec<u64> = found.iter().zip(spans).map(part).collect();
    let own = regions.iter().copied().min().unwrap_or(0);
    let each = |what: String| format!("each would get {}, and {what}", units::size(own));
    if parts * spans.len() > MOST_STANDS || made.candidates.len() > MOST_MEMBERS {
        return Some(each("there are too many".to_string()));
    }
    let (_, sharing) = stands::compared(&made.candidates);
    let verifies = |w: &Workload| w.job.verify && w.phase == Phase::Overwrite;
    if sharing > 1 && made.workloads.iter().any(verifies) {
        return Some("one would overwrite what another one verifies".to_string());
    }
    let needs = |c: &&Candidate| smallest_region_bytes(std::slice::from_ref(*c)) > own;
    if let Some(needy) = made.candidates.iter().find(needs) {
        let least = smallest_region_bytes(std::slice::from_ref(needy));
        return Some(each(format!("{} needs {}", needy.name, units::size(least))));
    }
    // As `targets::prepare` chooses the data file where the plan does not.
    let file_room = capacity::scratch_bytes(&made.candidates, own);
    let file_room = file_room.min(size::left_bytes(&made.workloads, sharing, own));
    if made.file_bytes.is_none() && file_room < space::FILE_MIN_BYTES {
        return Some(each("the files of its workloads leave no room for a data file".to_string()));
    }
    if let Err(error) = targets::check_sizes(&made.workloads, file_bytes, own) {
        return Some(error.to_string());
    }
    let (candidates, workloads) = (&made.candidates, &made.workloads);
    let too_large = capacity::too_large(candidates, workloads, Some(file_bytes), &regions);
    too_large.first().map(|skipped| format!("{}: {}", skipped.name, skipped.reason))
}
