//! Causes made on purpose: each is attributed to itself.
//!
//! What holds a cell back is made strong enough that the speed of the emulator does not matter.
//! Heat and power, which an emulator has not, are in `core` with recorded series.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{Group, Test};
use crate::vm::board::PC;
use crate::vm::disk::{Disk, MIB};
use crate::vm::guest::Guest;

mod made;

/// The group.
pub const GROUP: Group = Group {
    name: "causes",
    board: &PC,
    disks: || {
        vec![
            Disk::virtio("target", 1200 * MIB).serial("TARGET"),
            Disk::virtio("capped", 1200 * MIB).serial("CAPPED").at_most_bytes_per_s(6 * MIB),
        ]
    },
    tests: || {
        let test = |made: &'static Made| Test::new(made.name, |guest| attributed(guest, made));
        made::ALL.iter().map(test).collect()
    },
};

/// How long one may take: seconds alone, minutes beside three builds.
const LIMIT: Duration = Duration::from_secs(400);

/// A cause made on purpose.
struct Made {
    /// Name of the test.
    name: &'static str,
    /// Makes it, as a script.
    make: &'static str,
    /// The workload that is measured in /mnt/a.
    workload: &'static str,
    /// Takes it away, as a script.
    undo: &'static str,
    /// What it has to be attributed to.
    cause: &'static str,
    /// And to whom, where that is told.
    subject: Option<&'static str>,
}

/// The measurement, as a script that leaves its result in /tmp/result.
fn script(workload: &str) -> String {
    format!(
        "bakeoff quick /mnt/a --workload {workload} --time 150s --size 32m \
            --seed 1 --format json >/tmp/result 2>/tmp/said
        code=$?; [ $code -le 1 ] || {{ cat /tmp/said; exit $code; }}"
    )
}

fn attributed(guest: &mut Guest, made: &Made) -> Result<()> {
    guest.ok(made.make)?;
    let ended = guest.run_within(&script(made.workload), LIMIT)?;
    guest.ok(made.undo)?;
    ensure!(ended.code == 0, "ended with {}: {}", ended.code, ended.text());
    let result: Value = serde_json::from_slice(&guest.file("/tmp/result")?)?;
    let held = &result["verdicts"][0]["held_back"][0];
    let reason = &held["reason"];
    let cause = reason["cause"].as_str().with_context(|| format!("no cause in {result}"))?;
    ensure!(cause == made.cause, "attributed to {held}");
    if let Some(subject) = made.subject {
        ensure!(reason["subject"] == subject, "named {held}");
    }
    Ok(())
}
