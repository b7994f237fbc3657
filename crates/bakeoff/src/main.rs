//! bakeoff: which filesystem, encryption and I/O scheduler suit this drive on this board?
//!
//! The shell around the pure core: arguments in, one command, one exit code out.

// `ui::say` writes where nobody may be listening; the macros panic there.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod assets;
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
    fault::exit(ended.unwrap_or_else(|_| {
        Err(Fault::bug(
            "bakeoff stopped unexpectedly. Restore any remaining changes with `bakeoff clean`",
        ))
    }))
}

/// Help and the version go to stdout like any result; everything else is a wrong command line.
fn not_a_command(error: &clap::Error) -> Result<Outcome, Fault> {
    match (error.use_stderr(), error.print()) {
        // clap has explained it; a closed stderr leaves only the exit code to tell.
        (true, _) => Err(Fault::usage("")),
        (false, printed) => Ok(printed.map(|()| Outcome::Done)?),
    }
}
