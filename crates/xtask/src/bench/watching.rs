//! What watching the machine costs during a cell, beside what iostat costs.
//!
//! bakeoff looks at disks and CPUs ten times a second and at the rest twice, iostat at disks and
//! CPUs once. Both are shares of one core.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::process::pss_bytes;
use super::spread::Spread;
use crate::tool;

/// How long iostat is watched.
const IOSTAT_S: u64 = 10;

/// The figures.
pub struct Watching {
    /// The sampler's CPU time in each cell of a run, percent of one core.
    pub percent: Spread,
    /// What the sampler holds.
    pub bytes: f64,
    /// How many sources it had.
    pub sources: usize,
    /// iostat's CPU time, percent of one core.
    pub iostat_percent: Spread,
    /// iostat's memory while it runs, its share of libraries included.
    pub iostat_bytes: f64,
}

/// Measures a run in `folder`, then iostat.
pub fn figures(bakeoff: &Path, folder: &Path) -> Result<Watching> {
    let store = folder.join("watching.db");
    let place = folder.join("watching");
    std::fs::create_dir_all(&place).context("no directory for a run")?;
    let run =
        |args: &[&str]| tool::answer(Command::new(bakeoff).args(args).arg("--store").arg(&store));
    let place = place.to_string_lossy();
    run(&["quick", &place, "--workload", "randread", "--size", "64m", "--time", "60s", "--quiet"])?;
    let events = run(&["export", "last", "--format", "jsonl", "--no-redact"])?;
    let (percent, bytes, sources) = of_run(&events)?;
    let (iostat_percent, iostat_bytes) = iostat()?;
    Ok(Watching { percent, bytes, sources, iostat_percent, iostat_bytes })
}

/// From the events of a run: the share in each cell, the memory, the number of sources.
fn of_run(events: &str) -> Result<(Spread, f64, usize)> {
    let (mut percent, mut bytes, mut sources) = (Vec::new(), None, 0);
    for line in events.lines() {
        let event: Value = serde_json::from_str(line).context("an event is no JSON")?;
        let watching = &event["what"]["watching"];
        if let Some(held) = watching["memory_bytes"].as_f64() {
            bytes = Some(held);
            sources = watching["sources"].as_array().map_or(0, Vec::len);
        }
        let cell = &event["what"]["cell_done"];
        let cost_ns = cell["telemetry"]["cost"]["cpu_ns"].as_f64();
        if let Some((cost, wall)) = cost_ns.zip(cell["measurement"]["elapsed_ns"].as_f64()) {
            percent.push(cost / wall * 100.0);
        }
    }
    ensure!(!percent.is_empty(), "no cell tells what watching it cost");
    Ok((
        Spread::from_values(percent),
        bytes.context("the run does not tell what watched it")?,
        sources,
    ))
}

fn iostat() -> Result<(Spread, f64)> {
    let mut child = Command::new("iostat")
        .args(["-x", "1"])
        .stdout(Stdio::null())
        .spawn()
        .context("cannot start iostat (Debian: sysstat)")?;
    let mut shares = Vec::new();
    let mut before = on_cpu_ns(child.id());
    // The first second is its start.
    for second in 0..=IOSTAT_S {
        std::thread::sleep(Duration::from_secs(1));
        let now = on_cpu_ns(child.id());
        let used = now.as_ref().ok().zip(before.as_ref().ok()).map(|(now, before)| now - before);
        shares.extend(used.filter(|_| second > 0).map(|ns| ns / 1e9 * 100.0));
        before = now;
    }
    let bytes = pss_bytes(child.id()) as f64;
    child.kill().context("iostat cannot be ended")?;
    child.wait()?;
    before?;
    Ok((Spread::from_values(shares), bytes))
}

/// CPU time of a process with one thread: the first number of its schedstat.
fn on_cpu_ns(process: u32) -> Result<f64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/schedstat"))?;
    let first = text.split_whitespace().next().context("an empty schedstat")?;
    Ok(first.parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_is_read_from_the_events() {
        let events = r#"{"what":{"watching":{"memory_bytes":900000,"sources":["CPUs","load"]}}}
{"what":{"cell_done":{"measurement":{"elapsed_ns":1000},"telemetry":{"cost":{"cpu_ns":5}}}}}
{"what":{"cell_done":{"measurement":{"elapsed_ns":1000},"telemetry":{"cost":{"cpu_ns":3}}}}}"#;
        let (percent, bytes, sources) = of_run(events).unwrap();
        assert_eq!((percent.low, percent.high), (0.3, 0.5));
        assert_eq!((bytes, sources), (900_000.0, 2));
        assert!(of_run("{}").is_err());
    }
}
