//! Finds the script and stylesheet of the HTML report and compresses them. `make web` bundles them into web/dist of a clone; a source package has them in web beside
//! this file.
//!
//! Without the bundle the program still builds: its reports then have every table and no chart,
//! and say so. It also gives the program the name of the machine that it is built for.

use std::path::PathBuf;
use std::{env, fs};

const NAMES: [&str; 2] = ["report.js", "report.css"];
const LEVEL: u8 = 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let web = here.join("../../web");
    let folder = if web.exists() { web.join("dist") } else { here.join("web") };
    // A path that does not exist makes cargo look again on every build, which is what is wanted.
    for name in NAMES {
        println!("cargo::rerun-if-changed={}", folder.join(name).display());
    }
    let is_bundled = NAMES.iter().all(|name| folder.join(name).exists());
    if !is_bundled {
        println!("cargo::warning=reports will have no charts: run `make web`, then build again");
    }
    for name in NAMES {
        let bytes = if is_bundled { fs::read(folder.join(name))? } else { Vec::new() };
        let packed = miniz_oxide::deflate::compress_to_vec(&bytes, LEVEL);
        fs::write(out.join(name), packed)?;
    }
    println!("cargo::rustc-env=BAKEOFF_TARGET={}", env::var("TARGET")?);
    Ok(())
}
