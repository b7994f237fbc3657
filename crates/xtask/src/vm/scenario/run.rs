//! `bakeoff run` on a disk: every stack and scheduler of the kernel, and what may go wrong.

use anyhow::{Result, ensure};
use serde_json::Value;

use super::{Group, Test};
use crate::vm::board::PC;
use crate::vm::disk::{Disk, MIB};
use crate::vm::guest::Guest;
use crate::vm::{job, store};

/// The group.
pub const GROUP: Group = Group {
    name: "run",
    board: &PC,
    disks: || vec![Disk::virtio("target", 1024 * MIB).serial("TARGET"), stick()],
    tests: || {
        vec![
            Test::new("every-filesystem", |guest| one_block(guest, FILESYSTEMS, "--mode quick")),
            Test::new("raw", |guest| one_block(guest, RAW, "--mode quick")),
            Test::new("encrypted-and-lvm", |guest| one_block(guest, LAYERS, "--mode quick")),
            Test::new("every-scheduler", |guest| one_block(guest, SCHEDULERS, "--mode quick")),
            Test::new("stick-pulled-out", stick_pulled_out),
            Test::new("disk-errors-in-a-cell", disk_errors),
            Test::new("remounted-read-only-in-a-cell", remounted_read_only),
            Test::new("no-space", no_space),
        ]
    },
};

/// One workload that any stack can do quickly, on the same place.
const COMMON: &str = "
[region]
size = '512m'
[[workload]]
rw = 'randwrite'
bs = '4k'
size = '16m'
io_size = '256k'
fsync = 16
";

const FILESYSTEMS: &str = "
[axes]
fs = ['ext2', 'ext3', 'ext4', 'vfat', 'exfat', 'ntfs', 'f2fs', 'reiserfs', 'btrfs', 'xfs']
";

const RAW: &str = "
[axes]
fs = ['ext4', 'raw']
";

const LAYERS: &str = "
[[stack]]
fs = 'ext4'
crypt = { cipher = 'aes-xts-plain64', key_bits = 256 }
[[stack]]
fs = 'btrfs'
crypt = { cipher = 'xchacha12,aes-adiantum-plain64', key_bits = 256, sector_size = 4096 }
[[stack]]
fs = 'xfs'
lvm = true
";

const SCHEDULERS: &str = "
[axes]
fs = ['ext4']
scheduler = ['none', 'mq-deadline', 'bfq', 'kyber']
";

fn stick() -> Disk {
    Disk::usb("stick", 640 * MIB).serial("STICK-1")
}

const BLOCK_IS_DONE: &str = "bakeoff export last --format jsonl 2>/dev/null | grep -q block_done";

/// Runs a plan until its first block is complete, and ends it as a user would.
fn one_block(guest: &mut Guest, plan: &str, options: &str) -> Result<()> {
    guest.ok(&format!("cat >/tmp/plan.toml <<'END'\ntitle = 'test'\n{plan}{COMMON}END"))?;
    let command = format!(
        "bakeoff run /tmp/plan.toml --target /dev/vda --erase TARGET --time 4h --seed 1 \
         --max-write 100g {options}"
    );
    job::start(guest, &command)?;
    job::wait_for(guest, BLOCK_IS_DONE)?;
    let ended = job::interrupt(guest)?;
    ensure!(ended.code == 130, "ended with {}: {}", ended.code, ended.error());
    every_candidate_was_visited(guest)?;
    store::check(guest)
}

/// Each candidate has a cell in block 0, except those that were skipped with a reason.
fn every_candidate_was_visited(guest: &mut Guest) -> Result<()> {
    let events = guest.ok("bakeoff export last --format jsonl")?;
    let mut candidates = Vec::new();
    let mut measured = std::collections::BTreeSet::new();
    for line in events.lines() {
        let what = serde_json::from_str::<Value>(line)?["what"].take();
        if let Value::Array(all) = &what["started"]["candidates"] {
            candidates = all.clone();
        }
        measured.extend(what["cell_done"]["candidate"].as_u64());
    }
    ensure!(!candidates.is_empty(), "no candidates in {events}");
    for (at, candidate) in (0_u64..).zip(&candidates) {
        let is_skipped = !candidate["skip"].is_null();
        ensure!(measured.contains(&at) || is_skipped, "not measured: {candidate}");
    }
    Ok(())
}

