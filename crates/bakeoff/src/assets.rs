//! The script and stylesheet of the HTML report, bundled by `make web` and put in by build.rs, which
//! compresses them: they are a twentieth of the program and only a report needs them.

use std::sync::OnceLock;

use bakeoff_core::report::Assets;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

const JS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/report.js"));
const CSS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/report.css"));

/// Most bytes of either; the bundler refuses more than 800,000 of both.
const LIMIT_BYTES: usize = 1 << 20;

/// What every page of ours carries; without the bundle the script is empty and pages say so.
pub fn report() -> Assets<'static> {
    static TEXTS: OnceLock<[String; 2]> = OnceLock::new();
    let [js, css] = TEXTS.get_or_init(|| [JS, CSS].map(unpack));
    Assets { js, css }
}

fn unpack(packed: &[u8]) -> String {
    let bytes = decompress_to_vec_with_limit(packed, LIMIT_BYTES).expect("build.rs compressed it");
    String::from_utf8(bytes).expect("build.rs read it as text")
}
