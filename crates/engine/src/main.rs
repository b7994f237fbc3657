//! The load generator by itself: a task on standard input, the reply on standard output. With the
//! argument `slices` orders follow the task.
//!
//! What the child process of `bakeoff` runs, without the rest of the program around it. It is not
//! installed: developers count its instructions, because it builds in a fraction of the time, and
//! tests ask it what the program asks its child.

use std::process::ExitCode;

fn main() -> ExitCode {
    let ended = match std::env::args().nth(1).as_deref() {
        Some("companion") => {
            let (input, output) = (std::io::stdin(), std::io::stdout());
            bakeoff_engine::serve_companion(input, output, no_database)
        }
        Some("slices") => bakeoff_engine::serve_slices(std::io::stdin(), std::io::stdout()),
        _ => bakeoff_engine::serve(no_database),
    };
    ExitCode::from(u8::try_from(ended).unwrap_or(70))
}

/// This program is for counting instructions of jobs; it links no database.
fn no_database(
    _: &std::path::Path,
    _: bakeoff_engine::DatabaseOptions,
) -> std::io::Result<Box<dyn bakeoff_engine::Database>> {
    Err(std::io::ErrorKind::Unsupported.into())
}
