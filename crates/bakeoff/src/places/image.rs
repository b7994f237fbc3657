//! The target set of `demo`: fully written images on loop devices, one for each stack, over which
//! the stacks rotate.

use bakeoff_machine::prepare::images::{self, Images};
use bakeoff_machine::prepare::{capacity, recipe, space};
use bakeoff_model::candidate::{Candidate, Skipped};
use bakeoff_model::event::{Action, Header, Region};
use bakeoff_model::host::Place;
use bakeoff_model::path::RawPath;
use bakeoff_model::run::Run;
use bakeoff_model::undo::ScratchOf;
use bakeoff_model::use_state::times_written;
use bakeoff_stats::units;

use super::regions::{Attached, Part, Regions};
use super::rehearse::Findings;
use super::target_set::TargetSet;
use super::{data_file, stacks};
use crate::fault::Fault;
use crate::host;
use crate::load::scratch::{self, Scratch};
use crate::steps::error::{StepError, io_error};
use crate::steps::session::Session;
use crate::steps::stepper;

/// Size of an image where nothing limits it; every filesystem of the demo can be made on it.
pub const IMAGE_BYTES: u64 = 512 << 20;
/// Share of the image the data file may take: filesystems need room for themselves.
const DATA_SHARE: u64 = 8;
const FILES_BYTES: u64 = 96 << 20;
const LAYOUT_NS: u64 = 300_000_000;
/// Bytes of the trial write that shows how long images take.
const PILOT_BYTES: u64 = 32 << 20;
/// Share of the run's time that writing the images may take.
const FILL_SHARE: u64 = 6;
/// Share of the bytes to write that images may take.
const WEAR_SHARE: u64 = 2;
/// Blocks that are needed, and the rehearsal: each fills the images that are to be filled.
const LEAST_PREPARATIONS: u64 = 4;
/// Blocks that the bytes to write are spread over, the rehearsal included.
const BLOCKS: u64 = 8;

/// Makes an image for each candidate that has room, tries every candidate and settles the plan.
pub fn prepare(
    session: &mut Session,
    parent: &RawPath,
    place: Place,
) -> Result<TargetSet, StepError> {
    let (_, scratch) = stepper::make_scratch(session, ScratchOf::Run, parent)?;
    let rate = pilot(session, &scratch)?;
    let header = session.journal.run().header.clone();
    let (images, skipped) = fitting(&header, &place, rate);
    let k = images.kept.len() as u64;
    let filled_bytes = images.size_bytes * k;
    let wear = header.protocol.max_write_bytes.map(|bytes| bytes.saturating_sub(filled_bytes) / 2);
    let room_bytes = (images.size_bytes / DATA_SHARE).max(space::FILE_MIN_BYTES);
    let room_bytes = if header.candidates.iter().all(|c| c.state().is_empty()) {
        room_bytes
    } else {
        room_bytes.min(capacity::scratch_bytes(&header.candidates, images.size_bytes))
    };
    let by_time = space::laid_out_bytes(rate, LAYOUT_NS);
    let file_bytes = space::file_bytes(room_bytes, wear, k * BLOCKS, by_time).ok_or_else(|| {
        Fault::usage("the images are too small to be filled. Allow more time: --time 15m")
    })?;
    let regions = attach(session, &scratch, &images, (place, file_bytes))?;
    let written_bytes = filled_bytes + PILOT_BYTES;
    let append_room_bytes = room_bytes;
    let found = Findings { append_room_bytes, written_bytes, skipped, ..Findings::default() };
    stacks::rehearse(session, regions, rate, found)
}

