//! What does not depend on a disk: how long bakeoff takes to start, and how large it is.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::spread::Spread;

/// Starts that are timed.
const STARTS: usize = 41;

/// The figures.
pub struct Fixed {
    /// `bakeoff --version`, from start to end, in ms.
    pub start_ms: Spread,
    /// Size of the binary.
    pub binary_bytes: u64,
}

/// Measures them.
pub fn figures(bakeoff: &Path) -> Result<Fixed> {
    let mut times = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        let started = Instant::now();
        let status = Command::new(bakeoff).arg("--version").stdout(Stdio::null()).status();
        times.push(started.elapsed().as_secs_f64() * 1e3);
        ensure!(status.context("cannot run it")?.success(), "bakeoff --version failed");
    }
    Ok(Fixed { start_ms: Spread::of(times), binary_bytes: bakeoff.metadata()?.len() })
}
