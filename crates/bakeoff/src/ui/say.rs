//! Lines on stderr, for people. One that nobody can read takes nothing from the command.
//!
//! `eprintln!` panics where stderr is a closed pipe or a full drive; a run that has hours of
//! measurements in hand must not end for want of a listener.

use std::fmt::Arguments;
use std::io::{IsTerminal, Write};

use bakeoff_report::layout;
use bakeoff_stats::phrases;

/// Columns below which nothing is wrapped: a terminal that has no size says 0.
const NARROWEST: usize = 40;

pub fn line(text: Arguments<'_>) {
    let shown = fitted(&text.to_string());
    let _ = std::io::stderr().write_fmt(format_args!("{shown}\n"));
}

pub fn typed(what: &str) -> String {
    phrases::typed_by(rustix::process::geteuid().is_root(), what)
}

/// The text as this stderr shows it: at a terminal wrapped between words, which it does not do
/// itself.
pub fn fitted(text: &str) -> String {
    let stderr = std::io::stderr();
    let size = rustix::termios::tcgetwinsize(&stderr).ok().filter(|_| stderr.is_terminal());
    match size.map(|size| usize::from(size.ws_col)) {
        Some(width) if width >= NARROWEST => layout::fit(text, width),
        _ => text.to_string(),
    }
}

/// Writes a note to stderr unless only errors are wanted there (`--quiet`).
pub fn note(quiet: bool, text: Arguments<'_>) {
    if !quiet {
        line(text);
    }
}
