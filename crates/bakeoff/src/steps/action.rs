//! Performs the actions of steps: the only code that changes the system for a run.
//!
//! What is done is data ([`Action`]); here is only how. Nothing is decided here.

use std::io;
use std::time::Duration;

use bakeoff_core::model::event::Action;
use bakeoff_core::model::job::{Job, Rw};
use bakeoff_core::model::path::{RawPath, printable};
use bakeoff_core::prepare::steps;
use bakeoff_core::tools::native::TargetKind;
use thiserror::Error;

use super::device_actions as device;
use crate::exec::{ExecError, Spec};
use crate::host::{self, Distrust};
use crate::load::scratch::{MakeError, Scratch};
use crate::load::subject::Subject;
use crate::load::{self, LoadError};
use crate::signals::Cancel;
use crate::ui::progress::Live;

/// Longest a preparing tool may take (mkfs of a large slow disk).
const TOOL_LIMIT: Duration = Duration::from_secs(30 * 60);
/// How often and how long a busy mount or loop is tried again: whatever of ours was killed may
/// still be finishing its last write.
const BUSY_TRIES: u32 = 60;
const BUSY_PAUSE: Duration = Duration::from_millis(500);

/// Why an action failed.
#[derive(Debug, Error)]
pub enum ActionError {
    /// Ctrl-C or a signal.
    #[error("interrupted")]
    Interrupted,
    /// A program failed; its own words follow.
    #[error("{command}: {how}{}{said}", if said.is_empty() { "" } else { ": " })]
    Tool {
        /// As it would be typed.
        command: String,
        /// Exit status or signal.
        how: String,
        /// What it printed.
        said: String,
    },
    /// A system call failed.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// The system's word.
        source: io::Error,
    },
    /// Others could exchange what root would use.
    #[error(transparent)]
    Refused(Distrust),
    /// The target is not the one any more that was consented to.
    #[error("{0}")]
    Lost(String),
    /// What was read back is not what was written.
    #[error("{0}")]
    Lies(String),
    /// Writing a file of ours failed; where and why.
    #[error("cannot write a scratch file: {0}")]
    Fill(String),
    /// What is recorded is nothing that this version does, or that may be done here.
    #[error("{0}")]
    Unknown(String),
    /// A program is missing or could not be started.
    #[error(transparent)]
    Exec(ExecError),
}

/// What an action printed and answered.
#[derive(Debug, Default)]
pub struct Done {
    /// Both output streams.
    pub output: String,
}

/// Performs an action.
pub fn perform(
    action: &Action,
    cancel: &Cancel,
    tick: &mut dyn FnMut(Live),
) -> Result<Done, ActionError> {
    match action {
        Action::MakeScratch { parent, name } => scratch_in(parent, name).map(|_| Done::default()),
        Action::Fill { file, size_bytes } => fill(file.as_path(), *size_bytes, cancel, tick),
        Action::Overwrite { device, size_bytes, verify } => {
            device::overwrite(device, *size_bytes, *verify, cancel, tick)
        }
        Action::SetKnob { path, value } => device::set_knob(path, value),
        Action::AddUdevRule { path, text } => device::add_udev_rule(path, text),
        Action::Run { .. }
        | Action::RunWithKey { .. }
        | Action::AttachLoop { .. }
        | Action::Mount { .. } => run_tool(action, cancel),
    }
}

/// Makes our directory in one that may be somebody else's.
pub fn scratch_in(parent: &RawPath, name: &str) -> Result<Scratch, ActionError> {
    Scratch::make_among_others(parent.as_path(), name).map_err(|error| match error {
        MakeError::Distrust(distrust) => ActionError::Refused(distrust),
        MakeError::Io(source) => io_error(&format!("create a directory in {parent}"))(source),
    })
}

/// An error of the system with what was tried.
pub fn io_error(what: &str) -> impl Fn(io::Error) -> ActionError + '_ {
    move |source| ActionError::Io { what: what.to_string(), source }
}

/// Runs the program of an action; anything but exit 0 is an error with the tool's own words.
fn run_tool(action: &Action, cancel: &Cancel) -> Result<Done, ActionError> {
    let argv: Vec<_> = steps::argv(action)
        .unwrap_or_default()
        .iter()
        .map(|word| word.as_path().as_os_str().to_os_string())
        .collect();
    let needs_key = matches!(action, Action::RunWithKey { .. });
    let input = if needs_key { device::key()? } else { Vec::new() };
    run_with_input(&argv, input, &steps::describe(action), cancel)
}

/// Runs a program that reads nothing.
pub fn run_argv(
    argv: &[std::ffi::OsString],
    command: &str,
    cancel: &Cancel,
) -> Result<Done, ActionError> {
    run_with_input(argv, Vec::new(), command, cancel)
}

fn run_with_input(
    argv: &[std::ffi::OsString],
    input: Vec<u8>,
    command: &str,
    cancel: &Cancel,
) -> Result<Done, ActionError> {
    let spec = Spec::tool(argv, TOOL_LIMIT).map_err(ActionError::Exec)?.input(input);
    let finished = match spec.run(cancel) {
        Ok(finished) => finished,
        Err(ExecError::Interrupted) => return Err(ActionError::Interrupted),
        Err(error) => return Err(ActionError::Exec(error)),
    };
    let output = [&finished.stdout[..], &finished.stderr[..]].concat();
    if !finished.status.success() {
        return Err(ActionError::Tool {
            command: command.to_string(),
            how: finished.how(),
            said: printable(output.trim_ascii()),
        });
    }
    Ok(Done { output: String::from_utf8_lossy(&output).into_owned() })
}

/// Writes a new file in full with the engine: incompressible, past the cache where possible, and
/// flushed.
pub fn fill(
    file: impl Into<Subject>,
    size_bytes: u64,
    cancel: &Cancel,
    tick: &mut dyn FnMut(Live),
) -> Result<Done, ActionError> {
    let file = file.into();
    let mut job = Job { end_fsync: true, ..Job::new(Rw::Write, 1 << 20, size_bytes) };
    job.direct = host::supports_direct(file.path());
    match load::run(&job, file, TargetKind::File, cancel, tick) {
        Ok(_) => Ok(Done::default()),
        Err(LoadError::Interrupted) => Err(ActionError::Interrupted),
        Err(error) => Err(ActionError::Fill(format!("the image: {error}"))),
    }
}

/// Tries again while a program fails: what holds the thing may still be letting go.
pub fn retry_while_busy(
    what: &str,
    mut attempt: impl FnMut() -> Result<Done, ActionError>,
) -> Result<Done, ActionError> {
    for _ in 1..BUSY_TRIES {
        match attempt() {
            Err(ActionError::Tool { .. }) => std::thread::sleep(BUSY_PAUSE),
            other => return other,
        }
    }
    attempt().map_err(|error| {
        let ActionError::Tool { how, said, .. } = error else { return error };
        ActionError::Tool { command: what.to_string(), how, said }
    })
}
