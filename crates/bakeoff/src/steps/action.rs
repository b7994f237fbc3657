//! Performs the actions of steps: the only code that changes the system for a run.
//!
//! What is done is data ([`Action`]); here is only how. Nothing is decided here.

use bakeoff_machine::prepare::steps;
use bakeoff_model::event::Action;
use bakeoff_model::job::Job;
use bakeoff_model::path::RawPath;
use bakeoff_tools::native::TargetKind;

use super::action_error::{ActionError, io_error, load_error};
use super::device_actions as device;
use super::tool;
use crate::host;
use crate::load;
use crate::load::scratch::{MakeError, Scratch};
use crate::load::subject::Subject;
use crate::signals::Cancel;
use crate::ui::progress::LiveProgress;

pub fn perform(
    action: &Action,
    cancel: &Cancel,
    tick: &mut dyn FnMut(LiveProgress),
) -> Result<String, ActionError> {
    match action {
        Action::MakeScratch { parent, name } => drop(scratch_in(parent, name)?),
        Action::Fill { file, size_bytes } => fill(file.as_path(), *size_bytes, cancel, tick)?,
        Action::Overwrite { device, size_bytes, verify } => {
            device::overwrite(device, *size_bytes, *verify, cancel, tick)?;
        }
        Action::SetKnob { path, value } => device::set_knob(path, value)?,
        Action::AddUdevRule { path, text } => device::add_udev_rule(path, text)?,
        Action::Run { .. }
        | Action::RunWithKey { .. }
        | Action::AttachLoop { .. }
        | Action::Mount { .. } => return run_tool(action, cancel),
    }
    Ok(String::new())
}

/// Makes our directory in one that may be somebody else's.
pub fn scratch_in(parent: &RawPath, name: &str) -> Result<Scratch, ActionError> {
    Scratch::make_among_others(parent.as_path(), name).map_err(|error| match error {
        MakeError::Distrust(distrust) => ActionError::Refused(distrust),
        MakeError::Io(source) => io_error(&format!("create a directory in {parent}"))(source),
    })
}

/// Runs the program of an action; anything but exit 0 is an error with the tool's own words.
fn run_tool(action: &Action, cancel: &Cancel) -> Result<String, ActionError> {
    let argv: Vec<_> = steps::argv(action)
        .unwrap_or_default()
        .iter()
        .map(|word| word.as_path().as_os_str().to_os_string())
        .collect();
    let needs_key = matches!(action, Action::RunWithKey { .. });
    let input = if needs_key { device::key()? } else { Vec::new() };
    tool::run_with_input(&argv, input, &steps::describe(action), cancel)
}

/// Writes a new file in full with the engine: incompressible, past the cache where possible, and
/// flushed.
pub fn fill(
    file: impl Into<Subject>,
    size_bytes: u64,
    cancel: &Cancel,
    tick: &mut dyn FnMut(LiveProgress),
) -> Result<(), ActionError> {
    let file = file.into();
    let mut job = Job::filling(size_bytes);
    job.direct = host::supports_direct(file.path());
    let filled = load::run(&job, file, TargetKind::File, cancel, tick);
    filled.map(drop).map_err(load_error("the image"))
}
