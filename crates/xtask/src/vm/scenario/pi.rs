//! The emulated Raspberry Pis: the cross-built program, and who it says board and card are.

use anyhow::{Result, ensure};
use serde_json::Value;

use super::{Group, Test};
use crate::vm::board;
use crate::vm::disk::{Disk, MIB};
use crate::vm::guest::Guest;
use crate::vm::{plan, store};

/// A Raspberry Pi 3 with a 64-bit system.
pub const PI3: Group = Group {
    name: "pi3",
    board: &board::PI3,
    disks: || vec![card()],
    is_alone: false,
    tests: || tests("Raspberry Pi 3 Model B", "aarch64"),
};

/// A Raspberry Pi of the first generation.
pub const PI1: Group = Group {
    name: "pi1",
    board: &board::PI1,
    disks: || vec![card()],
    is_alone: false,
    tests: || tests("Raspberry Pi Model A+", "armv6l"),
};

/// A power of two, as the emulated slot wants, with room beside the half GiB that stays free.
const CARD_BYTES: u64 = 1024 * MIB;

/// Makes a filesystem on it with as little as can be written to an emulated card.
pub const MAKE: &str = "mkfs.ext4 -qF -E nodiscard -O ^has_journal -N 1024 /dev/mmcblk0";

pub fn card() -> Disk {
    Disk::card("card", CARD_BYTES)
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
    let page = guest.json("bakeoff devices --format json")?;
    let drive = &page["drives"][0];
    ensure!(drive["name"] == "mmcblk0" && drive["size_bytes"] == CARD_BYTES, "{page}");
    ensure!(drive["model"] == "QEMU!" && drive["safe_to_erase"] == true, "{page}");
    guest.ok("bakeoff >/tmp/shown && grep -q QEMU! /tmp/shown").map(drop)
}

fn bench(guest: &mut Guest) -> Result<()> {
    guest.ok(&format!("{MAKE} && mount /dev/mmcblk0 /mnt"))?;
    let result = guest.json(
        "bakeoff bench /mnt --rw=randwrite --bs=4k --size=1m --io_size=256k --direct=1 \
         --engine=psync --format json; umount /mnt",
    )?;
    ensure!(result["write"]["total_ios"] == 64, "{result}");
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
[region]
size = '64m'
[[stack]]
fs = 'ext4'
";

/// Prepared, measured and taken away, until a block is complete.
fn run(guest: &mut Guest) -> Result<()> {
    plan::write_small(guest, PLAN)?;
    let words = plan::targets(guest, &["/dev/mmcblk0"])?;
    let is_done =
        "sleep 4; bakeoff export last --format jsonl --no-redact 2>/dev/null | grep -q block_done";
    plan::run_until(guest, &words, is_done)?;
    let is_cell = |what: &Value| what.get("cell_done").is_some();
    ensure!(store::events(guest)?.iter().any(is_cell), "nothing was measured");
    store::check(guest)
}
