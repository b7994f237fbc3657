//! The program as `make build` links it, in the profile of tests: static where the C library can be
//! had so. What links anew shares everything compiled with the tests before it.
//!
//! It is what the emulated machines run, and it has to work under valgrind: a library that followed
//! the kernel's address of the vDSO crashed there, in the static program only.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::verify;
use crate::tool;

/// Where it is put, below the top of the repository.
pub const BINARY: &str = "target/dist-test/bakeoff-plain";

/// Builds it, measures with it by itself and under valgrind.
pub fn check(root: &Path) -> Result<bool> {
    let binary = build(root)?;
    verify::measure(Command::new(&binary), &binary)?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--tool=none"]).arg(&binary);
    verify::measure(valgrind, &binary).context("under valgrind (Debian: valgrind)")?;
    println!("{BINARY} reads a file, under valgrind too");
    Ok(true)
}

fn build(root: &Path) -> Result<PathBuf> {
    let mut command = tool::cargo();
    command
        .current_dir(root)
        .args(["rustc", "--quiet", "--package", "bakeoff", "--bin", "bakeoff"])
        // As the tests have it, so that nothing is compiled a second time.
        .args(["--features", "bakeoff-core/testing"])
        .args(["--", "-C", "strip=symbols"]);
    if has_static_libc() {
        command.args(["-C", "target-feature=+crt-static"]);
    }
    tool::show(&mut command).context("no program to test")?;
    let (built, binary) = (root.join("target/debug/bakeoff"), root.join(BINARY));
    let folder = binary.parent().context("a file is in a folder")?;
    std::fs::create_dir_all(folder)?;
    if !built.exists() {
        bail!("cargo made no {}", built.display());
    }
    std::fs::copy(&built, &binary).with_context(|| format!("writing {}", binary.display()))?;
    Ok(binary)
}

/// As the Makefile asks: the compiler gives a path where it has the library, else its bare name.
fn has_static_libc() -> bool {
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    tool::output(Command::new(compiler).arg("-print-file-name=libc.a"))
        .is_ok_and(|path| path.starts_with('/'))
}
