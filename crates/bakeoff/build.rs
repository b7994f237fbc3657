//! Finds the script and stylesheet of the HTML report and the font of its card, which `make web`
//! bundles into web/dist.
//!
//! Without the bundle the program still builds: its reports then have every table and no chart,
//! and say so.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let web = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../web");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let dist = ["report.js", "report.css", "card-400.ttf", "card-600.ttf"]
        .map(|name| (name, web.join("dist").join(name)));
    // A path that does not exist makes cargo look again on every build, which is what is wanted.
    for (_, path) in &dist {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let is_bundled = dist.iter().all(|(_, path)| path.exists());
    if !is_bundled {
        println!("cargo::warning=reports will have no charts: run `make web`, then build again");
    }
    for (name, path) in dist {
        let bytes = if is_bundled { fs::read(path)? } else { Vec::new() };
        fs::write(out.join(name), bytes)?;
    }
    Ok(())
}
