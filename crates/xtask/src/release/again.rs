//! The same release once more, from a clone in another folder: whether every file has the same
//! bytes. Source: reproducible-builds.org.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::FILES;
use crate::tool;

const SUMS: &str = "SHA256SUMS";

/// Builds the commit that is checked out in a folder with a longer name, and compares with the
/// files that are there.
pub fn again(root: &Path, names: &[String]) -> Result<bool> {
    let git = |words: &[&str]| tool::output(Command::new("git").current_dir(root).args(words));
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
    ensure!(changed.is_empty(), "commit these first: the clone has only commits\n{changed}");
    let first = sums(&tool::target().join(FILES))?;
    let folder = tempfile::Builder::new()
        .prefix("bakeoff-in-another-folder-with-a-longer-name-")
        .tempdir_in("/var/tmp")?;
    let clone = folder.path().join("clone");
    tool::run(Command::new("git").args(["clone", "--quiet", "--shared"]).arg(root).arg(&clone))?;
    // What was fetched from elsewhere is the same: compilers, and the packages of the charts.
    std::fs::create_dir(clone.join("target"))?;
    let toolchain = tool::target().join("toolchain");
    let mut link = Command::new("cp");
    tool::run(link.args(["-a", "--link"]).arg(&toolchain).arg(clone.join("target/toolchain")))?;
    let mut cargo = tool::cargo();
    cargo.current_dir(&clone).args(["xtask", "release"]).args(names);
    cargo.env("CARGO_TARGET_DIR", clone.join("target"));
    tool::show(&mut cargo).context("no second release")?;
    let second = sums(&clone.join("target").join(FILES))?;
    let names: Vec<&String> = second.keys().filter(|name| first.contains_key(*name)).collect();
    let mut is_same = !names.is_empty();
    for name in &names {
        if first[*name] != second[*name] {
            is_same = false;
            println!("DIFFERS: {name}");
            differences(&tool::target().join(FILES), &clone.join("target").join(FILES), name);
        }
    }
    let others = first.len() + second.len() - 2 * names.len();
    println!("{} files have been built twice, {others} once", names.len());
    Ok(is_same)
}

/// Checksums by name.
fn sums(files: &Path) -> Result<BTreeMap<String, String>> {
    let path = files.join(SUMS);
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("no {}: run `make release` first", path.display()))?;
    let line = |line: &str| line.split_once("  ").map(|(sum, name)| (name.into(), sum.into()));
    Ok(text.lines().filter_map(line).collect())
}

/// Where they differ, by diffoscope if it is here.
fn differences(first: &Path, second: &Path, name: &str) {
    let mut diffoscope = Command::new("diffoscope");
    diffoscope.args(["--max-report-size", "4000"]).arg(first.join(name)).arg(second.join(name));
    if diffoscope.status().is_err() {
        println!("(diffoscope says where; Debian: diffoscope)");
    }
}
