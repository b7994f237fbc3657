//! `bakeoff devices` in front of disks of every kind.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::guard::RELEASE;
use super::{Group, Test};
use crate::vm::board::PC;
use crate::vm::disk::{Disk, MIB};
use crate::vm::guest::Guest;

/// The group.
pub const GROUP: Group = Group {
    name: "devices",
    board: &PC,
    disks,
    is_alone: false,
    tests: || {
        vec![
            Test::new("every-disk-is-listed", every_disk_is_listed),
            Test::new("a-stick-comes-back-under-another-name", another_name),
            Test::new("hostile-label", hostile_label),
            Test::new("throttled-disk", throttled_disk),
        ]
    },
};

fn disks() -> Vec<Disk> {
    vec![
        Disk::virtio("plain", 64 * MIB),
        Disk::virtio("serial", 64 * MIB).serial("VIRTIO-1"),
        stick(),
        Disk::virtio("protected", 64 * MIB).serial("RO-1").read_only(),
        Disk::virtio("native", 64 * MIB).serial("4K-1").block_bytes(4096),
        Disk::virtio("slow", 64 * MIB).serial("SLOW").at_most_iops(50).at_most_bytes_per_s(MIB),
    ]
}

fn stick() -> Disk {
    Disk::usb("stick", 64 * MIB).serial("STICK-1")
}

/// What `devices` says of every drive, by serial number.
pub fn drives(guest: &mut Guest) -> Result<Vec<Value>> {
    let page = guest.json("bakeoff devices --format json")?;
    page["drives"].as_array().cloned().with_context(|| format!("no drives in {page}"))
}

/// The drive with that serial number.
pub fn drive(guest: &mut Guest, serial: &str) -> Result<Value> {
    let drives = drives(guest)?;
    let found = drives.iter().find(|drive| drive["serial"] == serial);
    found.cloned().with_context(|| format!("no {serial} among {drives:?}"))
}

fn every_disk_is_listed(guest: &mut Guest) -> Result<()> {
    for (serial, bus, is_safe) in [
        ("VIRTIO-1", "virtio", true),
        ("STICK-1", "usb", true),
        ("RO-1", "virtio", false),
        ("4K-1", "virtio", true),
    ] {
        let drive = drive(guest, serial)?;
        ensure!(drive["bus"] == bus && drive["safe_to_erase"] == is_safe, "{drive}");
        ensure!(drive["size_bytes"] == 64 * MIB, "{drive}");
    }
    let nameless = drives(guest)?.iter().filter(|drive| drive["serial"].is_null()).count();
    ensure!(nameless == 1, "{nameless} drives without a serial number");
    Ok(())
}

fn another_name(guest: &mut Guest) -> Result<()> {
    let before = drive(guest, "STICK-1")?;
    // Who has it open keeps its name taken.
    guest.ok("exec 9</dev/sda; sleep 600 >/dev/null 2>&1 & echo $! >/tmp/holder")?;
    guest.unplug(&stick())?;
    guest.wait_for("[ ! -e /sys/block/sda ]")?;
    guest.plug_as("sdb", &stick())?;
    let after = drive(guest, "STICK-1")?;
    // Until it has ended the name stays taken.
    guest.ok(&format!("{RELEASE}\nrelease"))?;
    guest.unplug(&stick())?;
    guest.wait_for("[ ! -e /sys/block/sdb ]")?;
    guest.plug_as("sda", &stick())?;
    ensure!(before["name"] == "sda" && after["name"] == "sdb", "{before}\n{after}");
    ensure!(before["erase_token"] == after["erase_token"], "{before}\n{after}");
    Ok(())
}

fn hostile_label(guest: &mut Guest) -> Result<()> {
    guest.ok("mkfs.ext4 -q -L \"$(printf '\\033[2J$(id)<b>')\" /dev/disk/by-id/virtio-VIRTIO-1
        udevadm settle")?;
    for command in ["bakeoff", "bakeoff devices --format markdown", "bakeoff devices --format csv"]
    {
        let output = guest.expect(command, 0)?;
        ensure!(!output.out.contains(&0x1b), "{command} passed an escape on: {}", output.text());
        ensure!(!output.text().contains("uid=0"), "{command} ran a label: {}", output.text());
    }
    guest.ok("wipefs -aq /dev/disk/by-id/virtio-VIRTIO-1").map(drop)
}

/// Whatever the host does, a disk that gives 50 answers a second gives no more.
fn throttled_disk(guest: &mut Guest) -> Result<()> {
    let result = guest.json(
        "bakeoff bench /dev/disk/by-id/virtio-SLOW --rw=randread --bs=4k --io_size=400k \
         --direct=1 --format json",
    )?;
    let iops = result["read"]["iops"].as_f64().context("no iops")?;
    ensure!(iops < 150.0, "{iops} a second from a disk with 50");
    Ok(())
}
