//! bakeoff: which filesystem, encryption and I/O scheduler suit this drive on this board?
//!
//! The shell around the pure core: arguments in, one command, one exit code out.

// `ui::say` writes where nobody may be listening; the macros panic there.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod assets;
mod card;
mod cli;
mod cmd;
mod database;
mod exec;
mod fault;
mod host;
mod load;
mod measuring;
#[cfg(test)]
#[path = "../tests/support/other.rs"]
mod other;
mod places;
mod planning;
mod sampler;
mod signals;
#[cfg(test)]
#[path = "../tests/support/skip.rs"]
mod skip;
mod steps;
mod store;
mod ui;

use std::ffi::OsString;
use std::process::ExitCode;

use fault::{Fault, Outcome};

fn main() -> ExitCode {
    if let Some(code) = exec::internal::dispatch() {
        return code;
    }
    // What the panic was about has been printed when it arrives here.
    let ended =
        std::panic::catch_unwind(|| match cli::fio_words::read(exec::internal::typed_args()) {
            Ok(args) => cmd::run(args),
            Err(error) => not_a_command(&error),
        });
    let ended = ended.unwrap_or_else(|_| {
        Err(Fault::bug(
            "bakeoff stopped unexpectedly. Restore any remaining changes with `bakeoff clean`",
        ))
    });
    match is_for_nagios(&exec::internal::typed_args()) {
        true => fault::exit_as_service(ended),
        false => fault::exit(ended),
    }
}

/// Whether a monitoring system reads the end: also where the rest of the command line is wrong.
fn is_for_nagios(words: &[OsString]) -> bool {
    let is_pair = |pair: &[OsString]| pair[0] == "--format" && pair[1] == "nagios";
    words.iter().any(|word| word == "--format=nagios") || words.windows(2).any(is_pair)
}

/// Help and the version go to stdout like any result; everything else is a wrong command line.
fn not_a_command(error: &clap::Error) -> Result<Outcome, Fault> {
    match (error.use_stderr(), error.print()) {
        // clap has explained it; a closed stderr leaves only the exit code to tell.
        (true, _) => Err(Fault::usage("")),
        (false, printed) => Ok(printed.map(|()| Outcome::Done)?),
    }
}
