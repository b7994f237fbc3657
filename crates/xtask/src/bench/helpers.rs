//! Two small programs in C that the comparison needs, compiled for it: the bare loop of system
//! calls that is the limit, and a clock without a vDSO to preload.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::tool;

/// Where they are.
pub struct Helpers {
    /// Program: one system call after the other.
    pub bare_loop: PathBuf,
    /// Library: `clock_gettime` as a system call.
    pub slow_clock: PathBuf,
}

/// Compiles both into `dir`.
pub fn make(root: &Path, dir: &Path) -> Result<Helpers> {
    let source = root.join("crates/xtask/src/bench");
    let bare_loop = dir.join("bench-bare-loop");
    let slow_clock = dir.join("bench-slow-clock.so");
    compile(&source.join("bare_loop.c"), &bare_loop, &[])?;
    compile(&source.join("slow_clock.c"), &slow_clock, &["-shared", "-fPIC"])?;
    Ok(Helpers { bare_loop, slow_clock })
}

fn compile(source: &Path, to: &Path, options: &[&str]) -> Result<()> {
    tool::run(Command::new("cc").args(["-O2", "-o"]).arg(to).args(options).arg(source))
}
