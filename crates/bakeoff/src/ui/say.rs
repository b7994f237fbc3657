//! Lines on stderr, for people. One that nobody can read takes nothing from the command.
//!
//! `eprintln!` panics where stderr is a closed pipe or a full disk; a run that has hours of
//! measurements in hand must not end for want of a listener.

use std::fmt::Arguments;
use std::io::Write;

/// Writes a line to stderr, if anybody listens.
pub fn line(text: Arguments<'_>) {
    let _ = std::io::stderr().write_fmt(format_args!("{text}\n"));
}

/// Writes a note to stderr unless only errors are wanted there (`--quiet`).
pub fn note(quiet: bool, text: Arguments<'_>) {
    if !quiet {
        line(text);
    }
}
