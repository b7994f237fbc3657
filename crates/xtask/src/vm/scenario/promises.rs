//! No acknowledged fsync is lost by a power cut: on each filesystem, at points of a real log.
//!
//! bakeoff writes through dm-log-writes and records what each fsync acknowledges; every line of
//! the record becomes a mark in the log, behind what had reached the disk by then. The disk is then
//! made anew as it was at marks and flushes, without any write that was not flushed, and
//! bakeoff looks for what was acknowledged. Without barriers ext4 has to lose some, or all
//! of this would prove nothing.

use std::fs::OpenOptions;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::tool;
use crate::vm::board::PC;
use crate::vm::disk::{Disk, MIB};
use crate::vm::guest::Guest;
use crate::vm::lab::TestLab;
use crate::vm::log_writes::Log;
use crate::vm::machine::Machine;

/// Size of the disk: mkfs.xfs makes nothing below 300 MiB.
const SIZE: u64 = 320 * MIB;
/// Points at which the power is cut.
const POINTS: usize = 6;

/// A filesystem and how it is made and mounted.
struct Case {
    name: &'static str,
    mkfs: &'static str,
    fs: &'static str,
    options: &'static str,
    keeps: bool,
}

const fn case(name: &'static str, mkfs: &'static str, fs: &'static str) -> Case {
    Case { name, mkfs, fs, options: "defaults", keeps: true }
}

const CASES: [Case; 7] = [
    case("ext4", "mkfs.ext4 -qF", "ext4"),
    case("ext4 without journal", "mkfs.ext4 -qF -O ^has_journal", "ext4"),
    case("xfs", "mkfs.xfs -qf", "xfs"),
    case("btrfs", "mkfs.btrfs -qf", "btrfs"),
    case("f2fs", "mkfs.f2fs -qf", "f2fs"),
    case("vfat", "mkfs.vfat -F 32", "vfat"),
    Case { options: "nobarrier", keeps: false, ..case("ext4 nobarrier", "mkfs.ext4 -qF", "ext4") },
];

fn disks() -> [Disk; 3] {
    ["data", "log", "crashed"].map(|name| Disk::virtio(name, SIZE))
}

/// Every filesystem, one after the other.
pub fn acknowledged_fsyncs_survive(lab: &TestLab) -> Result<()> {
    let machine = lab.machine(&PC, "promises", &disks())?;
    let mut guest = machine.boot()?;
    guest.ok("modprobe brd rd_nr=1 rd_size=65536 && mkdir -p /tmp/after")?;
    for case in &CASES {
        let losses = losses(&machine, &mut guest, case)
            .with_context(|| format!("{}: not looked at", case.name))?;
        let lost = losses.iter().any(|lost| lost.is_some());
        let said: Vec<&str> = losses.iter().flatten().map(String::as_str).collect();
        let said = said.join("\n");
        ensure!(!(case.keeps && lost), "{} lost acknowledged writes:\n{said}", case.name);
        ensure!(case.keeps || lost, "{} lost nothing, so this test proves nothing", case.name);
    }
    guest.check_kernel()
}

/// What was lost at each point, in bakeoff's words.
fn losses(machine: &Machine, guest: &mut Guest, case: &Case) -> Result<Vec<Option<String>>> {
    let Case { mkfs, fs, options, .. } = case;
    let [data, log, crashed] = disks().map(|disk| machine.content(&disk));
    guest.ok(&format!(
        "wipefs -qa /dev/vda && {mkfs} /dev/vda >/dev/null && mount -t {fs} /dev/vda /mnt
        : >/mnt/file && sync && umount /mnt && dd if=/dev/zero of=/dev/vdb bs=4096 count=1"
    ))?;
    // Zeros are left as holes; QEMU has the file open, so it stays the same one.
    tool::run(Command::new("cp").arg("--sparse=always").arg(&data).arg(&crashed))?;
    let disk = OpenOptions::new().write(true).open(&crashed)?;
    guest.ok(&format!("FS={fs} OPTIONS={options} SECTORS={}\n{WRITE}", SIZE / 512))?;
    let log = Log::read(&log)?;
    let first = log.entries.iter().position(|entry| entry.mark.is_some()).context("no mark")?;
    let points: Vec<usize> =
        (first..log.entries.len()).filter(|at| log.entries[*at].is_point()).collect();
    ensure!(points.len() >= POINTS, "only {} points in the log", points.len());
    let chosen = (1..=POINTS).map(|n| points[n * points.len() / POINTS - 1]);
    let (mut losses, mut acked, mut done) = (Vec::new(), 0, 0);
    for point in chosen {
        for entry in &log.entries[done..=point] {
            log.replay(entry, &disk)?;
            if let Some(("0", ops)) = entry.mark.as_ref().and_then(|mark| mark.split_once(':')) {
                acked = ops.parse()?;
            }
        }
        done = point + 1;
        ensure!(acked > 0, "nothing was acknowledged by entry {point}");
        losses.push(look(guest, fs, acked).with_context(|| format!("entry {point}"))?);
    }
    Ok(losses)
}

/// Writes slowly, so that each mark is in the log before much else is.
const WRITE: &str = r#"
dmsetup create log --table "0 $SECTORS log-writes /dev/vda /dev/vdb"
dmsetup mknodes
mount -t $FS -o $OPTIONS /dev/mapper/log /mnt
rm -f /tmp/acks && mkfifo /tmp/acks
{
    read -r head && echo "$head" >/tmp/head
    while read -r lane ops; do dmsetup message log 0 mark "$lane:$ops" || exit 1; done
} </tmp/acks &
bakeoff bench /mnt/file --overwrite --rw randwrite --bs 4k --size 256k --io_size 384k \
    --fsync 4 --rate_iops 40 --verify --verify_state_save /tmp/acks >/dev/null || exit 1
wait $! || exit 1
umount /mnt && dmsetup remove --retry log
"#;

/// Mounts what is left, which mends it as far as the filesystem does, and looks; the disk itself
/// stays as it is.
fn look(guest: &mut Guest, fs: &str, acked: u64) -> Result<Option<String>> {
    let output = guest.run(&format!(
        "{{ cat /tmp/head; echo 0 {acked}; }} >/tmp/record
        dmsetup create crash --table '0 {} snapshot /dev/vdc /dev/ram0 N 8' || exit 2
        dmsetup mknodes
        [ {fs} != btrfs ] || btrfs device scan --forget
        mount -t {fs} /dev/mapper/crash /tmp/after || exit 3
        bakeoff bench /tmp/after/file --verify_state_load /tmp/record --format json
        code=$?
        umount /tmp/after && dmsetup remove --retry crash || exit 4
        exit $code",
        SIZE / 512
    ))?;
    ensure!(output.code <= 1, "ended with {}: {}", output.code, output.error());
    let kept: Value = serde_json::from_str(&output.text())
        .with_context(|| format!("{}{}", output.text(), output.error()))?;
    ensure!(kept["blocks"].as_u64() > Some(0), "looked at nothing: {kept}");
    ensure!(kept["acknowledged_ios"] == acked, "not all was looked for: {kept}");
    Ok((output.code == 1).then(|| kept.to_string()))
}
