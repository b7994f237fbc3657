//! bakeoff: which filesystem, encryption and I/O scheduler suit this drive on this board?
//!
//! The shell around the pure core: arguments in, one command, one exit code out. A library only
//! for `main.rs` and the examples that document the command line.

#![forbid(unsafe_code)]
// `ui::say` writes where nobody may be listening; the macros panic there.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod assets;
mod cli;
mod cmd;
mod exec;
mod fault;
mod files;
mod host;
mod load;
mod measuring;
#[cfg(test)]
#[path = "../tests/support/other.rs"]
mod other;
mod places;
mod planning;
mod sampler;
mod serve;
mod signals;
#[cfg(test)]
#[path = "../tests/support/skip.rs"]
mod skip;
mod sqlite_workload;
mod steps;
mod store;
mod ui;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;

use fault::{Fault, Outcome};

pub use cli::formats::command;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    bakeoff_engine::size_limit_is_an_error();
    if let Some(code) = exec::internal::dispatch() {
        return code;
    }
    let typed = exec::internal::typed_args();
    let ended = match cli::fio_words::read(typed.clone()) {
        Ok(args) => ended(args),
        Err(error) => not_a_command(&error, &typed),
    };
    fault::exit(ended)
}

fn ended(args: cli::Args) -> Result<Outcome, Fault> {
    // What the panic was about has been printed when it arrives here.
    std::panic::catch_unwind(|| cmd::run(args)).unwrap_or_else(|_| {
        Err(Fault::bug(
            "bakeoff stopped unexpectedly. Undo any remaining changes with `bakeoff clean`",
        ))
    })
}

/// Help and the version go to stdout like any result; everything else is a wrong command line.
fn not_a_command(error: &clap::Error, typed: &[OsString]) -> Result<Outcome, Fault> {
    if error.kind() == ErrorKind::DisplayVersion && typed.iter().any(|word| word == "--verbose") {
        return cmd::about::run();
    }
    match (error.use_stderr(), error.print()) {
        // clap has explained it; a closed stderr leaves only the exit code to tell.
        (true, _) => Err(Fault::usage("")),
        (false, printed) => Ok(printed.map(|()| Outcome::Done)?),
    }
}
