//! Hosts with their own SSH servers, in namespaces of this machine.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::tool;

const HOST: &str = include_str!("host.sh");
/// Addresses that nobody has (RFC 5737).
const NETWORK: &str = "192.0.2";
/// Address of the controller.
pub const CONTROLLER: &str = "192.0.2.1";
const BRIDGE: &str = "boards";
/// How long a host may take to answer.
const START_LIMIT: Duration = Duration::from_secs(60);

/// A host.
pub struct Host {
    /// Its name, and that of its image.
    pub name: &'static str,
    number: u8,
    folder: PathBuf,
    child: Option<Child>,
}

/// Prepares the network that we were put into, with us at its first address, and the keys.
pub fn network(folder: &Path) -> Result<()> {
    let ip = |words: &str| tool::run(Command::new("ip").args(words.split(' ')));
    ip("link set lo up")?;
    ip(&format!("link add {BRIDGE} type bridge"))?;
    ip(&format!("addr add {CONTROLLER}/24 dev {BRIDGE}"))?;
    ip(&format!("link set {BRIDGE} up"))?;
    for name in ["key", "host_key"] {
        let mut keygen = Command::new("ssh-keygen");
        keygen.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(folder.join(name));
        tool::run(&mut keygen).context("ssh-keygen is in Debian's openssh-client")?;
    }
    std::fs::write(folder.join("host.sh"), HOST).context("cannot write host.sh")
}

impl Host {
    /// A new host that does not run yet, with an empty image to measure.
    pub fn new(folder: &Path, name: &'static str, number: u8) -> Result<Host> {
        let host = Host { name, number, folder: folder.join(name), child: None };
        std::fs::create_dir_all(host.folder.join("root/srv"))?;
        let image = File::create(host.image_here())?;
        image.set_len(1 << 30).context("cannot make an image")?;
        Ok(host)
    }

    fn image_here(&self) -> PathBuf {
        self.folder.join("root").join(self.image().trim_start_matches('/'))
    }

    /// Its image, as it sees it.
    pub fn image(&self) -> String {
        format!("/srv/{}.img", self.name)
    }

    /// Its variables in the inventory.
    pub fn variables(&self) -> Value {
        json!({
            "ansible_host": self.address(),
            "bakeoff_targets": [self.image()],
            "bakeoff_erase": [format!("{}.img", self.name)],
        })
    }

    /// Its address.
    pub fn address(&self) -> String {
        format!("{NETWORK}.{}", self.number)
    }

    /// The folder of its results is full from its next start on, or no longer.
    pub fn set_full(&self, is_full: bool) -> Result<()> {
        let mark = self.folder.join("full");
        if is_full {
            return Ok(std::fs::write(mark, "")?);
        }
        Ok(std::fs::remove_file(mark)?)
    }

    /// It has the firmware of a Raspberry Pi from its next start on, which says so of power and
    /// heat: the bits of `get_throttled`.
    pub fn set_throttled(&self, bits: u32) -> Result<()> {
        let file = self.folder.join("get_throttled");
        std::fs::write(file, format!("{bits:x}\n")).context("cannot write get_throttled")
    }

    /// Starts it and waits until it answers.
    pub fn start(&mut self) -> Result<()> {
        let pid_file = self.folder.join("pid");
        if pid_file.exists() {
            std::fs::remove_file(&pid_file)?;
        }
        let log = File::create(self.folder.join("log"))?;
        let mut unshare = Command::new("unshare");
        unshare.args([
            "--net",
            "--mount",
            "--propagation",
            "slave",
            "--uts",
            "--ipc",
            "--pid",
            "--fork",
            "--kill-child",
        ]);
        unshare.arg("sh").arg(self.folder.with_file_name("host.sh")).arg(&self.folder);
        unshare.args([self.name, &self.address()]).stdin(Stdio::null());
        unshare.stdout(log.try_clone()?).stderr(log);
        self.child = Some(unshare.spawn().context("cannot run unshare")?);
        let pid = self.wait_for(|| Ok(std::fs::read_to_string(&pid_file)?.trim().to_owned()))?;
        let link = format!("host{}", self.number);
        let ip = |words: &str| tool::run(Command::new("ip").args(words.split(' ')));
        ip(&format!("link add {link} master {BRIDGE} type veth peer name eth0 netns {pid}"))?;
        ip(&format!("link set {link} up"))?;
        self.wait_for(|| self.shell("true").map(drop))
    }

