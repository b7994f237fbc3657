//! User instructions the load generator takes for one I/O: the figure that repeats exactly.
//!
//! Valgrind counts them, kernel excluded, in the release build of the engine alone. The same job
//! runs with few and with many I/Os; the difference, divided by the I/Os between, leaves start and
//! end out. A time would depend on the machine and on who else uses it; this does not, so a test
//! can hold it to a committed figure.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result};
use bakeoff_core::model::job::{EngineName, Job, Rw};
use bakeoff_core::model::path::RawPath;
use bakeoff_core::tools::native::sliced::{Answer, Go, Order};
use bakeoff_core::tools::native::{Reply, TargetKind, Task};
use tempfile::NamedTempFile;

use crate::tool;

/// I/Os of the shorter and of the longer run: far enough apart that the histogram at the end, which
/// has more entries the more latencies differ, counts for little on a busy machine too.
const IOS: [u64; 2] = [20_000, 320_000];
/// Counts of a case that takes too many, of which the smallest is held to the limit.
const TRIES: usize = 3;
/// Bytes of the file that is read and written.
const FILE_BYTES: u64 = 64 << 20;
/// By how much a count may exceed what is committed.
const MARGIN: f64 = 0.05;

/// One access pattern and what it may cost.
struct Case {
    name: &'static str,
    job: Job,
    /// Whether it is one slice of a cell.
    is_slice: bool,
    /// Counted when it was committed, on x86-64.
    committed: f64,
    /// What it has to stay below whatever was committed; none where nothing was promised.
    at_most: Option<f64>,
}

impl Case {
    fn is_too_many(&self, now: f64) -> bool {
        now > self.committed * (1.0 + MARGIN) || self.at_most.is_some_and(|most| now > most)
    }
}

fn cases() -> Vec<Case> {
    let job = |rw, bs, engine, iodepth| Job { engine, iodepth, ..Job::new(rw, bs, FILE_BYTES) };
    let case =
        |name, job, committed, at_most| Case { name, job, is_slice: false, committed, at_most };
    let slice = |name, job, committed, at_most| Case {
        is_slice: true,
        ..case(name, job, committed, at_most)
    };
    use EngineName::{IoUring, Null, Psync};
    vec![
        case("4k random read, psync", job(Rw::RandRead, 4096, Psync, 1), 74.8, Some(75.0)),
        case(
            "4k random read, io_uring, depth 32",
            job(Rw::RandRead, 4096, IoUring, 32),
            95.8,
            Some(100.0),
        ),
        slice(
            "4k random read, psync, a slice",
            job(Rw::RandRead, 4096, Psync, 1),
            74.8,
            Some(75.0),
        ),
        slice(
            "4k random read, io_uring, depth 32, a slice",
            job(Rw::RandRead, 4096, IoUring, 32),
            95.8,
            Some(100.0),
        ),
        case("8 B sequential read, psync", job(Rw::Read, 8, Psync, 1), 73.1, None),
        case("4k random read, no I/O", job(Rw::RandRead, 4096, Null, 1), 56.5, None),
    ]
}

/// Counts every case; `false` when one takes more than it may.
pub fn check(root: &Path) -> Result<bool> {
    if std::env::consts::ARCH != "x86_64" {
        println!("SKIPPED: instructions per I/O are committed for x86-64 only");
        return Ok(true);
    }
    let engine = build(root)?;
    let file = scratch()?;
    let mut is_right = true;
    println!("{:<40}{:>8}{:>12}{:>9}", "user instructions per I/O", "now", "committed", "at most");
    for case in cases() {
        let Some(mut now) = slope(&engine, file.path(), &case)? else {
            let needs = case.job.engine.name();
            let why = format!("there is no {needs} here");
            tool::skip(&format!("instructions: {}", case.name), &format!("kernel {needs}"), &why)?;
            continue;
        };
        for _ in 1..TRIES {
            if !case.is_too_many(now) {
                break;
            }
            now = slope(&engine, file.path(), &case)?.map_or(now, |again| now.min(again));
        }
        let at_most = case.at_most.map_or("-".to_owned(), |most| most.to_string());
        println!("{:<40}{now:>8.1}{:>12.1}{at_most:>9}", case.name, case.committed);
        if case.is_too_many(now) {
            println!("  too many: shorten the loop, or commit the new figure with its reason");
            is_right = false;
        } else if now < case.committed * (1.0 - MARGIN) {
            println!("  fewer than committed: commit the new figure, so that it stays");
            is_right = false;
        }
    }
    Ok(is_right)
}

/// The engine by itself, as a release.
fn build(root: &Path) -> Result<PathBuf> {
    let mut cargo = tool::cargo();
    cargo.args(["build", "--release", "--quiet", "--package", "bakeoff-engine", "--bin", "engine"]);
    tool::show(cargo.current_dir(root)).context("the engine does not build")?;
    Ok(tool::target().join("release/engine"))
}

