//! The sources: one archive of the clone with the bundle of the report in it, so that cargo builds
//! it without Node; and the crates as `cargo package` makes them.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::facts::Facts;
use crate::tool;

/// What `make web` makes and a source package contains.
const BUNDLE: [&str; 4] = ["report.js", "report.css", "card-400.ttf", "card-600.ttf"];

/// Packs what git tracks, and the bundle.
pub fn archive(facts: &Facts) -> Result<PathBuf> {
    let name = format!("bakeoff-{}", facts.version);
    let folder = facts.work.join(&name);
    let mut git = Command::new("git");
    let listing = tool::output(git.current_dir(&facts.root).args(["ls-files", "--cached"]))?;
    for path in listing.lines() {
        tool::copy(&facts.root.join(path), &folder.join(path))?;
    }
    for name in BUNDLE {
        let from = facts.root.join("web/dist").join(name);
        tool::copy(&from, &folder.join("web/dist").join(name))
            .with_context(|| format!("no {}: run `make web`", from.display()))?;
    }
    let file = facts.tar_xz(&name)?;
    let renamed = facts.out.join(format!("{name}-source.tar.xz"));
    std::fs::rename(file, &renamed)?;
    Ok(renamed)
}

const CRATES: [&str; 8] = [
    "bakeoff-stats",
    "bakeoff-model",
    "bakeoff-machine",
    "bakeoff-tools",
    "bakeoff-judge",
    "bakeoff-report",
    "bakeoff-engine",
    "bakeoff",
];

/// The crates of the program, from the unpacked archive, so that nothing else can get into them.
pub fn crates(facts: &Facts) -> Result<Vec<PathBuf>> {
    let sources = facts.work.join(format!("bakeoff-{}", facts.version));
    let web = sources.join("crates/bakeoff/web");
    std::fs::create_dir_all(&web)?;
    for name in BUNDLE {
        std::fs::copy(sources.join("web/dist").join(name), web.join(name))?;
    }
    let built = facts.work.join("package");
    let mut cargo = tool::cargo();
    cargo.current_dir(&sources).args(["package", "--quiet", "--workspace", "--exclude", "xtask"]);
    // `make test-install` builds them; here that would take as long as all the rest.
    cargo.args(["--no-verify", "--allow-dirty", "--target-dir"]).arg(&built);
    tool::run(&mut cargo)?;
    let mut files = Vec::new();
    for name in CRATES {
        let name = format!("{name}-{}.crate", facts.version);
        let file = facts.out.join(&name);
        std::fs::copy(built.join("package").join(&name), &file)
            .with_context(|| format!("cargo package made no {name}"))?;
        files.push(file);
    }
    std::fs::remove_dir_all(&web)?;
    Ok(files)
}
