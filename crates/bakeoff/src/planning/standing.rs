//! Which candidates of a plan stand side by side, and whether one stands twice.

use bakeoff_judge::decide::{size, twin};
use bakeoff_judge::plan::{Expanded, Plan};
use bakeoff_machine::prepare::recipe::{BTRFS, smallest_region_bytes};
use bakeoff_machine::prepare::region::{self, Span};
use bakeoff_machine::prepare::{capacity, space};
use bakeoff_model::candidate::Candidate;
use bakeoff_model::protocol::{Isolation, Mode};
use bakeoff_model::workload::Workload;
use bakeoff_stats::units;

use crate::fault::Fault;
use crate::host;
use crate::load::scratch::MOST_STANDS;
use crate::places::targets;
use crate::steps::target::Target;

/// Regions that each target's place is divided into, 1 where candidates are visited one after the
/// other. Adds the twin of a candidate: always in `precise`, elsewhere where one more has room
/// beside the others.
pub fn parts(
    asked: &Plan,
    made: &mut Expanded,
    places: (&[Target], &[Span]),
    file_bytes: u64,
    seed: u64,
) -> Result<u16, Fault> {
    let is_precise = asked.protocol.mode == Mode::Precise;
    if is_precise || made.candidates.len() > 1 {
        for twin in twin::twins(&made.candidates, seed) {
            let mut both = made.clone();
            both.candidates.push(twin);
            // Where it has no room, what follows says so of the others.
            if let Ok(parts @ 2..) = side_by_side(asked, &mut both, places, file_bytes) {
                *made = both;
                return Ok(parts);
            }
        }
    }
    if is_precise {
        made.candidates.extend(twin::drawn(&made.candidates, seed));
    }
    side_by_side(asked, made, places, file_bytes)
}

/// Whether more than one btrfs would stand on loop devices over one file: mkfs.btrfs takes them for
/// the same device, and the second is refused while the first is mounted.
fn several_btrfs_on_loops(made: &Expanded, region: usize, found: &[Target]) -> bool {
    let is_plain = |c: &&Candidate| {
        c.stack().is_some_and(|stack| stack.fs == BTRFS && stack.crypt.is_none() && !stack.lvm)
    };
    let on_region = made.candidates.iter().filter(|c| usize::from(c.region) == region);
    let on_loops = found.get(region).is_some_and(|target| target.is_image || !host::dm_runs());
    on_loops && on_region.filter(is_plain).count() > 1
}

/// Regions that each target's place is divided into, so that its candidates stand side by side; 1
/// where they are visited one after the other, because the plan asks for it or has too little room.
fn side_by_side(
    asked: &Plan,
    made: &mut Expanded,
    (found, spans): (&[Target], &[Span]),
    file_bytes: u64,
) -> Result<u16, Fault> {
    let on =
        |region: usize| made.candidates.iter().filter(|c| usize::from(c.region) == region).count();
    let parts = (0..spans.len()).map(on).max().unwrap_or(1);
    let wants = asked.protocol.isolation;
    let are_tangled = (0..spans.len()).any(|region| several_btrfs_on_loops(made, region, found));
    let is_visited = wants == Some(Isolation::Visit)
        || asked.protocol.mode == Mode::Characterise
        || made.candidates.len() < 2
        || are_tangled && wants.is_none()
        || !made.workloads.iter().any(Workload::can_be_sliced);
    if is_visited {
        return Ok(1);
    }
    if are_tangled {
        return Err(Fault::usage(
            "two btrfs cannot be mounted at once on loop devices over one device, because \
             mkfs.btrfs takes them for the same. Leave one out, load the dm_mod module, or set \
             isolation = \"visit\"",
        ));
    }
    // Regions begin where the device likes it.
    let part = |(target, span): (&Target, &Span)| {
        let granule_bytes = region::alignment_bytes(target.room.granule_bytes);
        span.size_bytes / parts as u64 / granule_bytes * granule_bytes
    };
    let regions: Vec<u64> = found.iter().zip(spans).map(part).collect();
    let own = regions.iter().copied().min().unwrap_or(0);
    // As `targets::prepare` chooses the data file where the plan does not.
    let file_room = capacity::scratch_bytes(&made.candidates, own);
    let file_room = file_room.min(size::left_bytes(&made.workloads, own));
    let has_room = parts * spans.len() <= MOST_STANDS
        && (made.file_bytes.is_some() || file_room >= space::FILE_MIN_BYTES)
        && own >= smallest_region_bytes(&made.candidates)
        && targets::check_sizes(&made.workloads, file_bytes, own).is_ok()
        && capacity::too_large(&made.candidates, &made.workloads, Some(file_bytes), &regions)
            .is_empty();
    match (has_room, wants) {
        (true, _) => {
            made.protocol.isolation = Isolation::Slices;
            u16::try_from(parts).map_err(Fault::bug)
        }
        (false, Some(Isolation::Slices)) => Err(Fault::usage(format!(
            "{parts} candidates do not fit side by side on {} (at most {MOST_STANDS} do). Increase \
             size in [region], or set isolation = \"visit\"",
            units::size(own.saturating_mul(parts as u64))
        ))),
        (false, _) => Ok(1),
    }
}
