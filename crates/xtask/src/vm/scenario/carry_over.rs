//! A disk made to misbehave: the finding `carry-over` fires on it, and on four others it does not.
//!
//! The disk has a write-back cache that ignores flushes. A fast candidate fills it and the next one
//! waits; during the slices of a slow candidate the cache empties, and the next one is faster.
//! The candidates are two stacks on each half of a disk, and the second half answers late (the
//! kernel's dm-delay).

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{Group, Test};
use crate::vm::board::PC_OF_TWO;
use crate::vm::disk::{Disk, MIB};
use crate::vm::guest::Guest;
use crate::vm::plan;

/// The group.
pub const GROUP: Group = Group {
    name: "carry-over",
    board: &PC_OF_TWO,
    disks: || {
        SLOW_DISKS.iter().map(|slow| (slow.limited)(Disk::virtio(slow.disk, SIZE_BYTES))).collect()
    },
    is_alone: true,
    tests: || {
        let test = |slow: &'static SlowDisk| Test::new(slow.name, |guest| judged(guest, slow));
        SLOW_DISKS.iter().map(test).collect()
    },
};

/// A disk and what a run on it has to find.
struct SlowDisk {
    /// Name of the test.
    name: &'static str,
    /// What the guest's kernel calls the disk.
    disk: &'static str,
    /// What QEMU limits.
    limited: fn(Disk) -> Disk,
    /// How late the whole disk answers, and how late its second half.
    delays_ms: [u32; 2],
    /// Whether one candidate changes the figure of the next one.
    carries_over: bool,
}

const SIZE_BYTES: u64 = 2 * HALF_BYTES;
const HALF_BYTES: u64 = 160 * MIB;
/// Writing 256 KiB within this time leaves a quarter of 14 MB/s unused.
const SLOW_MS: u32 = 16;
/// The slow candidate still needs more than a limited disk gives. QEMU's throttle saves up a tenth
/// of a second of what nobody uses, which is a small cache of the kind to be found.
const HARDLY_MS: u32 = 4;

static SLOW_DISKS: [SlowDisk; 5] = [
    SlowDisk {
        limited: |disk| disk.write_cache(14_000_000, 14_000_000),
        carries_over: true,
        ..innocent("a-slow-write-back-cache", "vda", [0, SLOW_MS])
    },
    innocent("none-on-a-fast-disk", "vdb", [0, SLOW_MS]),
    SlowDisk {
        limited: |disk| disk.at_most_iops(50),
        ..innocent("none-on-50-requests-a-second", "vdc", [0, HARDLY_MS])
    },
    SlowDisk {
        limited: |disk| disk.at_most_bytes_per_s(20_000_000),
        ..innocent("none-on-20-mb-a-second", "vdd", [0, HARDLY_MS])
    },
    innocent("none-on-a-late-disk", "vde", [8, SLOW_MS]),
];

/// A disk without limits, on which nothing is carried over.
const fn innocent(name: &'static str, disk: &'static str, delays_ms: [u32; 2]) -> SlowDisk {
    SlowDisk { name, disk, limited: |disk| disk, delays_ms, carries_over: false }
}

const PLAN: &str = "
title = 'carry-over'
[region]
size = '128m'
[[stack]]
fs = 'raw'
[[stack]]
fs = 'ext4'
[[workload]]
rw = 'randwrite'
bs = '256k'
direct = true
size = '8m'
[protocol]
mode = 'quick'
flash_state = 'trimmed'
precondition = false
";

fn judged(guest: &mut Guest, slow: &SlowDisk) -> Result<()> {
    let sectors = HALF_BYTES / 512;
    for half in 0..2 {
        let (at, delay_ms) = (half * sectors, slow.delays_ms[half as usize]);
        let table = match delay_ms {
            0 => format!("0 {sectors} linear /dev/{} {at}", slow.disk),
            _ => format!("0 {sectors} delay /dev/{} {at} {delay_ms}", slow.disk),
        };
        guest.ok(&format!("dmsetup create half{half} --table '{table}'"))?;
    }
    let result = measured(guest);
    guest.ok("udevadm settle; for i in 0 1; do dmsetup remove --retry half$i; done")?;
    let result = result?;
    // Cells in one piece say nothing about it.
    ensure!(result["protocol"]["isolation"] == "slices", "not in slices: {result}");
    let found = findings(&result)?;
    ensure!(
        found.contains(&"carry-over") == slow.carries_over,
        "{}: found {found:?} in {result}",
        slow.name
    );
    Ok(())
}

/// The result of a run on both halves.
fn measured(guest: &mut Guest) -> Result<Value> {
    plan::write(guest, PLAN)?;
    plan::result(guest, &["/dev/mapper/half0", "/dev/mapper/half1"])
}

/// The ids of what was found, of the run and of its workload.
fn findings(result: &Value) -> Result<Vec<&str>> {
    let both = [&result["findings"], &result["verdicts"][0]["findings"]];
    let both = both.map(Value::as_array).into_iter().collect::<Option<Vec<_>>>();
    let all = both.with_context(|| format!("no findings in {result}"))?.into_iter().flatten();
    Ok(all.filter_map(|finding| finding["id"].as_str()).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn findings_of_a_run_and_of_its_workload_count() {
        let of = |id| json!([{"id": id}]);
        let result = json!({"findings": of("L09"), "verdicts": [{"findings": of("carry-over")}]});
        assert_eq!(findings(&result).unwrap(), ["L09", "carry-over"]);
        assert!(findings(&json!({"findings": [], "verdicts": []})).is_err());
    }
}
