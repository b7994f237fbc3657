//! The load generator by itself: a task on standard input, the reply on standard output.
//!
//! What the child process of `bakeoff` runs, without the rest of the program around it. It is not
//! installed: developers count its instructions, because it builds in a fraction of the time, and
//! tests ask it what the program asks its child.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(u8::try_from(bakeoff_engine::serve(no_database)).unwrap_or(70))
}

/// This program is for counting instructions of jobs; it links no database.
fn no_database(
    _: &std::path::Path,
    _: bakeoff_engine::DatabaseOptions,
) -> std::io::Result<Box<dyn bakeoff_engine::Database>> {
    Err(std::io::ErrorKind::Unsupported.into())
}
