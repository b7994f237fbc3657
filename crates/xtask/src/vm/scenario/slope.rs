//! A disk that reads slower and slower from its start to its end: the speed by position is shown,
//! and the region shrinks to where it hardly matters.
//!
//! Made of parts that answer each read after a delay of their own (the kernel's dm-delay). They
//! differ by a tick of the slowest timer a kernel has, so that no rounding levels them.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::vm::disk::MIB;
use crate::vm::guest::Guest;
use crate::vm::{job, store};

/// Parts, and how much longer each takes for a read than the one before.
const PARTS: u64 = 9;
const FIRST_MS: u64 = 20;
const STEP_MS: u64 = 10;
const PART_BYTES: u64 = 32 * MIB;

const PLAN: &str = "
title = 'slope'
[region]
size = '280m'
[[stack]]
fs = 'ext4'
[[workload]]
rw = 'randwrite'
bs = '4k'
size = '4m'
io_size = '64k'
[protocol]
mode = 'quick'
precondition = false
cell_min = '50ms'
cell_min_ios = 8
";

/// Lines of a table for dmsetup(8): reads are delayed, writes are not.
fn table() -> String {
    let sectors = PART_BYTES / 512;
    let line = |part: u64| {
        let (at, delay) = (part * sectors, FIRST_MS + part * STEP_MS);
        format!("{at} {sectors} delay /dev/vda {at} {delay} /dev/vda {at} 0\n")
    };
    (0..PARTS).map(line).collect()
}

/// Runs a plan on it until the region was written.
pub fn shrinks_the_region(guest: &mut Guest) -> Result<()> {
    guest.ok(&format!(
        "dmsetup create slope <<'END'\n{}END\ncat >/tmp/plan.toml <<'END'\n{PLAN}END",
        table()
    ))?;
    let plan = guest.ok("bakeoff plan /tmp/plan.toml --target /dev/mapper/slope --format json")?;
    let plan: Value = serde_json::from_str(&plan)?;
    let token = plan["targets"][0]["erase_token"].as_str().context("no erase token")?;
    job::start(
        guest,
        &format!(
            "bakeoff run /tmp/plan.toml --target /dev/mapper/slope --erase '{token}' --time 4h \
             --seed 1 --max-write 100g"
        ),
    )?;
    job::wait_for(guest, "grep -q ^/dev/mapper/bakeoff- /proc/mounts")?;
    let ended = job::interrupt(guest)?;
    let said = ended.error();
    ensure!(ended.code == 130, "ended with {}: {said}", ended.code);
    ensure!(said.contains("Speed from start to end: "), "{said}");
    ensure!(said.contains("the region shrinks to 64 MiB"), "{said}");
    let events = guest.ok("bakeoff export last --format jsonl --no-redact")?;
    let mut speeds = Vec::new();
    for line in events.lines() {
        let what = serde_json::from_str::<Value>(line)?["what"].take();
        if let Value::Array(all) = &what["surveyed"]["positions"] {
            speeds = all.iter().filter_map(|at| at["bytes_per_s"].as_f64()).collect();
        }
        if let Some(bytes) = what["verified"]["verified_bytes"].as_u64() {
            ensure!(bytes == 64 * MIB, "{line}");
        }
    }
    ensure!(speeds.len() == 9 && speeds[0] > speeds[8], "{speeds:?}");
    store::check(guest)?;
    guest.ok("dmsetup remove --retry slope").map(drop)
}
