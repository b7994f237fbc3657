//! The script and stylesheet of the HTML report and the letters of its card, bundled by `make web`
//! and put in by build.rs, which compresses them: they are a twentieth of the program and only a
//! report needs them.

use std::sync::OnceLock;

use bakeoff_core::report::Assets;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

const JS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/report.js"));
const CSS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/report.css"));
/// Two weights of Inter.
#[cfg(feature = "card")]
const LETTERS: [&[u8]; 2] = [
    include_bytes!(concat!(env!("OUT_DIR"), "/card-400.ttf")),
    include_bytes!(concat!(env!("OUT_DIR"), "/card-600.ttf")),
];

/// Most bytes of each; the bundler refuses more than 800,000 of script and stylesheet.
const LIMIT_BYTES: usize = 1 << 20;

/// What every page of ours carries; without the bundle the script is empty and pages say so.
pub fn report() -> Assets<'static> {
    static TEXTS: OnceLock<[String; 2]> = OnceLock::new();
    let text = |packed| String::from_utf8(unpack(packed)).expect("build.rs read it as text");
    let [js, css] = TEXTS.get_or_init(|| [JS, CSS].map(text));
    Assets { js, css }
}

/// The fonts of cards; empty without the bundle.
#[cfg(feature = "card")]
pub fn letters() -> [Vec<u8>; 2] {
    LETTERS.map(unpack)
}

fn unpack(packed: &[u8]) -> Vec<u8> {
    decompress_to_vec_with_limit(packed, LIMIT_BYTES).expect("build.rs compressed it")
}
