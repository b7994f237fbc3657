//! Processes without a time limit: beside a run, in a session of their own, or with the terminal.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::AsFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use super::{ExecError, OURSELVES, Spec, installed, internal, kill_group};

/// A process that is killed, with all it started, when the value goes. It dies with us too.
#[derive(Debug)]
pub struct Background(pub(super) Child);

impl Drop for Background {
    fn drop(&mut self) {
        kill_group(&mut self.0);
    }
}

/// Starts a tool that works beside a run.
///
/// # Errors
/// It is not installed, or cannot be started.
pub fn background(argv: &[&str]) -> Result<Background, ExecError> {
    Ok(Background(Spec::tool(argv, Duration::MAX)?.start()?))
}

/// Starts bakeoff again in a session of its own, which survives the end of this one, and which
/// Ctrl-C reaches only through us; its streams go into `out` and `err`.
pub fn session(args: &[OsString], out: &File, err: &File) -> Result<Child, ExecError> {
    let failed = |source| ExecError::Start { program: "bakeoff".to_string(), source };
    let (out, err) = (out.try_clone().map_err(failed)?, err.try_clone().map_err(failed)?);
    let mut command = Command::new(OURSELVES);
    command.arg(internal::SESSION).args(args);
    command.stdin(Stdio::null()).stdout(out).stderr(err).spawn().map_err(failed)
}

/// Runs a program that has the terminal to its end: a package manager, which shows its progress and
/// may have sudo ask for a password. What it prints goes to stderr, since it is no result of ours.
///
/// Unlike every other child it stays in our process group, and outlives us: a package manager that
/// is killed in the middle leaves packages half installed. Ctrl-C reaches it as well, and it decides
/// what can be stopped.
///
/// # Errors
/// It is not installed, or cannot be started.
pub fn foreground(argv: &[String]) -> Result<ExitStatus, ExecError> {
    let program = argv.first().cloned().unwrap_or_default();
    let path = installed(OsStr::new(&program))?;
    let start = |source| ExecError::Start { program: program.clone(), source };
    let stderr = std::io::stderr().as_fd().try_clone_to_owned().map_err(start)?;
    let mut command = Command::new(path);
    command.args(&argv[1..]).stdout(Stdio::from(stderr)).status().map_err(start)
}
