//! Names from outside: shown without harm to a terminal, and stored without loss.

#![no_main]

use bakeoff_model::path::{RawPath, bytes_path, printable};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let shown = printable(bytes);
    assert!(!shown.chars().any(char::is_control), "a control character got through");
    let path = bytes_path(bytes.to_vec());
    assert_eq!(RawPath::parse(&shown).as_ref(), Some(&path), "a name came back changed");
    let stored = serde_json::to_string(&path).expect("a path can be written");
    let again: RawPath = serde_json::from_str(&stored).expect("a written path can be read");
    assert_eq!(again, path, "a stored name came back changed");
    if let Ok(text) = std::str::from_utf8(bytes) {
        // Whatever was typed, what is understood of it prints as what it is.
        if let Some(parsed) = RawPath::parse(text) {
            assert_eq!(RawPath::parse(&parsed.to_string()), Some(parsed));
        }
    }
});
