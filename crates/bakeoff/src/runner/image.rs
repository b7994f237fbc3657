//! The ground of `demo`: one fully written image on a loop device, on which every stack is made
//! in turn.

use bakeoff_core::model::event::{Action, FlashState, Region};
use bakeoff_core::model::host::Place;
use bakeoff_core::model::path::RawPath;
use bakeoff_core::model::run::Run;
use bakeoff_core::prepare::{space, steps};

use super::action::ActionError;
use super::ground::Ground;
use super::loops;
use super::regions::{self, Attached, Regions};
use super::rehearse;
use super::scratch::{self, Scratch};
use super::session::Session;
use super::stacks;
use super::stepper::{self, StepError};
use crate::fault::Fault;
use crate::host;

/// Size of the image; every filesystem of the demo can be made on it.
pub const IMAGE_BYTES: u64 = 512 << 20;
/// Share of the image the data file may take: filesystems need room for themselves.
const DATA_SHARE: u64 = 4;
/// Layout time of one visit.
const LAYOUT_NS: u64 = 1_000_000_000;
/// Visits for each candidate that the bytes to write are spread over: blocks and rehearsal.
const VISITS: u64 = 6;

/// Makes the image, tries every candidate on it and settles the plan.
pub fn prepare(session: &mut Session, parent: &RawPath, place: Place) -> Result<Ground, StepError> {
    let (device, rate) = attach(session, parent)?;
    let header = session.journal.run().header.clone();
    let k = header.candidates.len() as u64;
    let wear = header.protocol.max_write_bytes.map(|bytes| bytes.saturating_sub(IMAGE_BYTES) / 2);
    let file_bytes = space::file_bytes(IMAGE_BYTES / DATA_SHARE, wear, k * VISITS, rate, LAYOUT_NS)
        .ok_or_else(|| Fault::bug("the image is too small for a data file"))?;
    let regions = regions(session, parent, device, place, file_bytes);
    let append_room_bytes = IMAGE_BYTES / DATA_SHARE;
    stacks::rehearse(session, regions, rate, append_room_bytes, IMAGE_BYTES)
}

/// Makes the image of a resumed run again.
pub fn prepare_again(
    session: &mut Session,
    region: &Region,
    file_bytes: u64,
) -> Result<Ground, StepError> {
    let parent = region.target.as_path().parent().and_then(|scratch| scratch.parent());
    let parent = parent.ok_or_else(|| Fault::bug("the image lies nowhere"))?;
    let place = host::place(parent).map_err(Fault::environment)?;
    let parent = RawPath::new(parent);
    let (device, _) = attach(session, &parent)?;
    Ok(Ground::Regions(regions(session, &parent, device, place, file_bytes)))
}

/// The directory a run's scratch directory was made in, from its first step.
pub fn parent_of(run: &Run) -> Option<RawPath> {
    run.steps.iter().find_map(|record| match &record.step.action {
        Action::MakeScratch { parent, .. } => Some(parent.clone()),
        _ => None,
    })
}

fn regions(
    session: &Session,
    parent: &RawPath,
    device: RawPath,
    place: Place,
    file_bytes: u64,
) -> Regions {
    let dir = parent.as_path().join(steps::scratch_name(&session.journal.run().header.run));
    let knob_disk = regions::kernel_name(&device);
    let region = Region {
        target: RawPath::new(dir.join(scratch::IMAGE)),
        start_bytes: 0,
        size_bytes: IMAGE_BYTES,
        is_image: true,
        place,
        flash_state: FlashState::WrittenOnce,
        token: None,
    };
    let attached = Attached { device, region, knob_disk };
    Regions::new(vec![attached], RawPath::new(dir.join(scratch::MOUNT)), file_bytes)
}

/// Scratch directory, image, loop device; gives the device and the rate of filling the image.
fn attach(session: &mut Session, parent: &RawPath) -> Result<(RawPath, f64), StepError> {
    let run = session.journal.run().header.run.clone();
    stepper::take(session, |n| steps::make_scratch(n, &steps::scratch_name(&run), parent))?;
    let io =
        |what: &str, source| StepError::Failed(ActionError::Io { what: what.to_string(), source });
    let scratch = Scratch::open(parent.as_path(), &steps::scratch_name(&run))
        .map_err(|e| io("open our directory", e))?;
    scratch.make_dir(scratch::MOUNT).map_err(|e| io("make the mount point", e))?;
    let image = RawPath::new(scratch.create(scratch::IMAGE).map_err(|e| io("make the image", e))?);
    let ((), filled_ns) = rehearse::timed(|| {
        stepper::take(session, |n| steps::fill(n, &image, IMAGE_BYTES)).map(|_| ())
    })?;
    let inode = host::inode_of(image.as_path());
    stepper::take(session, |n| steps::attach_loop(n, &image, inode))?;
    let device =
        loops::of(image.as_path(), inode, 0).map_err(StepError::Failed)?.into_iter().next();
    let device = device.ok_or_else(|| Fault::environment("the loop device went away"))?;
    Ok((RawPath::new(device), IMAGE_BYTES as f64 * 1e9 / filled_ns.max(1) as f64))
}
