//! A disk that reads slower and slower from its start to its end: the speed by position is shown,
//! and the region shrinks to where it hardly matters.
//!
//! Made of parts that answer each read after a delay of their own (the kernel's dm-delay). They
//! differ by a tick of the slowest timer a kernel has, so that no rounding levels them.

use anyhow::{Result, ensure};
use serde_json::Value;

use super::run::IS_MOUNTED;
use crate::vm::disk::MIB;
use crate::vm::guest::Guest;
use crate::vm::{plan, store};

/// Parts, and how much longer each takes for a read than the one before.
const PARTS: u64 = 9;
const FIRST_MS: u64 = 20;
const STEP_MS: u64 = 10;
const PART_BYTES: u64 = 32 * MIB;

const PLAN: &str = "
[region]
size = '280m'
[[stack]]
fs = 'ext4'
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
    guest.ok(&format!("dmsetup create slope <<'END'\n{}END", table()))?;
    plan::write_small(guest, PLAN)?;
    let words = plan::targets(guest, &["/dev/mapper/slope"])?;
    let said = plan::run_until(guest, &words, IS_MOUNTED)?.error();
    ensure!(said.contains("Speed from start to end: "), "{said}");
    ensure!(said.contains("the region shrinks to 64 MiB"), "{said}");
    let mut speeds = Vec::new();
    for what in store::events(guest)? {
        if let Value::Array(all) = &what["surveyed"]["positions"] {
            speeds = all.iter().filter_map(|at| at["bytes_per_s"].as_f64()).collect();
        }
        if let Some(bytes) = what["verified"]["verified_bytes"].as_u64() {
            ensure!(bytes == 64 * MIB, "{what}");
        }
    }
    ensure!(speeds.len() == 9 && speeds[0] > speeds[8], "{speeds:?}");
    store::check(guest)?;
    guest.ok("dmsetup remove --retry slope").map(drop)
}
