//! bakeoff: which filesystem, encryption and I/O scheduler suit this drive on this board?
//!
//! The shell around the pure core: arguments in, one command, one exit code out.

mod assets;
mod cli;
mod cmd;
mod exec;
mod fault;
mod host;
mod runner;
mod signals;
mod store;
mod ui;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    if let Some(code) = cmd::internal::dispatch() {
        return code;
    }
    let args = cli::Args::parse();
    fault::exit(cmd::run(args))
}