/// The counts alone, with the most that was promised, of what can run here.
pub fn counts(root: &Path) -> Result<Vec<(&'static str, f64, Option<f64>)>> {
    let engine = build(root)?;
    let file = scratch()?;
    let mut counts = Vec::new();
    for case in cases() {
        let count = slope(&engine, file.path(), &case)?;
        counts.extend(count.map(|count| (case.name, count, case.at_most)));
    }
    Ok(counts)
}

/// What the engine reads on its standard input to do `ios` I/Os of `job`.
fn task(file: &Path, job: &Job, ios: u64) -> Result<Vec<u8>> {
    let job = Job { io_size: Some(ios * job.bs), ..job.clone() };
    let task = Task::new(job, RawPath::new(file), TargetKind::File);
    Ok(serde_json::to_vec(&task)?)
}

/// What the engine says on standard error of `ios` I/Os of psync, with `env` set.
pub fn told_of(root: &Path, file: &Path, ios: u64, env: &[(&str, &Path)]) -> Result<String> {
    let job = Job::new(Rw::RandRead, 4096, FILE_BYTES);
    let mut engine = Command::new(build(root)?);
    let output = fed(engine.envs(env.iter().copied()), &task(file, &job, ios)?)?;
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Runs a command with this on its standard input.
fn fed(command: &mut Command, bytes: &[u8]) -> Result<Output> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {}", command.get_program().display()))?;
    let mut input = child.stdin.take().context("its input was asked for")?;
    input.write_all(bytes)?;
    drop(input);
    Ok(child.wait_with_output()?)
}

/// Instructions an I/O; `None` where the engine cannot be had.
fn slope(engine: &Path, file: &Path, case: &Case) -> Result<Option<f64>> {
    let [few, many] = IOS;
    let Some(more) = count(engine, file, case, many)? else { return Ok(None) };
    let Some(less) = count(engine, file, case, few)? else { return Ok(None) };
    Ok(Some((more as f64 - less as f64) / (many - few) as f64))
}

/// Instructions of one run of `ios` I/Os; `None` where the engine cannot be had.
fn count(engine: &Path, file: &Path, case: &Case, ios: u64) -> Result<Option<u64>> {
    let mut input_bytes = task(file, &case.job, ios)?;
    if case.is_slice {
        input_bytes.extend(orders(ios)?);
    }
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    valgrind.arg(engine).args(case.is_slice.then_some("slices"));
    // Valgrind disturbs the readings that calibrate it.
    let output = fed(valgrind.env("BAKEOFF_CLOCK", "counter"), &input_bytes)?;
    let said = String::from_utf8_lossy(&output.stderr);
    let used = used(&output.stdout).with_context(|| format!("no reply: {said}"))?;
    if used != case.job.engine {
        return Ok(None);
    }
    instructions(&said).map(Some).with_context(|| format!("valgrind counted nothing: {said}"))
}

/// One slice of so many I/Os, whatever its time.
fn orders(ios: u64) -> Result<Vec<u8>> {
    let go = Go {
        slice_ns: 0,
        least_ios: ios,
        least_flushes: 0,
        least_bytes: 0,
        most_bytes: 0,
        limit_ns: u64::MAX,
    };
    let (go, end) = (serde_json::to_string(&Order::Go(go))?, serde_json::to_string(&Order::End)?);
    Ok(format!("\n{go}\n{end}\n").into_bytes())
}

/// The engine that did it, from what the child answered last.
fn used(stdout: &[u8]) -> Result<EngineName> {
    let last = stdout.trim_ascii().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    if let Ok(Answer::Ended(ended)) = serde_json::from_slice(last) {
        return Ok(ended.engine);
    }
    let parts = Reply::parse(stdout)?.into_result()?;
    parts.first().map(|part| part.engine).context("no part was measured")
}

/// What Cachegrind says on its line "I refs: 9,513,746" ("I refs:" with any number of blanks).
fn instructions(said: &str) -> Option<u64> {
    let line = said.lines().find(|line| line.contains("I") && line.contains("refs:"))?;
    line.rsplit(':').next()?.trim().replace(',', "").parse().ok()
}

/// A file to read, removed at the end. Holes are read as any page is: only the user's side is
/// counted.
fn scratch() -> Result<NamedTempFile> {
    let file = NamedTempFile::new_in(tool::target())?;
    file.as_file().set_len(FILE_BYTES)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read_from_what_valgrind_says() {
        let said = "==7== Command: engine\n==7== \n==7== I   refs:      9,513,746\n";
        assert_eq!(instructions(said), Some(9_513_746));
        assert_eq!(instructions("==7== I refs:        12\n"), Some(12));
        assert_eq!(instructions("valgrind: no such tool"), None);
    }
}
