//! What a command prints on stdout: for people in the width of their terminal,
//! for programs byte for byte.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use bakeoff_model::path::unsteered;
use bakeoff_report::layout;

use crate::cli::Format;

/// Columns below which nothing is fitted: a terminal that has no size says 0.
const NARROWEST: u16 = 20;
/// Fewest and most columns that text is laid out for; wider lines are hard to read.
const LAID_OUT: (u16, u16) = (40, 120);
const USUAL: u16 = 80;

/// Prints a result in the format that was asked for.
///
/// # Errors
/// When stdout cannot be written to.
pub fn print(format: Option<Format>, text: &str) -> io::Result<()> {
    let text = unsteered(text);
    let mut out = io::stdout().lock();
    match format {
        None | Some(Format::Text) => out.write_all(fitted(&text).as_bytes())?,
        Some(_) => out.write_all(text.as_bytes())?,
    }
    out.flush()
}

pub fn fitted(text: &str) -> Cow<'_, str> {
    match columns() {
        Some(width) => Cow::Owned(layout::fit(text, usize::from(width))),
        None => Cow::Borrowed(text),
    }
}

pub fn width() -> u16 {
    columns().map_or(USUAL, |width| width.clamp(LAID_OUT.0, LAID_OUT.1))
}

fn columns() -> Option<u16> {
    let stdout = io::stdout();
    let size = rustix::termios::tcgetwinsize(&stdout).ok().filter(|_| stdout.is_terminal());
    size.map(|size| size.ws_col).filter(|width| *width >= NARROWEST)
}
