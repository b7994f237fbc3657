//! Lines on stderr, for people. One that nobody can read takes nothing from the command.
//!
//! `eprintln!` panics where stderr is a closed pipe or a full disk; a run that has hours of
//! measurements in hand must not end for want of a listener.

use std::fmt::Arguments;
use std::io::{IsTerminal, Write};

use bakeoff_core::report::layout;
use bakeoff_core::words;

/// Columns below which nothing is wrapped: a terminal that has no size says 0.
const NARROWEST: usize = 40;

/// Writes a line to stderr, if anybody listens.
pub fn line(text: Arguments<'_>) {
    let shown = fitted(&text.to_string());
    let _ = std::io::stderr().write_fmt(format_args!("{shown}\n"));
}

/// What to type, as whoever started bakeoff has to type it.
pub fn typed(what: &str) -> String {
    words::typed_by(rustix::process::geteuid().is_root(), what)
}

/// The text as this stderr shows it: at a terminal wrapped between words, which it does not do
/// itself.
pub fn fitted(text: &str) -> String {
    let text = &*super::out::spelled(text);
    let stderr = std::io::stderr();
    let size = rustix::termios::tcgetwinsize(&stderr).ok().filter(|_| stderr.is_terminal());
    match size.map(|size| usize::from(size.ws_col)) {
        Some(width) if width >= NARROWEST => wrapped(text, width),
        _ => text.to_string(),
    }
}

/// Wraps each line that is too long, below its own first word. One with a word that fits nowhere, a
/// long path, stays whole, so that it can be copied.
fn wrapped(text: &str, width: usize) -> String {
    let wrap = |line: &str| {
        let indent = line.len() - line.trim_start().len();
        let longest = line.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0);
        if line.chars().count() <= width || indent + 2 + longest > width {
            return line.to_string();
        }
        let (first, rest) = (" ".repeat(indent), " ".repeat(indent + 2));
        layout::wrap(line, width, &first, &rest).trim_end().to_string()
    };
    text.split('\n').map(wrap).collect::<Vec<_>>().join("\n")
}

/// Writes a note to stderr unless only errors are wanted there (`--quiet`).
pub fn note(quiet: bool, text: Arguments<'_>) {
    if !quiet {
        line(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_wrapped_and_what_can_be_copied_is_left() {
        let text = "bakeoff: this is refused\n  because it is longer than forty columns are\n";
        let wanted =
            "bakeoff: this is refused\n  because it is longer than forty\n    columns are\n";
        assert_eq!(wrapped(text, 40), wanted);
        let path = format!("  tail -f /{}", "x".repeat(60));
        assert_eq!(wrapped(&path, 40), path);
        assert_eq!(wrapped("a   b", 40), "a   b");
    }
}
