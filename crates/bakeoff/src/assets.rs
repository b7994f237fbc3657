//! The script and stylesheet of the HTML report, bundled by `make web` and put in by build.rs.

use bakeoff_core::report::Assets;

/// What every page of ours carries; without the bundle the script is empty and pages say so.
pub const REPORT: Assets = Assets {
    js: include_str!(concat!(env!("OUT_DIR"), "/report.js")),
    css: include_str!(concat!(env!("OUT_DIR"), "/report.css")),
};
