//! `bakeoff run` on a disk: every stack and scheduler of the kernel, and what may go wrong.

use anyhow::{Result, bail, ensure};
use serde_json::Value;

use super::{Group, Test, detached, exchanged, key, slope};
use crate::vm::board::PC;
use crate::vm::disk::{Disk, MIB};
use crate::vm::guest::Guest;
use crate::vm::{job, plan, store};

/// The group.
pub const GROUP: Group = Group {
    name: "run",
    board: &PC,
    disks: || {
        vec![
            target(),
            Disk::virtio("native", 256 * MIB).serial("4K-1").block_bytes(4096),
            Disk::virtio("protected", 256 * MIB).serial("RO-1").read_only(),
            stick(),
        ]
    },
    is_alone: false,
    tests: || {
        vec![
            Test::new("every-filesystem", every_filesystem),
            Test::new("encrypted-and-lvm", key::is_nowhere),
            Test::new("raw-and-4k-native", |guest| one_block(guest, NATIVE, RAW)),
            Test::new("every-scheduler", every_scheduler),
            Test::new("what-does-not-fit-is-refused", refused),
            Test::new("udev-is-kept-off-and-swap-left-on", others_are_kept_off_and_left_alone),
            Test::new("a-slope-shrinks-the-region", slope::shrinks_the_region),
            Test::new("writes-that-are-dropped", writes_are_dropped),
            Test::new("stick-pulled-out", exchanged::pulled_out),
            Test::new("stick-back-before-the-run-noticed", exchanged::comes_back_meanwhile),
            Test::new("disk-exchanged-between-two-steps", exchanged::between_two_steps),
            Test::new("disk-exchanged-while-it-waits", exchanged::while_it_waits),
            Test::new("disk-errors-in-a-cell", disk_errors),
            Test::new("remounted-read-only-in-a-cell", remounted_read_only),
            Test::new("no-space", no_space),
            Test::new("detached-under-systemd", as_a_unit),
        ]
    },
};

/// The words for a disk, with its consent.
pub const TARGET: &str = "--target /dev/disk/by-id/virtio-TARGET --erase TARGET";
const NATIVE: &str = "--target /dev/disk/by-id/virtio-4K-1 --erase 4K-1";

const FILESYSTEMS: &str = "
[region]
size = '320m'
[axes]
fs = ['ext2', 'ext3', 'ext4', 'vfat', 'exfat', 'ntfs', 'f2fs', 'reiserfs', 'btrfs', 'xfs', 'jfs',
    'nilfs2', 'udf', 'bcachefs']
[[stack]]
[[stack]]
fs = 'ext4'
mkfs = ['-O', '^has_journal']
";

const RAW: &str = "
[region]
size = '64m'
[axes]
fs = ['ext4', 'raw']
";

/// Every kind of encryption, and LVM.
pub const LAYERS: &str = "
[region]
size = '320m'
[[stack]]
fs = 'ext4'
crypt = { cipher = 'aes-xts-plain64', key_bits = 256 }
[[stack]]
fs = 'ext4'
crypt = { cipher = 'aes-xts-plain64', key_bits = 512, sector_size = 4096, no_read_workqueue = true }
[[stack]]
fs = 'ext4'
crypt = { kind = 'plain', cipher = 'aes-xts-plain64', key_bits = 512, sector_size = 4096 }
[[stack]]
fs = 'btrfs'
crypt = { cipher = 'xchacha12,aes-adiantum-plain64', key_bits = 256, sector_size = 4096 }
[[stack]]
fs = 'xfs'
lvm = true
";

/// A small plan: one filesystem, with each scheduler.
pub const SCHEDULERS: &str = "
[region]
size = '64m'
[axes]
fs = ['ext4']
scheduler = ['none', 'mq-deadline', 'bfq', 'kyber']
";

/// A script that succeeds while a filesystem of a run is mounted, which only the run sees.
pub const IS_MOUNTED: &str = "grep -qs ^/dev/mapper/bakeoff- /proc/[0-9]*/mounts";

/// One that succeeds when the file of `quick` in /mnt/a is being written or measured on.
const IS_LAID_OUT: &str = "find /mnt/a -type f -size +8192k | grep -q .";

/// The disk that most is done to.
pub fn target() -> Disk {
    Disk::virtio("target", 1024 * MIB).serial("TARGET")
}

/// A stick that can be pulled out.
pub fn stick() -> Disk {
    Disk::usb("stick", 640 * MIB).serial("STICK-1")
}

/// Runs a plan until its first block is complete, and ends it as a user would.
fn one_block(guest: &mut Guest, target: &str, plan: &str) -> Result<()> {
    plan::write_small(guest, plan)?;
    one_block_of(guest, "", target)
}

