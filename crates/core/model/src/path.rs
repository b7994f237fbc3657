//! Paths and other byte strings from the system, kept without loss and shown without harm.
//!
//! File names are bytes. They are stored and printed as text in which a backslash, every control
//! character and every byte that is not UTF-8 is written as `\xNN`, so a name can neither break a
//! terminal, a table nor JSON, and comes back byte for byte.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A path as bytes, printed and stored with escapes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RawPath(OsString);

impl RawPath {
    pub fn new(path: impl AsRef<OsStr>) -> RawPath {
        RawPath(path.as_ref().to_os_string())
    }

    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    pub fn as_path(&self) -> &Path {
        Path::new(&self.0)
    }

    /// Reads the escaped form; `None` when an escape is malformed.
    pub fn parse(text: &str) -> Option<RawPath> {
        let mut bytes = Vec::with_capacity(text.len());
        let mut rest = text.as_bytes();
        while let [first, tail @ ..] = rest {
            if *first != b'\\' {
                bytes.push(*first);
                rest = tail;
                continue;
            }
            let [b'x', high, low, tail @ ..] = tail else { return None };
            let hex = |c: u8| (c as char).to_digit(16);
            bytes.push((hex(*high)? * 16 + hex(*low)?) as u8);
            rest = tail;
        }
        Some(RawPath(OsString::from_vec(bytes)))
    }
}

impl fmt::Display for RawPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(self.0.as_bytes()))
    }
}

impl fmt::Debug for RawPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawPath({self})")
    }
}

impl Serialize for RawPath {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RawPath {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        RawPath::parse(&text).ok_or_else(|| serde::de::Error::custom("bad \\xNN escape in a path"))
    }
}

pub fn bytes_path(bytes: Vec<u8>) -> RawPath {
    RawPath(OsString::from_vec(bytes))
}

/// Bytes from outside (names, labels, serials, tool output of one line) as harmless text.
pub fn printable(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c == '\\' || c.is_control() || is_direction_mark(c) {
                let mut utf8 = [0; 4];
                c.encode_utf8(&mut utf8).bytes().for_each(|b| push_escape(&mut out, b));
            } else {
                out.push(c);
            }
        }
        chunk.invalid().iter().for_each(|b| push_escape(&mut out, *b));
    }
    out
}

/// Text that should be harmless already (names, sentences, escaped paths), made sure of: as
/// [`printable`], but a backslash stays one, so an escaped path is not escaped twice.
pub fn sanitize(text: &str) -> String {
    let parts: Vec<String> = text.split('\\').map(|part| printable(part.as_bytes())).collect();
    parts.join("\\")
}

/// A document for others without the characters that steer a terminal (C1, delete) or reorder text:
/// they are as JSON escapes them, so a JSON document keeps its values. C0 has other uses in text.
pub fn unsteered(text: &str) -> Cow<'_, str> {
    let steers = |c: char| ('\u{7f}'..='\u{9f}').contains(&c) || is_direction_mark(c);
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let escaped =
        |c: char| if steers(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    Cow::Owned(text.chars().map(escaped).collect())
}

/// Characters that reorder the text around them (Unicode Bidi_Control).
fn is_direction_mark(c: char) -> bool {
    let embeds = ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c);
    embeds || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}')
}

fn push_escape(out: &mut String, byte: u8) {
    use fmt::Write;
    // Writing to a String cannot fail.
    let _ = write!(out, "\\x{byte:02x}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_are_harmless_and_come_back_byte_for_byte() {
        for bytes in
            [&b"/mnt/a b\nc"[..], b"\xff\xfe", b"\\x41", b"\x1b[31m", "ü\u{202e}x".as_bytes()]
        {
            let path = RawPath::new(OsStr::from_bytes(bytes));
            let text = path.to_string();
            assert!(!text.chars().any(|c| c.is_control() || is_direction_mark(c)), "{text}");
            assert_eq!(RawPath::parse(&text), Some(path));
        }
        assert_eq!(RawPath::parse("\\q"), None);
    }

    /// C1 controls and marks of direction were raw in every JSON document.
    #[test]
    fn documents_steer_no_terminal_and_keep_their_values() {
        let value = serde_json::json!({"a\u{9b}31m": "b\u{202e}\u{7f}\\ü"});
        let text = value.to_string();
        let plain = unsteered(&text);
        assert!(plain.contains("\\u009b31m") && plain.contains("\\u202e\\u007f"), "{plain}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&plain).unwrap(), value);
        assert!(matches!(unsteered("ü\n\t"), Cow::Borrowed(_)));
    }

    #[test]
    fn escaping_what_is_escaped_changes_nothing() {
        let once = printable(b"a\\b\x1b[31m\n");
        assert_eq!(sanitize(&once), once);
        assert_eq!(sanitize("x\u{1b}\\y"), "x\\x1b\\y");
    }
}
