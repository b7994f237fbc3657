//! Emulated machines with an SSH server and Python, as Ansible finds boards in a home: a PC, a
//! Raspberry Pi 3 and a Raspberry Pi 1, each with an empty disk and Debian's kernel.
//!
//! The SSH server is dropbear, which is light enough for the smallest board. All of the system is
//! in memory. QEMU's own network needs no rights: its way out is this machine's.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};

use super::board::{self, Board};
use super::disk::{Disk, MIB};
use super::guest::Guest;
use super::lab::{Program, TestLab};
use super::packages;
use super::scenario::pi;
use crate::tool;

const START: &str = include_str!("networked.sh");
/// How long the start of the network may take: the SSH server makes a key first.
const START_LIMIT: Duration = Duration::from_secs(300);
/// Size of the PC's disk.
const DISK_BYTES: u64 = 1024 * MIB;

/// A kind of machine.
#[derive(Debug)]
pub struct Kind {
    board: Board,
    /// Its disk, and what it is called there.
    disk: fn() -> Disk,
    target: &'static str,
}

/// A running machine.
pub struct Networked {
    guest: Guest,
    /// Its disk, as it sees it.
    pub target: &'static str,
    /// The token that allows to erase the disk.
    pub erase_token: String,
}

impl Kind {
    /// Which of our binaries it runs, as `cargo xtask dist` calls it.
    pub fn binary(&self) -> &'static str {
        self.board.binary
    }
}

/// Fetches what its image is made of: where it is started there may be no way to Debian.
pub fn fetch(kind: &Kind) -> Result<()> {
    let Board { name, architecture, packages, .. } = kind.board;
    packages::unpack(&tool::target().join("vm").join(name), architecture, packages).map(drop)
}

/// Starts a machine of that name. Its SSH server has an address of this machine and lets root in
/// with a key. `program` is for its image, and is gone once it runs.
pub fn start(
    root: &Path,
    kind: &'static Kind,
    (name, address): (&str, &str),
    public_key: &Path,
    program: &Path,
) -> Result<Networked> {
    let lab = TestLab::new(root, Program::This(program.to_owned()));
    let lab = lab.with_file("root/.ssh/authorized_keys", public_key);
    let machine = lab.machine(&kind.board, &format!("fleet-{name}"), &[(kind.disk)()])?;
    let mut guest = machine.reached_at(address).boot()?;
    // A network interface on USB is found a moment after the system is up.
    guest.wait_for("[ $(ls /sys/class/net | wc -l) -ge 2 ]")?;
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let started = guest.run_within(&format!("set -- {name} {now_s}\n{START}"), START_LIMIT)?;
    ensure!(started.code == 0, "{name}: {}{}", started.text(), started.error());
    let listed = guest.json("bakeoff devices --format json")?;
    let token = listed["drives"][0]["erase_token"].as_str();
    let erase_token = token.with_context(|| format!("no drive in {listed}"))?.to_owned();
    // It is the playbook that has to install it.
    guest.ok("rm /usr/bin/bakeoff && rm -rf /root/.local && ! command -v bakeoff")?;
    Ok(Networked { guest, target: kind.target, erase_token })
}

impl Networked {
    /// Fails if its kernel has stumbled.
    pub fn check_kernel(&mut self) -> Result<()> {
        self.guest.check_kernel()
    }
}

/// An SSH server, and what Ansible needs.
const SSH: &str = "dropbear-bin openssh-sftp-server python3";

/// A PC.
pub const PC: Kind = Kind {
    board: Board {
        name: "pc-ssh",
        packages: &["linux-image-amd64", board::PI_PACKAGES, SSH],
        loaded: "virtio_pci virtio_blk virtio_console virtio_rng virtio_net crc32c_generic loop",
        ..board::PC
    },
    disk: || Disk::virtio("disk", DISK_BYTES).serial("DISK-1"),
    target: "/dev/vda",
};

/// A Raspberry Pi 3 with a 64-bit system.
pub const PI3: Kind = Kind {
    board: Board {
        name: "pi3-ssh",
        packages: &["linux-image-arm64", board::PI_PACKAGES, SSH],
        loaded: PI_LOADED,
        ..board::PI3
    },
    disk: pi::card,
    target: "/dev/mmcblk0",
};

/// A Raspberry Pi of the first generation.
pub const PI1: Kind = Kind {
    board: Board {
        name: "pi1-ssh",
        packages: &["linux-image-rpi", board::PI_PACKAGES, SSH],
        loaded: PI_LOADED,
        ..board::PI1
    },
    ..PI3
};

/// All of them.
pub const ALL: [&Kind; 3] = [&PC, &PI3, &PI1];

/// The card, and the USB controller with a network interface on it.
const PI_LOADED: &str = "bcm2835 sdhci_iproc mmc_block crc32c_generic loop phy_generic dwc2 usbnet \
    cdc_ether rndis_host bcm2835_rng";
