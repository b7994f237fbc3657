//! A drive without serial number is exchanged while a run on it is interrupted: `resume` asks for
//! the token again, and does not write the drive that has the name now.

use anyhow::{Context, Result, ensure};

use super::run::{IS_MOUNTED, SCHEDULERS};
use super::{Group, Test};
use crate::vm::board::PC;
use crate::vm::disk::{Disk, MIB};
use crate::vm::guest::Guest;
use crate::vm::plan;

/// The group.
pub const GROUP: Group = Group {
    name: "resumed",
    board: &PC,
    disks: || vec![stick(), other()],
    is_alone: false,
    tests: || vec![Test::new("another-drive-of-the-same-name-and-size", exchanged)],
};

/// Size of both.
const BYTES: u64 = 320 * MIB;

fn stick() -> Disk {
    Disk::usb("stick", BYTES).serial("")
}

fn other() -> Disk {
    Disk::usb("other", BYTES).serial("")
}

fn exchanged(guest: &mut Guest) -> Result<()> {
    guest.unplug(&stick())?;
    guest.unplug(&other())?;
    plugged_in(guest, &stick())?;
    plan::write_small(guest, SCHEDULERS)?;
    let token = token(guest)?;
    ensure!(token.starts_with("sda-"), "the drive has a serial number: {token}");
    plan::run_until(guest, &format!("--target /dev/sda --erase {token}"), IS_MOUNTED)?;
    guest.unplug(&stick())?;
    plugged_in(guest, &other())?;
    // Blank, it has the very token of the first.
    ensure!(self::token(guest)? == token, "the drives can be told apart");
    not_resumed(guest, "", &["it was unplugged or replaced", "--erase"])?;
    guest.ok("mkfs.ext4 -q -F -L THEIRS /dev/sda && udevadm settle")?;
    let stale = format!("--erase {token}");
    not_resumed(guest, &stale, &["ext4 \"THEIRS\"", "is not the erase token"])?;
    guest.unplug(&other())?;
    plugged_in(guest, &stick())?;
    guest.plug_as("sdb", &other())
}

/// Puts a stick in where none is, which makes it sda.
pub fn plugged_in(guest: &mut Guest, disk: &Disk) -> Result<()> {
    guest.wait_for("! ls /sys/block | grep -q ^sd")?;
    guest.plug_as("sda", disk)
}

/// The erase token of sda.
fn token(guest: &mut Guest) -> Result<String> {
    let listed = guest.json("bakeoff devices --format json")?;
    let drives = listed["drives"].as_array().context("no list of drives")?;
    let drive = drives.iter().find(|drive| drive["name"] == "sda").context("no sda")?;
    Ok(drive["erase_token"].as_str().with_context(|| drive.to_string())?.to_owned())
}

/// Whether `resume` with those words ends refused, says all of `says`, and changes no byte.
fn not_resumed(guest: &mut Guest, words: &str, says: &[&str]) -> Result<()> {
    const SUM: &str = "sync && echo 3 >/proc/sys/vm/drop_caches && sha256sum </dev/sda";
    let before = guest.ok(SUM)?;
    let refused = guest.expect(&format!("bakeoff resume --time 4h {words}"), 3)?.error();
    ensure!(says.iter().all(|says| refused.contains(says)), "{says:?}: {refused}");
    ensure!(guest.ok(SUM)? == before, "{words:?}: the other drive was written");
    Ok(())
}