/// The same with the plan that is there; `before` are words before the program's name.
pub fn one_block_of(guest: &mut Guest, before: &str, target: &str) -> Result<()> {
    plan::one_block(
        guest,
        &format!("{before} bakeoff run /tmp/plan.toml {target} {}", plan::ENDLESS),
    )?;
    every_candidate_was_visited(guest)
}

/// All that the kernel has; what it has not, or nobody packages, is left out with the reason.
fn every_filesystem(guest: &mut Guest) -> Result<()> {
    one_block(guest, TARGET, FILESYSTEMS)?;
    let left_out = guest.ok("grep -A 2 '^ *Skipped ' /tmp/job.err")?;
    let one = left_out.matches("Skipped ").count() == left_out.matches("bcachefs: mkfs").count();
    ensure!(one && left_out.contains("bcachefs-tools"), "{left_out}");
    Ok(())
}

/// The queue's length is not what any scheduler brings: it has to survive them.
fn every_scheduler(guest: &mut Guest) -> Result<()> {
    let queue = "/sys/block/vda/queue";
    guest.ok(&format!("cat {queue}/nr_requests >/tmp/nr; echo 48 >{queue}/nr_requests"))?;
    let ran = one_block(guest, TARGET, SCHEDULERS);
    let left = guest.ok(&format!("cat {queue}/nr_requests; cat /tmp/nr >{queue}/nr_requests"))?;
    ran?;
    ensure!(left.trim() == "48", "nr_requests was 48 and is {left}");
    Ok(())
}

/// Exit code, words and what the reason says; nothing is written.
const REFUSED: &[(i32, &str, &str)] = &[
    (3, "/tmp/plan.toml --target /dev/vdc --erase RO-1", "write-protected"),
    (3, "/tmp/plan.toml --target /dev/vda --erase 4K-1", "not the erase token"),
    (3, "/tmp/plan.toml --target /dev/vda --target /dev/vdb --erase TARGET", "token of /dev/vdb"),
    (4, "/tmp/plan.toml --target /dev/vda7 --erase TARGET", "bakeoff devices"),
    (3, "/tmp/plan.toml --target /dev/null --erase TARGET", "neither a block device"),
    (2, "/tmp/large.toml --target /dev/vdb --erase 4K-1", "/dev/vdb"),
    (2, "/tmp/none.toml --target /dev/vda --erase TARGET", ""),
    (4, "/tmp/trimmed.toml --target /dev/sda --erase STICK-1", "cannot discard a region"),
];

