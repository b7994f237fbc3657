//! The emulated Raspberry Pis: the cross-built program, and who it says board and card are.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{Group, Test};
use crate::vm::board;
use crate::vm::disk::{Disk, MIB};
use crate::vm::guest::Guest;
use crate::vm::{job, store};

/// A Raspberry Pi 3 with a 64-bit system.
pub const PI3: Group = Group {
    name: "pi3",
    board: &board::PI3,
    disks: card,
    is_alone: false,
    tests: || tests("Raspberry Pi 3 Model B", "aarch64"),
};

/// A Raspberry Pi of the first generation.
pub const PI1: Group = Group {
    name: "pi1",
    board: &board::PI1,
    disks: card,
    is_alone: false,
    tests: || tests("Raspberry Pi Model A+", "armv6l"),
};

/// A power of two, as the emulated slot wants, with room beside the half GiB that stays free.
const CARD_BYTES: u64 = 1024 * MIB;

/// Makes a filesystem on it with as little as can be written to an emulated card.
pub const MAKE: &str = "mkfs.ext4 -qF -E nodiscard -O ^has_journal -N 1024 /dev/mmcblk0";

pub fn card() -> Vec<Disk> {
    vec![Disk::card("card", CARD_BYTES)]
}

fn tests(model: &'static str, machine: &'static str) -> Vec<Test> {
    vec![
        Test::new("card", see_card),
        Test::new("bench", bench),
        Test::new("quick", move |guest| quick(guest, model, machine)),
        Test::new("run", run),
    ]
}

/// The start of the id that QEMU's hw/sd/sd.c gives its card: maker 0xaa, OEM "XY", "QEMU!",
/// revision 1, serial number 0xdeadbeef.
const CARD_ID: &str = "aa585951454d552101deadbeef";

fn see_card(guest: &mut Guest) -> Result<()> {
    let text = guest.ok("bakeoff devices --format json")?;
    let page: Value = serde_json::from_str(&text)?;
    let drive = &page["drives"][0];
    ensure!(drive["name"] == "mmcblk0" && drive["size_bytes"] == CARD_BYTES, "{text}");
    ensure!(drive["model"] == "QEMU!" && drive["safe_to_erase"] == true, "{text}");
    guest.ok("bakeoff >/tmp/shown && grep -q QEMU! /tmp/shown").map(drop)
}

fn bench(guest: &mut Guest) -> Result<()> {
    guest.ok(&format!("{MAKE} && mount /dev/mmcblk0 /mnt"))?;
    let printed = guest
        .ok("bakeoff bench /mnt --rw=randwrite --bs=4k --size=1m --io_size=256k --direct=1 \
         --engine=psync --format json; umount /mnt")?;
    let result: Value = serde_json::from_str(&printed)?;
    ensure!(result["write"]["total_ios"] == 64, "{printed}");
    Ok(())
}

fn quick(guest: &mut Guest, model: &str, machine: &str) -> Result<()> {
    guest.ok(&format!("{MAKE} && mount /dev/mmcblk0 /mnt && mkdir /mnt/a"))?;
    let output = guest.run_within(
        "bakeoff quick /mnt/a --workload randread --time 30s --size 16m --seed 1 --format json",
        std::time::Duration::from_secs(600),
    )?;
    ensure!(output.code <= 1, "{}: {}", output.code, output.error());
    let events = guest.ok("bakeoff export last --format jsonl --no-redact")?;
    for expected in [model, machine, "QEMU!", CARD_ID] {
        ensure!(events.contains(expected), "{expected} is not in the record:\n{events}");
    }
    store::check(guest)?;
    guest.ok("umount /mnt").map(drop)
}

/// A stack on the card itself. Each visit writes the region, which takes half a minute here.
const PLAN: &str = "
title = 'pi'
[region]
size = '64m'
[[stack]]
fs = 'ext4'
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

/// Prepared, measured and taken away, until a block is complete.
fn run(guest: &mut Guest) -> Result<()> {
    let page: Value = serde_json::from_str(&guest.ok("bakeoff devices --format json")?)?;
    let token = page["drives"][0]["erase_token"].as_str().context("no erase token")?;
    guest.ok(&format!("cat >/tmp/plan.toml <<'END'\n{PLAN}END"))?;
    let run = format!(
        "bakeoff run /tmp/plan.toml --target /dev/mmcblk0 --erase '{token}' --time 4h --seed 1 \
         --max-write 100g"
    );
    job::start(guest, &run)?;
    let is_done =
        "sleep 4; bakeoff export last --format jsonl --no-redact 2>/dev/null | grep -q block_done";
    job::wait_for(guest, is_done)?;
    let ended = job::interrupt(guest)?;
    ensure!(ended.code == 130, "ended with {}: {}", ended.code, ended.error());
    let events = guest.ok("bakeoff export last --format jsonl --no-redact")?;
    ensure!(events.contains("\"cell_done\""), "nothing was measured:\n{events}");
    store::check(guest)
}