fn fitting(header: &Header, place: &Place, rate: f64) -> (Images, Vec<Skipped>) {
    let is_own = |candidate: &&Candidate| candidate.twin_of.is_none();
    // Controls come after those that are compared.
    let needs: Vec<u64> = header.candidates.iter().filter(is_own).map(needed_bytes).collect();
    let by_time = header
        .protocol
        .time_ns
        .map_or(u64::MAX, |time_ns| (rate * (time_ns / FILL_SHARE) as f64 / 1e9) as u64);
    let by_wear = header.protocol.max_write_bytes.map_or(u64::MAX, |bytes| bytes / WEAR_SHARE);
    let available = host::available_bytes();
    let room = space::room_bytes(place.class, place.size_bytes, place.free_bytes, available);
    let times = times_written(header.candidates.iter().map(Candidate::state), LEAST_PREPARATIONS);
    let (by_time, by_wear) = (by_time / times, by_wear / times);
    let most_bytes = by_time.min(by_wear).min(room);
    let mut images = images::fitting(&needs, IMAGE_BYTES, most_bytes);
    let others = (0..needs.len()).filter(|at| !images.kept.contains(at));
    let needs_all = needs.iter().copied().max().unwrap_or(0) * needs.len() as u64;
    let why = if most_bytes == by_time {
        let needed_s = (needs_all as f64 / rate.max(1.0)) as u64;
        format!(
            "writing it at {} takes too long. Allow more time: --time {}s",
            units::rate(rate),
            needed_s * FILL_SHARE + 1
        )
    } else if most_bytes == by_wear {
        let enough_mib = (needs_all * WEAR_SHARE) >> 20;
        format!("it would exceed the write limit. Raise the limit: --max-write {enough_mib}m")
    } else {
        "not enough free space. Use a directory with more free space".to_string()
    };
    let why = format!("its image does not fit in addition to the others: {why}");
    let skip = |at: usize, why: &str| Skipped::new(&header.candidates[at].name, why);
    let mut skipped: Vec<Skipped> = others.map(|at| skip(at, &why)).collect();
    for (at, twin) in header.candidates.iter().enumerate().skip(needs.len()) {
        let stands = images.kept.iter().any(|own| is_twin_of(twin, &header.candidates[*own]));
        if stands && images.has_room_for_another(most_bytes) {
            images.kept.push(at)
        } else {
            let why = "not enough space for a control in addition to the others";
            skipped.push(skip(at, why));
        }
    }
    (images, skipped)
}

fn is_twin_of(twin: &Candidate, own: &Candidate) -> bool {
    twin.twin_of.as_ref() == Some(&own.name)
}

fn needed_bytes(candidate: &Candidate) -> u64 {
    let recipe = candidate.stack().and_then(recipe::recipe_of);
    recipe.map_or(IMAGE_BYTES, |recipe| recipe.min_bytes.max(recipe.keeps_bytes + FILES_BYTES))
}

pub fn prepare_again(
    session: &mut Session,
    region: &Region,
    file_bytes: u64,
) -> Result<TargetSet, StepError> {
    let parent = region.target.as_path().parent().and_then(|scratch| scratch.parent());
    let parent = parent.ok_or_else(|| Fault::bug("the image has no location"))?;
    let place = host::place(parent).map_err(Fault::environment)?;
    let parent = RawPath::new(parent);
    let (_, scratch) = stepper::make_scratch(session, ScratchOf::Run, &parent)?;
    let kept = (0..usize::from(region.parts)).collect();
    let images = Images { size_bytes: region.size_bytes, kept };
    Ok(TargetSet::Regions(attach(session, &scratch, &images, (place, file_bytes))?))
}

/// The directory a run's scratch directory was made in, from its first step.
pub fn parent_of(run: &Run) -> Option<RawPath> {
    run.steps.iter().find_map(|record| {
        let Action::MakeScratch { parent, .. } = &record.step.action else { return None };
        Some(parent.clone())
    })
}

/// How fast an image can be written, bytes a second.
fn pilot(session: &Session, scratch: &Scratch) -> Result<f64, StepError> {
    let laid_out = data_file::lay_out(session, scratch, scratch::PROBE, PILOT_BYTES);
    let (rate, _) = laid_out?;
    let removed = scratch.remove_file(scratch::PROBE);
    removed.map_err(io_error("remove the test file"))?;
    Ok(rate)
}

/// Images, mount points and loop devices, one for each candidate. The directory is the user's, the
/// mount points are not in it: only root can be where stacks are mounted.
fn attach(
    session: &mut Session,
    scratch: &Scratch,
    images: &Images,
    (place, file_bytes): (Place, u64),
) -> Result<Regions, StepError> {
    let count = images.kept.len().min(scratch::MOST_STANDS);
    let mount_point = stepper::make_mount_points(session, count)?;
    let (mut parts, mut shown) = (Vec::new(), None);
    for number in 0..count {
        let image = scratch.create(&scratch::numbered(scratch::IMAGE, number));
        let image = image.map_err(io_error("create the image"))?;
        parts.push(Part::of_image(stepper::make_image(session, &image, images.size_bytes)?));
        shown.get_or_insert_with(|| RawPath::new(image.shown()));
    }
    let shown = shown.ok_or_else(|| Fault::bug("no image was created"))?;
    let attached = Attached::images(parts, shown, place, images.size_bytes);
    Ok(Regions::new(vec![attached], mount_point, file_bytes))
}
