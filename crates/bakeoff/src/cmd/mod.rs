//! One file a command; here only the choice among them.

pub mod internal;

use crate::cli::{Args, Command};
use crate::fault::{Fault, Outcome};

/// Runs the command that was typed.
pub fn run(args: Args) -> Result<Outcome, Fault> {
    let Args { global: _, command } = args;
    match command {
        None | Some(Command::Devices) => Err(Fault::environment("devices: not in this build yet")),
        Some(other) => Err(Fault::environment(format!("{other:?}: not in this build yet"))),
    }
}
