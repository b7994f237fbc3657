//! A program that has the terminal: a package manager, which shows its progress and may have sudo
//! ask for a password.
//!
//! Unlike every other child it stays in our process group, has no time limit, and outlives us: a
//! package manager that is killed in the middle leaves packages half installed. Ctrl-C reaches it
//! as well, and it decides what can be stopped.

use std::ffi::OsStr;
use std::os::fd::AsFd;
use std::process::{Command, ExitStatus, Stdio};

use super::{ExecError, installed};

/// Runs it to its end. What it prints goes to stderr, since it is no result of ours.
pub fn run(argv: &[String]) -> Result<ExitStatus, ExecError> {
    let program = argv.first().cloned().unwrap_or_default();
    let path = installed(OsStr::new(&program))?;
    let start = |source| ExecError::Start { program: program.clone(), source };
    let stderr = std::io::stderr().as_fd().try_clone_to_owned().map_err(start)?;
    let mut command = Command::new(path);
    command.args(&argv[1..]).stdout(Stdio::from(stderr)).status().map_err(start)
}
