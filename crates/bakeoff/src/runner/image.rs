//! The ground of `demo`: one fully written image on a loop device, on which every stack is made
//! in turn.

use bakeoff_core::decide::fit::Cost;
use bakeoff_core::model::candidate::{Candidate, Skipped};
use bakeoff_core::model::event::{Action, Region};
use bakeoff_core::model::host::Place;
use bakeoff_core::model::path::{RawPath, printable};
use bakeoff_core::model::run::Run;
use bakeoff_core::prepare::{space, steps};

use super::action::{self, ActionError};
use super::ground::Ground;
use super::rehearse::{self, Findings, Trial};
use super::scratch::{self, Scratch};
use super::session::Session;
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
    let mut ground = ground(session, parent, device, place, file_bytes);
    let mut found = Vec::new();
    let mut skipped = Vec::new();
    for candidate in &header.candidates {
        match trial(session, &mut ground, candidate, file_bytes, rate) {
            Ok(trial) => found.push((candidate.clone(), trial)),
            Err(StepError::Failed(error @ (ActionError::Tool { .. } | ActionError::Fill(_)))) => {
                let reason = printable(error.to_string().as_bytes());
                skipped.push(Skipped { name: candidate.name.clone(), reason });
            }
            Err(error) => return Err(error),
        }
    }
    if found.is_empty() {
        let why = skipped.iter().map(|s| format!("\n  {}: {}", s.name, s.reason));
        let why = why.collect::<String>();
        return Err(Fault::environment(format!("no filesystem can be made here:{why}")).into());
    }
    let region = match &ground {
        Ground::Image { region, .. } => Some((**region).clone()),
        Ground::Directories { .. } => None,
    };
    let written_bytes = IMAGE_BYTES + k * file_bytes;
    let append_room_bytes = IMAGE_BYTES / DATA_SHARE;
    rehearse::settle(
        session,
        Findings {
            candidates: found,
            skipped,
            region,
            file_bytes,
            append_room_bytes,
            written_bytes,
        },
    )?;
    Ok(ground)
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
    Ok(ground(session, &parent, device, place, file_bytes))
}

/// The directory a run's scratch directory was made in, from its first step.
pub fn parent_of(run: &Run) -> Option<RawPath> {
    run.steps.iter().find_map(|record| match &record.step.action {
        Action::MakeScratch { parent, .. } => Some(parent.clone()),
        _ => None,
    })
}

fn ground(
    session: &Session,
    parent: &RawPath,
    device: RawPath,
    place: Place,
    file_bytes: u64,
) -> Ground {
    let dir = parent.as_path().join(steps::scratch_name(&session.journal.run().header.run));
    Ground::Image {
        device,
        mount_point: RawPath::new(dir.join(scratch::MOUNT)),
        region: Box::new(Region {
            target: RawPath::new(dir.join(scratch::IMAGE)),
            start_bytes: 0,
            size_bytes: IMAGE_BYTES,
            is_image: true,
            place,
        }),
        file_bytes,
        mounted: None,
    }
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
    stepper::take(session, |n| steps::attach_loop(n, &image))?;
    let device = action::loops_of(image.as_path()).map_err(StepError::Failed)?.into_iter().next();
    let device = device.ok_or_else(|| Fault::environment("the loop device went away"))?;
    Ok((RawPath::new(device), IMAGE_BYTES as f64 * 1e9 / filled_ns.max(1) as f64))
}

/// Prepares a candidate once and leaves it again.
fn trial(
    session: &mut Session,
    ground: &mut Ground,
    candidate: &Candidate,
    file_bytes: u64,
    rate: f64,
) -> Result<Trial, StepError> {
    let (entered, visit_ns) = rehearse::timed(|| Ok(ground.enter(session, candidate)))?;
    let tried = match (&entered, ground.site(0)) {
        (Ok(()), Some(site)) => rehearse::flushed_write_ns(session, site).map(Some),
        _ => Ok(None),
    };
    ground.leave(&mut session.journal)?;
    entered?;
    let flushed_write_ns = tried.map_err(|error| match error {
        super::load::LoadError::Interrupted => StepError::Failed(ActionError::Interrupted),
        other => StepError::Failed(ActionError::Fill(other.to_string())),
    })?;
    Ok(Trial {
        bytes_per_s: rate,
        flushed_write_ns: flushed_write_ns.unwrap_or_default(),
        visit: Cost { time_ns: visit_ns, write_bytes: file_bytes },
        wears: true,
    })
}
