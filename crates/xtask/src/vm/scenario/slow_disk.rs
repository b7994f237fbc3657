//! `bakeoff demo` on a drive that reads and writes 20 MB/s: it reports beforehand what fits into
//! its three minutes, keeps to them and has an answer.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{Group, Test};
use crate::vm::board::PC_OF_TWO;
use crate::vm::disk::{Disk, MIB};
use crate::vm::guest::Guest;

/// The group.
pub const GROUP: Group = Group {
    name: "slow-disk",
    board: &PC_OF_TWO,
    disks: || vec![Disk::virtio("slow", 6144 * MIB).at_most_bytes_per_s(20_000_000)],
    is_alone: true,
    tests: || vec![Test::new("a-demo-answers", answers)],
};

/// How long the demo may take: four minutes alone, more beside builds.
const LIMIT: Duration = Duration::from_secs(900);

fn answers(guest: &mut Guest) -> Result<()> {
    guest.ok("modprobe -a ext4 xfs btrfs vfat f2fs
        mkfs.ext4 -qF -E lazy_itable_init=0,lazy_journal_init=0 /dev/vda
        mount /dev/vda /mnt && mkdir /mnt/a")?;
    let ended = guest.run_within("cd /mnt/a && COLUMNS=80 bakeoff demo --seed 1", LIMIT)?;
    let result = guest.run("bakeoff show last --format json")?.text();
    guest.ok("cd / && umount /mnt")?;
    // For whoever judges whether a newcomer would be content.
    let said = ended.error();
    println!("{said}\n{}", ended.text());
    ensure!(ended.code <= 1, "ended with {}: {said}", ended.code);
    let result: Value = serde_json::from_str(&result)?;
    for left_out in ["skipped", "dropped_workloads"] {
        for one in result[left_out].as_array().into_iter().flatten() {
            let name = one["name"].as_str().context("a thing left out without a name")?;
            ensure!(said.contains(name), "{name} is left out without a word: {said}");
        }
    }
    let verdicts = result["verdicts"].as_array().context("no verdicts")?;
    let has_figures = |verdict: &Value| {
        verdict["standings"].as_array().is_some_and(|all| all.len() > 1)
            && verdict["lead"].is_number()
    };
    ensure!(verdicts.iter().any(has_figures), "no workload has figures: {result}");
    Ok(())
}
