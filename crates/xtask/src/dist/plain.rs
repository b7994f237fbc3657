//! The program as `make build` links it, in the profile of tests: static where the C library can be
//! had so. What links anew shares everything compiled with the tests before it.
//!
//! It is what the emulated machines run, and it has to work under valgrind: a library that followed
//! the kernel's address of the vDSO crashed there, in the static program only.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::verify;
use crate::tool;

/// Where it is put.
pub fn binary() -> PathBuf {
    tool::target().join("dist-test/bakeoff-plain")
}

/// Builds it, measures with it by itself and under valgrind.
pub fn check(root: &Path) -> Result<bool> {
    let binary = build(root)?;
    verify::measure(Command::new(&binary), &binary)?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--tool=none"]).arg(&binary);
    verify::measure(valgrind, &binary).context("under valgrind (Debian: valgrind)")?;
    println!("{} reads a file, under valgrind too", binary.display());
    Ok(true)
}

fn build(root: &Path) -> Result<PathBuf> {
    let mut make = Command::new("make");
    make.current_dir(root).args(["--no-print-directory", "build", "PROFILE=dev"]);
    // With what the tests have, so that nothing is compiled a second time.
    make.args(["BUILD=--quiet --features bakeoff-judge/testing", "RUSTC_FLAGS=-C strip=symbols"]);
    tool::show(&mut make).context("no program to test")?;
    let binary = binary();
    tool::copy(&tool::target().join("debug/bakeoff"), &binary)?;
    Ok(binary)
}
