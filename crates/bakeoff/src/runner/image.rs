//! The ground of `demo`: one fully written image on a loop device, on which every stack is made
//! in turn.

use bakeoff_core::model::event::{Action, FlashState, Region};
use bakeoff_core::model::host::Place;
use bakeoff_core::model::path::RawPath;
use bakeoff_core::model::run::Run;
use bakeoff_core::model::undo::ScratchOf;
use bakeoff_core::prepare::space;

use super::action::io_error;
use super::ground::Ground;
use super::making::{self, OnLoop};
use super::own_place;
use super::regions::{self, Attached, Regions};
use super::scratch;
use super::session::Session;
use super::stacks;
use super::stepper::StepError;
use crate::fault::Fault;
use crate::host::{self, Opened};

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
    let made = make(session, parent)?;
    let rate = made.rate();
    let header = session.journal.run().header.clone();
    let k = header.candidates.len() as u64;
    let wear = header.protocol.max_write_bytes.map(|bytes| bytes.saturating_sub(IMAGE_BYTES) / 2);
    let file_bytes = space::file_bytes(IMAGE_BYTES / DATA_SHARE, wear, k * VISITS, rate, LAYOUT_NS)
        .ok_or_else(|| Fault::bug("the image is too small for a data file"))?;
    let regions = regions(made, place, file_bytes);
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
    let made = make(session, &parent)?;
    Ok(Ground::Regions(regions(made, place, file_bytes)))
}

/// The directory a run's scratch directory was made in, from its first step.
pub fn parent_of(run: &Run) -> Option<RawPath> {
    run.steps.iter().find_map(|record| match &record.step.action {
        Action::MakeScratch { parent, .. } => Some(parent.clone()),
        _ => None,
    })
}

fn regions(made: Made, place: Place, file_bytes: u64) -> Regions {
    let Made { image, on_loop, mount_point } = made;
    let OnLoop { device, inode, .. } = on_loop;
    let knob_disk = regions::kernel_name(&device);
    let region = Region {
        target: RawPath::new(image.shown()),
        start_bytes: 0,
        size_bytes: IMAGE_BYTES,
        is_image: true,
        place,
        flash_state: FlashState::WrittenOnce,
        token: None,
    };
    let attached = Attached { device, backing: Some(inode), region, knob_disk };
    Regions::new(vec![attached], mount_point, file_bytes)
}

/// The image on its loop device.
struct Made {
    image: Opened,
    on_loop: OnLoop,
    /// Where only root can be.
    mount_point: RawPath,
}

impl Made {
    /// The rate of filling the image, bytes a second.
    fn rate(&self) -> f64 {
        IMAGE_BYTES as f64 * 1e9 / self.on_loop.filled_ns.max(1) as f64
    }
}

/// Makes scratch directory, image, loop device and mount point. The directory is the user's, the
/// mount point is not in it.
fn make(session: &mut Session, parent: &RawPath) -> Result<Made, StepError> {
    let (_, scratch) = making::scratch(session, ScratchOf::Run, parent)?;
    let image = scratch.create(scratch::IMAGE);
    let image = image.map_err(|e| StepError::Failed(io_error("make the image")(e)))?;
    let mount_point = own_place::mount_point(session)?;
    let on_loop = making::image(session, &image, IMAGE_BYTES)?;
    Ok(Made { image, on_loop, mount_point })
}
