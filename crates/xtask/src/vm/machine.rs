//! A machine that can be switched on: a board with an image and disks.
//!
//! Its disks are files that stay when a guest is killed, so that the next one finds what a power
//! cut would have left (everything that was submitted: see the crate's notes on flushes).

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::board::Board;
use super::disk::Disk;
use super::guest::Guest;
use super::image::Image;

/// What every kernel is started with. It judges nothing by time, since a busy machine below lets a
/// processor stand still for as long as it likes: a soft lockup, a stalled RCU and a task that
/// hangs each print what a test takes for a bug (`Guest::check_kernel`).
const COMMAND_LINE: &str = "quiet panic=-1 nowatchdog rcupdate.rcu_cpu_stall_suppress=1 \
    sysctl.kernel.hung_task_timeout_secs=0";

/// A script that counts the disks that are there, and that udev, where there is one, has looked at.
const COUNT_DISKS: &str = "found=0
    for disk in /sys/block/vd* /sys/block/sd* /sys/block/mmcblk? /sys/block/nvme*; do
        [ -e $disk/dev ] || continue
        [ ! -e /run/udev/control ] || [ -e /run/udev/data/b$(cat $disk/dev) ] || continue
        found=$((found + 1))
    done";

/// A machine.
pub struct Machine {
    board: &'static Board,
    image: Image,
    folder: PathBuf,
    disks: Vec<Disk>,
    address: Option<String>,
}

impl Machine {
    /// A machine without disks; `folder` is emptied and holds what they contain.
    pub fn new(board: &'static Board, image: &Image, folder: &Path) -> Result<Machine> {
        if folder.exists() {
            std::fs::remove_dir_all(folder)
                .with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        std::fs::create_dir_all(folder)?;
        let (image, folder) = (image.clone(), folder.to_path_buf());
        Ok(Machine { board, image, folder, disks: Vec::new(), address: None })
    }

    /// Adds a network interface. An address of this machine becomes that of its SSH server; it
    /// reaches what this machine reaches.
    pub fn reached_at(mut self, address: &str) -> Machine {
        self.address = Some(address.to_owned());
        self
    }

    /// Adds an empty disk.
    pub fn disk(mut self, disk: Disk) -> Result<Machine> {
        let path = self.content(&disk);
        File::create(&path)
            .and_then(|file| file.set_len(disk.size_bytes))
            .with_context(|| format!("making {}", path.display()))?;
        self.disks.push(disk);
        Ok(self)
    }

    /// The file with what a disk holds.
    pub fn content(&self, disk: &Disk) -> PathBuf {
        disk.content(&self.folder)
    }

    /// What the kernel said since the machine was last switched on.
    pub fn console(&self) -> PathBuf {
        self.folder.join("console.log")
    }

    /// Switches it on and waits until it takes commands.
    pub fn boot(&self) -> Result<Guest> {
        let sockets = tempfile::Builder::new().prefix("bakeoff-vm-").tempdir()?;
        // It ends with us, whatever ends us.
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", self.board.qemu]);
        command.args(self.board.arguments.split_whitespace());
        if let Some(cpus) = self.board.cpus {
            command.args(["-smp", &cpus.to_string()]);
        }
        command.args(["-nodefaults", "-display", "none", "-no-reboot"]);
        command.arg("-kernel").arg(&self.image.kernel);
        command.arg("-initrd").arg(&self.image.archive);
        if let Some(tree) = &self.image.device_tree {
            command.arg("-dtb").arg(tree);
        }
        command.args(["-append", &format!("{} {COMMAND_LINE}", self.board.command_line)]);
        for disk in &self.disks {
            command.args(disk.arguments(&self.content(disk).display().to_string()));
        }
        let at = |name: &str| sockets.path().join(name);
        let socket =
            |name: &str| format!("socket,id={name},server=on,wait=off,path={}", at(name).display());
        command.args(["-chardev", &socket("qmp"), "-mon", "chardev=qmp,mode=control"]);
        let port = socket("port");
        let console = self.console().display().to_string().replace(',', ",,");
        if self.board.port.starts_with("/dev/tty") {
            // One line for the kernel's messages and for us. The Raspberry Pi 3's is the second.
            if self.board.port == "/dev/ttyS1" {
                command.args(["-serial", "null"]);
            }
            command.args(["-chardev", &format!("{port},logfile={console}")]);
            command.args(["-serial", "chardev:port"]);
        } else {
            command.args(["-serial", &format!("file:{console}")]);
            command.args(["-chardev", &port, "-device", "virtio-serial-pci"]);
            command.args(["-device", "virtserialport,chardev=port,name=port"]);
        }
        if let Some(address) = &self.address {
            // After the port, whose number in the guest is that of its device.
            command.args(["-netdev", &format!("user,id=net,hostfwd=tcp:{address}:22-:22")]);
            command.args(["-device", &format!("{},netdev=net", self.board.interface)]);
        }
        let errors = File::create(self.folder.join("qemu.log"))?;
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(errors)
            .spawn()
            .context("cannot run setpriv, which is in Debian's util-linux")?;
        let mut guest = Guest::start(child, sockets, &self.folder)?;
        // A stick is found a moment after the system is up, or a long one on a busy machine. Its
        // settings are there when udev knows it, and nobody has it open once udev is done.
        guest.wait_for(&format!("{COUNT_DISKS}; [ $found -ge {} ]", self.disks.len()))?;
        guest.settle()?;
        Ok(guest)
    }
}
