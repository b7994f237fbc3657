//! What a command prints on stdout: for people in the characters and the width of their terminal,
//! for programs byte for byte.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use bakeoff_model::path::unsteered;
use bakeoff_report::{ascii, layout};

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
    let text = spelled(text);
    match columns() {
        Some(width) => Cow::Owned(layout::fit(&text, usize::from(width))),
        None => text,
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

pub fn spelled(text: &str) -> Cow<'_, str> {
    if is_ascii_only(&|name| std::env::var(name).ok()) {
        ascii::ascii(text)
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether the locale has no UTF-8. The first of the three that is set counts (POSIX, Base
/// Definitions, 8.2). Where none is set, as in containers and services, nobody asked for ASCII.
fn is_ascii_only(env: &dyn Fn(&str) -> Option<String>) -> bool {
    let set = |name: &&str| env(name).filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(set);
    locale.is_some_and(|locale| !ascii::is_utf8(&locale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_locale_that_is_set_counts() {
        let is = |env: &[(&str, &str)]| {
            let get = |name: &str| {
                env.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_string())
            };
            is_ascii_only(&get)
        };
        assert!(!is(&[]) && !is(&[("LANG", "C.UTF-8")]) && is(&[("LANG", "C")]));
        assert!(is(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")]));
        assert!(!is(&[("LC_ALL", ""), ("LC_CTYPE", "en_US.utf8"), ("LANG", "C")]));
    }
}
