//! A plan in a guest: written there, and run on its disks until there is a block or an answer.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::guest::Guest;
use super::port::Output;
use super::{job, store};

/// Where it is.
const PATH: &str = "/tmp/plan.toml";
/// More than any run takes: it ends with what is waited for.
pub const ENDLESS: &str = "--time 4h --seed 1 --max-write 100g";
/// How long a run to its answer may take: two minutes alone, more beside builds.
const LIMIT: Duration = Duration::from_secs(900);

/// One workload that any stack can do quickly, on the same place. An emulated processor takes long
/// to make data, so where nothing depends on it the region is discarded and not written.
const COMMON: &str = "
[[workload]]
rw = 'randwrite'
bs = '4k'
size = '4m'
io_size = '64k'
fsync = 16
[protocol]
mode = 'quick'
precondition = false
cell_min = '50ms'
cell_min_ios = 8
";

/// A plan of that beginning, which says what is compared, with a workload of seconds.
pub fn small(beginning: &str) -> String {
    // Discarding takes a moment where writing takes a minute.
    let state = if beginning.contains("320m") { "flash_state = 'trimmed'\n" } else { "" };
    format!("title = 'test'\n{beginning}{COMMON}{state}")
}

/// Writes a plan.
pub fn write(guest: &mut Guest, text: &str) -> Result<()> {
    guest.ok(&format!("cat >{PATH} <<'END'\n{text}END")).map(drop)
}

/// Writes a small plan of that beginning.
pub fn write_small(guest: &mut Guest, beginning: &str) -> Result<()> {
    write(guest, &small(beginning))
}

/// The words for disks that have no serial number to name, each with its consent, which is asked
/// of the plan.
pub fn targets(guest: &mut Guest, devices: &[&str]) -> Result<String> {
    let words: String = devices.iter().map(|device| format!(" --target {device}")).collect();
    let plan = guest.json(&format!("bakeoff plan {PATH}{words} --max-write 100g --format json"))?;
    let tokens = plan["targets"].as_array().context("no targets")?;
    let consent = |target: &Value| Some(format!(" --erase '{}'", target["erase_token"].as_str()?));
    let consent: Option<String> = tokens.iter().map(consent).collect();
    Ok(words + &consent.with_context(|| format!("no erase token in {plan}"))?)
}

/// Starts a run on the disks that `words` name, and waits until it has begun what `sign` (a script)
/// is true of; then ends it as a user would.
pub fn run_until(guest: &mut Guest, words: &str, sign: &str) -> Result<Output> {
    until(guest, &format!("bakeoff run {PATH} {words} {ENDLESS}"), sign)
}

/// The same with a whole command, until its first block is complete; checks the store.
pub fn one_block(guest: &mut Guest, command: &str) -> Result<()> {
    let is_done = store::block_is_done(guest)?;
    until(guest, command, &is_done)?;
    store::check(guest)
}

fn until(guest: &mut Guest, command: &str, sign: &str) -> Result<Output> {
    job::start(guest, command)?;
    job::wait_for(guest, sign)?;
    job::interrupted(guest)
}

/// Runs it for five minutes at most, and returns its result.
pub fn result(guest: &mut Guest, devices: &[&str]) -> Result<Value> {
    let words = targets(guest, devices)?;
    let command = format!(
        "bakeoff run {PATH} {words} --seed 1 --time 5m --max-write 100g --format json >/tmp/result"
    );
    let ended = guest.run_within(&command, LIMIT)?;
    ensure!(ended.code <= 1, "ended with {}: {}", ended.code, ended.error());
    guest.json("cat /tmp/result")
}