    fn wait_for<T>(&self, look: impl Fn() -> Result<T>) -> Result<T> {
        tool::retry(START_LIMIT, look).with_context(|| {
            let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
            format!("{} does not answer: {log}", self.name)
        })
    }

    /// Cuts its power.
    pub fn kill(&mut self) -> Result<()> {
        let Some(mut child) = self.child.take() else { return Ok(()) };
        child.kill()?;
        child.wait()?;
        // Its end of the cable goes with it and takes ours along, sooner or later.
        let link = format!("host{}", self.number);
        tool::retry(START_LIMIT, || {
            let shown = tool::run(Command::new("ip").args(["link", "show", &link]));
            ensure!(shown.is_err(), "{link} is still there");
            Ok(())
        })
    }

    /// Pulls its network cable, or plugs it in again.
    pub fn set_connected(&self, is_connected: bool) -> Result<()> {
        let state = if is_connected { "up" } else { "down" };
        let link = format!("host{}", self.number);
        tool::run(Command::new("ip").args(["link", "set", &link, state]))
    }

    /// Runs a script on it and returns what it printed.
    pub fn shell(&self, script: &str) -> Result<String> {
        shell(&self.address(), &self.folder.with_file_name("key"), CONNECT_S, script)
    }

    /// The files that are its own, with their sizes and times, without those of a login and of
    /// this machine.
    pub fn files(&self) -> Result<Vec<String>> {
        let folders = ["usr/upper", "etc/upper", "var/upper/lib", "var/upper/cache"];
        let shown = "-type f -not -path '*/.ansible/*' -not -name '*.pyc' -printf '%p %s %T@\\n'";
        let mut list = Command::new("sh");
        list.arg("-c").arg(format!("find \"$@\" {shown}")).arg("find").current_dir(&self.folder);
        list.args(folders.iter().filter(|folder| self.folder.join(folder).exists()));
        let here = tool::output(list.args(["root/root", "root/srv"]))?;
        let there = self.shell(&format!("find /tmp {shown}"))?;
        let mut lines: Vec<String> = here.lines().chain(there.lines()).map(str::to_owned).collect();
        lines.sort();
        Ok(lines)
    }
}

/// How long a host of this machine may take to answer, seconds.
pub const CONNECT_S: u32 = 5;

/// Options of ssh for hosts that are new each time.
pub fn ssh(connect_s: u32) -> String {
    format!(
        "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o \
         ConnectTimeout={connect_s} -o IdentitiesOnly=yes -o BatchMode=yes"
    )
}

/// Runs a script at an address and returns what it printed.
pub fn shell(address: &str, key: &Path, connect_s: u32, script: &str) -> Result<String> {
    let mut command = Command::new("ssh");
    command.args(ssh(connect_s).split(' ')).arg("-i").arg(key);
    tool::output(command.arg(format!("root@{address}")).arg(script))
}

/// Gives the controller one more address, which an emulated machine answers at.
pub fn add_address(number: u8) -> Result<String> {
    let address = format!("{NETWORK}.{number}");
    let mut ip = Command::new("ip");
    tool::run(ip.args(["addr", "add", &format!("{address}/32"), "dev", BRIDGE]))?;
    Ok(address)
}

impl Drop for Host {
    fn drop(&mut self) {
        // What fails here is a process that has ended by itself.
        let _ = self.kill();
        let image = self.image_here();
        let mut losetup = Command::new("losetup");
        losetup.args(["--noheadings", "--output", "NAME", "--associated"]).arg(image);
        let listed = tool::output(&mut losetup).unwrap_or_default();
        for device in listed.split_whitespace() {
            let _ = tool::run(Command::new("losetup").args(["--detach", device]));
        }
    }
}
