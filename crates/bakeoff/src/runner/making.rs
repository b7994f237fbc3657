//! Steps that make something of ours below a directory of others, and hold it open from then on.
//!
//! The record has the path that people know. What is done is done through the descriptor.

use bakeoff_core::model::path::RawPath;
use bakeoff_core::model::step::{Inode, Step};
use bakeoff_core::model::undo::ScratchOf;
use bakeoff_core::prepare::steps;

use super::action::{self, ActionError, Done};
use super::loops;
use super::rehearse;
use super::scratch::Scratch;
use super::session::Session;
use super::stepper::{self, StepError};
use crate::fault::Fault;
use crate::host::Opened;

/// Makes a scratch directory of the run in `parent`; gives the step that did, and the directory.
pub fn scratch(
    session: &mut Session,
    of: ScratchOf,
    parent: &RawPath,
) -> Result<(u32, Scratch), StepError> {
    let run = session.journal.run().header.run.clone();
    let build = |n| steps::make_scratch(n, &run, of, parent);
    directory(session, build, (parent, &of.name(&run)))
}

/// Makes the directory of the run's mount points in `parent`.
pub fn mount_points(session: &mut Session, parent: &RawPath) -> Result<Scratch, StepError> {
    let run = session.journal.run().header.run.clone();
    let build = |n| steps::make_mount_points(n, &run, parent);
    directory(session, build, (parent, &run)).map(|(_, made)| made)
}

fn directory(
    session: &mut Session,
    build: impl FnOnce(u32) -> Step,
    (parent, name): (&RawPath, &str),
) -> Result<(u32, Scratch), StepError> {
    let mut made = None;
    let (step, _) = stepper::take_by(session, build, |_, _, _| {
        made = Some(action::scratch_in(parent, name)?);
        Ok(Done::default())
    })?;
    let made = made.ok_or_else(|| Fault::bug("a directory was made and is not there"))?;
    Ok((step, made))
}

/// A file on a loop device.
pub struct OnLoop {
    /// The step that attached it.
    pub step: u32,
    /// The loop device.
    pub device: RawPath,
    /// The file behind it.
    pub inode: Inode,
    /// How long writing it took.
    pub filled_ns: u64,
}

/// Writes an image in full and attaches it to a loop device.
pub fn image(session: &mut Session, image: &Opened, bytes: u64) -> Result<OnLoop, StepError> {
    let shown = RawPath::new(image.shown());
    let ((), filled_ns) = rehearse::timed(|| {
        let build = |n| steps::fill(n, &shown, bytes);
        let filled = stepper::take_by(session, build, |_, cancel, tick| {
            action::fill(image, bytes, cancel, tick)
        });
        filled.map(|_| ())
    })?;
    let build = |n| steps::attach_loop(n, &shown);
    let (step, device) = attach(session, image, build)?;
    Ok(OnLoop { step, device, inode: image.inode(), filled_ns })
}

/// Attaches an open file, or a part of it, by the step that says so.
pub fn attach(
    session: &mut Session,
    file: &Opened,
    build: impl FnOnce(u32) -> Step,
) -> Result<(u32, RawPath), StepError> {
    let mut device = None;
    let mark = steps::loop_mark(&session.journal.run().header.run, stepper::next_number(session)?);
    let (step, _) = stepper::take_by(session, build, |action, _, _| {
        let attached = loops::attach(action, file, &mark)?;
        let output = format!("{attached}\n");
        device = Some(attached);
        Ok(Done { output })
    })?;
    let gone = || StepError::Failed(ActionError::Lost("the loop device went away".to_string()));
    Ok((step, device.ok_or_else(gone)?))
}