fn refused(guest: &mut Guest) -> Result<()> {
    plan::write_small(guest, SCHEDULERS)?;
    guest.ok("sed s/64m/2g/ /tmp/plan.toml >/tmp/large.toml
        { cat /tmp/plan.toml; echo \"flash_state = 'trimmed'\"; } >/tmp/trimmed.toml
        printf \"title = 'none'\\n[axes]\\nfs = []\\n\" >/tmp/none.toml")?;
    const WRITTEN: &str = "awk '$3 ~ /^(vd[abc]|sda)$/ {print $3, $10}' /proc/diskstats";
    let before = guest.ok(WRITTEN)?;
    for (code, words, says) in REFUSED {
        let output = guest.run(&format!("bakeoff run {words} --max-write 100g"))?;
        ensure!(
            output.code == *code && output.error().contains(says),
            "{words} ended with {}, not {code} and {says:?}: {}",
            output.code,
            output.error()
        );
    }
    let after = guest.ok(WRITTEN)?;
    ensure!(before == after, "something was written:\n{before}{after}");
    Ok(())
}

/// Each candidate has a cell in block 0, except those that were skipped with a reason before.
fn every_candidate_was_visited(guest: &mut Guest) -> Result<()> {
    let mut candidates = Vec::new();
    let mut measured = std::collections::BTreeSet::new();
    let mut invalid = Vec::new();
    for what in store::events(guest)? {
        if let Value::Array(all) = &what["started"]["candidates"] {
            candidates = all.clone();
        }
        let rehearsed = what["rehearsed"]["candidates"].as_array();
        if let Some(left) = rehearsed.filter(|left| left.len() != candidates.len()) {
            let said = guest.ok("cat /tmp/job.err")?;
            bail!("{} of {} candidates could be made: {said}", left.len(), candidates.len());
        }
        measured.extend(what["cell_done"]["candidate"].as_u64());
        invalid.extend(what.get("cell_invalid").map(Value::to_string));
    }
    ensure!(!candidates.is_empty(), "no candidates in the record");
    for (at, candidate) in (0_u64..).zip(&candidates) {
        let is_skipped = !candidate["skip"].is_null();
        ensure!(measured.contains(&at) || is_skipped, "not measured: {candidate}; {invalid:?}");
    }
    Ok(())
}

/// What appears while a run goes on is nobody else's, and nothing is left for udev to wait for: it
/// cannot look at a disk that is locked, and would try for three minutes. Nothing of the user's is
/// stopped for it: swap stays on.
fn others_are_kept_off_and_left_alone(guest: &mut Guest) -> Result<()> {
    const SWAPS: &str = "awk '{print $1, $3}' /proc/swaps";
    plan::write_small(guest, SCHEDULERS)?;
    guest.ok("mkswap /dev/vdb && swapon /dev/vdb")?;
    let swaps = guest.ok(SWAPS)?;
    ensure!(swaps.contains("/dev/vdb"), "no swap: {swaps}");
    job::start(guest, &format!("bakeoff run /tmp/plan.toml {TARGET} {}", plan::ENDLESS))?;
    job::wait_for(guest, IS_MOUNTED)?;
    guest.ok("udevadm settle --timeout=60
        for volume in /dev/mapper/bakeoff-*; do
            udevadm info --query=property $volume >/tmp/said
            grep -qx UDISKS_IGNORE=1 /tmp/said || { cat /tmp/said; exit 1; }
        done")?;
    let meanwhile = guest.ok("grep -c ^/dev/vdb /proc/swaps || true")?;
    job::interrupted(guest)?;
    ensure!(meanwhile.trim() == "1", "swap was off meanwhile");
    ensure!(guest.ok(SWAPS)? == swaps, "swap is not as it was: {swaps}");
    guest.ok("swapoff /dev/vdb && wipefs -aq /dev/vdb; udevadm settle --timeout=60").map(drop)
}

/// A disk that takes every write and keeps none is found before anything is measured on it.
fn writes_are_dropped(guest: &mut Guest) -> Result<()> {
    let sectors = 128 * MIB / 512;
    // Broken from the first second on, and for longer than any run.
    guest.ok(&format!(
        "dmsetup create liar --table '0 {sectors} flakey /dev/vda 0 0 3600 1 drop_writes'"
    ))?;
    plan::write_small(guest, RAW)?;
    let words = plan::targets(guest, &["/dev/mapper/liar"])?;
    let output = guest.run(&format!("bakeoff run /tmp/plan.toml {words} --max-write 100g"))?;
    let said = output.error();
    ensure!([1, 4].contains(&output.code), "ended with {}: {said}", output.code);
    ensure!(said.contains("returns different data than was written"), "{said}");
    let events = guest.ok("bakeoff export last --format jsonl --no-redact")?;
    let has_cell = events.contains("\"block_started\"") || events.contains("\"verified\"");
    ensure!(events.contains("\"L11\"") && !has_cell, "{events}");
    store::check(guest)?;
    guest.ok("dmsetup remove --retry liar").map(drop)
}

/// Every request fails from the moment on at which there are files of ours.
fn disk_errors(guest: &mut Guest) -> Result<()> {
    // On less than the whole there would be no room for a file: 512 MiB stay free.
    let sectors = 1024 * MIB / 512;
    guest.ok(&format!(
        "dmsetup create flaky --table '0 {sectors} linear /dev/vda 0'
        mkfs.ext4 -qF /dev/mapper/flaky && mount /dev/mapper/flaky /mnt && mkdir /mnt/a"
    ))?;
    let command = "bakeoff quick /mnt/a --workload randwrite --time 4h --size 16m --seed 1";
    job::start(guest, command)?;
    job::wait_for(guest, IS_LAID_OUT)?;
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
    job::wait_for(guest, IS_LAID_OUT)?;
    guest.ok("echo u >/proc/sysrq-trigger")?;
    guest.wait_for("grep -q ' /mnt ext4 ro' /proc/mounts")?;
    let ended = job::end(guest)?;
    ensure!([1, 4].contains(&ended.code), "ended with {}: {}", ended.code, ended.error());
    guest.ok("umount /mnt; bakeoff clean; true")?;
    store::check(guest)
}

fn as_a_unit(guest: &mut Guest) -> Result<()> {
    // What a scenario before left on the disk would be part of its token.
    guest.ok("wipefs -aq /dev/vda; udevadm settle --timeout=60")?;
    plan::write_small(guest, SCHEDULERS)?;
    detached::run_as_a_unit(guest, &format!("/tmp/plan.toml {TARGET} --max-write 100g"))
}

/// An image promises more than its filesystem has.
fn no_space(guest: &mut Guest) -> Result<()> {
    guest.ok("mkfs.ext4 -qF /dev/vda 100M && mount /dev/vda /mnt
        truncate -s 1G /mnt/image")?;
    plan::write_small(guest, &SCHEDULERS.replace("64m", "128m"))?;
    let output = guest.run_within(
        "bakeoff run /tmp/plan.toml --target /mnt/image --erase image --time 4h --max-write 100g",
        std::time::Duration::from_secs(600),
    )?;
    ensure!([2, 3, 4].contains(&output.code), "ended with {}: {}", output.code, output.error());
    guest.ok("umount /mnt").map(drop)
}