/// The drive vanishes in the middle and comes back as another one.
fn stick_pulled_out(guest: &mut Guest) -> Result<()> {
    guest.ok(&format!("cat >/tmp/plan.toml <<'END'\ntitle = 'test'\n{SCHEDULERS}{COMMON}END"))?;
    guest.ok("sleep 900 </dev/sda >/dev/null 2>&1 & echo $! >/tmp/holder")?;
    guest.ok("kill $(cat /tmp/holder)")?;
    let command = "bakeoff run /tmp/plan.toml --target /dev/sda --erase STICK-1 --time 4h \
                   --seed 1 --max-write 100g --mode quick";
    job::start(guest, command)?;
    job::wait_for(guest, "grep -q ^/dev/sda /proc/mounts")?;
    guest.unplug(&stick())?;
    let ended = job::end(guest)?;
    ensure!([1, 3, 4].contains(&ended.code), "ended with {}: {}", ended.code, ended.error());
    guest.plug(&stick())?;
    guest.wait_for("[ -e /dev/disk/by-id/usb-*STICK-1* ]")?;
    guest.ok("bakeoff clean")?;
    store::check(guest)?;
    guest.ok("! grep -q /dev/sd /proc/mounts")?;
    guest.unplug(&stick())?;
    guest.wait_for("! ls /sys/block | grep -q ^sd")?;
    guest.plug(&stick())?;
    guest.wait_for("[ -e /sys/block/sda/size ]")
}

/// Half of the time every request fails, from the tenth second on.
fn disk_errors(guest: &mut Guest) -> Result<()> {
    let sectors = 512 * MIB / 512;
    guest.ok(&format!(
        "dmsetup create flaky --table '0 {sectors} linear /dev/vda 0'
        mkfs.ext4 -qF /dev/mapper/flaky && mount /dev/mapper/flaky /mnt && mkdir /mnt/a"
    ))?;
    let command = "bakeoff quick /mnt/a --workload randwrite --time 4h --size 16m --seed 1";
    job::start(guest, command)?;
    job::wait_for(guest, "ls -A /mnt/a | grep -q .")?;
    guest.ok(&format!(
        "dmsetup suspend --nolockfs flaky
        dmsetup load flaky --table '0 {sectors} flakey /dev/vda 0 0 60'
        dmsetup resume flaky"
    ))?;
    let ended = job::end(guest)?;
    ensure!([1, 4].contains(&ended.code), "ended with {}: {}", ended.code, ended.error());
    guest.ok("umount -l /mnt; sleep 1; dmsetup remove --retry flaky; bakeoff clean; true")?;
    store::check(guest)
}

/// What the kernel does after an error of its journal, and an administrator by hand.
fn remounted_read_only(guest: &mut Guest) -> Result<()> {
    guest.ok("mkfs.ext4 -qF /dev/vda && mount /dev/vda /mnt && mkdir /mnt/a")?;
    let command = "bakeoff quick /mnt/a --workload randwrite --time 4h --size 16m --seed 1";
    job::start(guest, command)?;
    job::wait_for(guest, "ls -A /mnt/a | grep -q .")?;
    guest.ok("echo u >/proc/sysrq-trigger; sleep 1; grep -q ' /mnt ext4 ro' /proc/mounts")?;
    let ended = job::end(guest)?;
    ensure!([1, 4].contains(&ended.code), "ended with {}: {}", ended.code, ended.error());
    guest.ok("umount /mnt; bakeoff clean; true")?;
    store::check(guest)
}

/// An image promises more than its filesystem has.
fn no_space(guest: &mut Guest) -> Result<()> {
    guest.ok(&format!(
        "mkfs.ext4 -qF /dev/vda 300M && mount /dev/vda /mnt
        truncate -s 1G /mnt/image
        cat >/tmp/plan.toml <<'END'\ntitle = 'test'\n{SCHEDULERS}{COMMON}END"
    ))?;
    let output = guest.run_within(
        "bakeoff run /tmp/plan.toml --target /mnt/image --erase image --time 4h --mode quick \
         --max-write 100g",
        std::time::Duration::from_secs(600),
    )?;
    ensure!([2, 3, 4].contains(&output.code), "ended with {}: {}", output.code, output.error());
    guest.ok("umount /mnt").map(drop)
}
