//! The script and stylesheet of the HTML report, bundled by `make web` and put in by build.rs. It
//! compresses them: they are a twentieth of the program and only a report needs them.

use std::sync::OnceLock;

use bakeoff_report::Assets;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

const JS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/report.js"));
const CSS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/report.css"));

/// Most bytes of each; the bundler refuses more than 800,000 of script and stylesheet.
const LIMIT_BYTES: usize = 1 << 20;

/// What every page of ours carries; without the bundle the script is empty and pages say so.
pub fn report() -> Assets<'static> {
    static TEXTS: OnceLock<[String; 2]> = OnceLock::new();
    let text = |packed: &[u8]| String::from_utf8(unpack(packed)).expect("build.rs read it as text");
    let [js, css] = TEXTS.get_or_init(|| [JS, CSS].map(text));
    Assets { js, css }
}

/// What build.rs compressed; empty without the bundle.
pub fn unpack(packed: &[u8]) -> Vec<u8> {
    decompress_to_vec_with_limit(packed, LIMIT_BYTES).expect("build.rs compressed it")
}
