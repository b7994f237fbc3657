//! What does not depend on a disk: instructions, how long bakeoff takes to start, how often it
//! reads the clock, how fast it makes data, and how large it is.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::cases::Setup;
use super::instructions;
use super::spread::Spread;
use super::watching::{self, Watching};
use crate::tool;

/// Starts that are timed.
const STARTS: usize = 21;
/// Times bakeoff measures its own engine.
const CHECKS: usize = 5;

/// The figures.
pub struct Fixed {
    /// `bakeoff --version`, from start to end, in ms.
    pub start_ms: Spread,
    /// `bakeoff bench` of one I/O, from the start of the program to that I/O, in ms.
    pub first_io_ms: Spread,
    /// The same to its end, with all that is said of the machine afterwards.
    pub one_io_ms: Spread,
    /// From start to end of fio.
    pub fio_one_io_ms: Spread,
    /// Clock reads an I/O of psync.
    pub clock_reads: Spread,
    /// Making data.
    pub fill_gb_per_s: Spread,
    /// Making it again and comparing.
    pub verify_gb_per_s: Spread,
    /// User instructions an I/O by case, with the most that was promised.
    pub instructions: Vec<(&'static str, f64, Option<f64>)>,
    /// What watching the machine costs.
    pub watching: Watching,
    /// Size of the binary.
    pub binary_bytes: u64,
}

/// Measures them.
pub fn figures(root: &Path, setup: &Setup) -> Result<Fixed> {
    let file = setup.file.display().to_string();
    let bakeoff = setup.bakeoff.display().to_string();
    let one_io = ["bench", &file, "--bs", "4096", "--io_size", "4096", "--quiet"];
    let name = format!("--filename={file}");
    let fio = ["--name=one", &name, "--rw=randread", "--bs=4k", "--io_size=4k", "--size=1m"];
    let (fill_gb_per_s, verify_gb_per_s) = data_rates(setup.bakeoff)?;
    Ok(Fixed {
        start_ms: starts(&bakeoff, &["--version"])?,
        first_io_ms: first_ios(&bakeoff, &one_io)?,
        one_io_ms: starts(&bakeoff, &one_io)?,
        fio_one_io_ms: starts("fio", &fio)?,
        clock_reads: clock_reads(root, setup)?,
        fill_gb_per_s,
        verify_gb_per_s,
        instructions: instructions::counts(root)?,
        watching: watching::figures(setup.bakeoff, &setup.sysbench)?,
        binary_bytes: setup.bakeoff.metadata()?.len(),
    })
}

/// A command from start to end, in ms.
fn starts(program: &str, arguments: &[&str]) -> Result<Spread> {
    let mut times = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        let started = Instant::now();
        let status = Command::new(program).args(arguments).stdout(Stdio::null()).status();
        times.push(started.elapsed().as_secs_f64() * 1e3);
        ensure!(status.context("cannot run it")?.success(), "{program} failed");
    }
    Ok(Spread::from_values(times))
}

/// From before the program is started to its first I/O, which it tells by the same clock, in ms.
fn first_ios(program: &str, arguments: &[&str]) -> Result<Spread> {
    let mut times = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        let started = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let started_ns = started.tv_sec as u64 * 1_000_000_000 + started.tv_nsec as u64;
        let mut bench = Command::new(program);
        let said = tool::output(bench.args(arguments).args(["--format", "json"]))?;
        let said: Value = serde_json::from_str(&said)?;
        let first_ns = said["monotonic_ns"].as_u64().context("no time of the first I/O")?;
        times.push(first_ns.checked_sub(started_ns).context("before its start")? as f64 / 1e6);
    }
    Ok(Spread::from_values(times))
}

/// What the preloaded clock counts over 20 000 I/Os more, divided by them: start and end fall out.
fn clock_reads(root: &Path, setup: &Setup) -> Result<Spread> {
    const IOS: [u64; 2] = [10_000, 30_000];
    let count = |ios: u64| -> Result<f64> {
        let env = [
            ("BAKEOFF_CLOCK", Path::new("vdso")),
            ("LD_PRELOAD", &setup.helpers.slow_clock),
            ("COUNT_CLOCK", Path::new("1")),
        ];
        let said = instructions::told_of(root, setup.file, ios, &env)?;
        let calls = said.lines().filter_map(|line| line.strip_prefix("clock_gettime calls: "));
        let calls: Vec<f64> = calls.map(str::parse).collect::<Result<_, _>>()?;
        ensure!(!calls.is_empty(), "nobody counted clock readings: {said}");
        Ok(calls.iter().sum())
    };
    let [few, many] = IOS;
    let reads = (count(many)? - count(few)?) / (many - few) as f64;
    ensure!(reads > 0.0, "the engine's clock was not the one that counts");
    Ok(Spread::from_values([reads]))
}

/// From `bakeoff check --engine`.
fn data_rates(bakeoff: &Path) -> Result<(Spread, Spread)> {
    let (mut fill, mut verify) = (Vec::new(), Vec::new());
    for _ in 0..CHECKS {
        let mut check = Command::new(bakeoff);
        let report = tool::output(check.args(["check", "--engine", "--format", "json"]))?;
        let report: Value = serde_json::from_str(&report).context("no JSON from check")?;
        let rate = |key: &str| report["engine"][key].as_f64().with_context(|| format!("no {key}"));
        fill.push(rate("fill_bytes_per_s")? / 1e9);
        verify.push(rate("verify_bytes_per_s")? / 1e9);
    }
    Ok((Spread::from_values(fill), Spread::from_values(verify)))
}
