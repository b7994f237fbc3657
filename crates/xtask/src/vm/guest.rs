//! A running guest: scripts with exit codes, sticks pulled out and put in, and the power cut.

use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::disk::Disk;
use super::port::{Output, Port};
use super::qmp::Qmp;
use crate::tool;

/// How long a guest may take to come up: seconds alone, minutes beside three builds.
const BOOT_LIMIT: Duration = Duration::from_secs(900);

/// How long a script may take unless it says otherwise: seconds alone, minutes where other guests
/// and builds have the processors.
const SCRIPT_LIMIT: Duration = Duration::from_secs(900);

/// How long QEMU may take to be gone, once its end of a socket is closed.
const EXIT_LIMIT: Duration = Duration::from_secs(10);

/// A guest; it is killed when it is dropped.
pub struct Guest {
    child: Child,
    port: Port,
    qmp: Qmp,
    folder: PathBuf,
    /// Removed with us.
    _sockets: TempDir,
}

impl Guest {
    /// Connects to QEMU and waits for the guest.
    pub fn start(mut child: Child, sockets: TempDir, folder: &Path) -> Result<Guest> {
        let connected = Qmp::connect(&sockets.path().join("qmp"))
            .and_then(|qmp| Ok((qmp, Port::connect(&sockets.path().join("port"))?)));
        let (qmp, port) = match connected {
            Ok(both) => both,
            Err(error) => {
                // Errors of killing what has ended by itself tell nothing.
                let _ = child.kill();
                let _ = child.wait();
                let said = std::fs::read_to_string(folder.join("qemu.log")).unwrap_or_default();
                return Err(error.context(format!("QEMU did not start; it said:\n{said}")));
            }
        };
        let folder = folder.to_path_buf();
        let mut guest = Guest { child, port, qmp, folder, _sockets: sockets };
        let ready = guest.port.wait_ready(BOOT_LIMIT);
        ready.with_context(|| format!("no guest came up; {}", guest.last_words()))?;
        Ok(guest)
    }

    /// Runs a script and says how it went, whatever its exit code.
    pub fn run(&mut self, script: &str) -> Result<Output> {
        self.run_within(script, SCRIPT_LIMIT)
    }

    /// The same with another limit on time. A guest that does not keep it is of no use any more.
    pub fn run_within(&mut self, script: &str, limit: Duration) -> Result<Output> {
        let output = self.port.run(script, limit);
        output.with_context(|| format!("running {script:?}; {}", self.last_words()))
    }

    /// Runs a script that has to succeed, and returns what it printed.
    pub fn ok(&mut self, script: &str) -> Result<String> {
        self.expect(script, 0).map(|output| output.text())
    }

    /// Runs a script that has to end with a certain exit code.
    pub fn expect(&mut self, script: &str, code: i32) -> Result<Output> {
        let output = self.run(script)?;
        ensure!(
            output.code == code,
            "{script:?} ended with {}, not {code}\n{}\n{}",
            output.code,
            output.text(),
            output.error()
        );
        Ok(output)
    }

    /// Runs a script that has to succeed and print JSON.
    pub fn json(&mut self, script: &str) -> Result<Value> {
        let text = self.ok(script)?;
        serde_json::from_str(&text).with_context(|| format!("{script:?} printed no JSON: {text}"))
    }

    /// Runs a script until it succeeds, for five minutes at least.
    pub fn wait_for(&mut self, script: &str) -> Result<()> {
        let again = format!(
            "n=0; until {{ {script}; }}; do n=$((n+1)); [ $n -lt 3000 ] || exit 1; sleep 0.1; done"
        );
        let output = self.run(&again)?;
        ensure!(output.code == 0, "waited in vain for {script:?}: {}", output.error());
        Ok(())
    }

    /// A file of the guest.
    pub fn file(&mut self, path: &str) -> Result<Vec<u8>> {
        let output = self.expect(&format!("cat '{path}'"), 0)?;
        Ok(output.out)
    }

    /// The file with what a disk holds.
    pub fn content(&self, disk: &Disk) -> PathBuf {
        disk.content(&self.folder)
    }

    /// Pulls a USB stick out, in use or not.
    pub fn unplug(&mut self, disk: &Disk) -> Result<()> {
        let id = format!("{}-device", disk.name);
        self.qmp.command("device_del", json!({"id": id}))?;
        self.qmp.wait_deleted(&id)
    }

    /// Puts it in again; it is found some time later.
    pub fn plug(&mut self, disk: &Disk) -> Result<()> {
        let device = disk.device().context("a card cannot be put in while the board runs")?;
        self.qmp.command("device_add", device).map(drop)
    }

    /// Puts it in, which makes it the disk of that name, and waits until udev is done with it: who
    /// looks at a disk has it open, which is a reason not to write it.
    pub fn plug_as(&mut self, name: &str, disk: &Disk) -> Result<()> {
        // What udev knew of another disk of that number is gone then.
        self.settle()?;
        self.plug(disk)?;
        self.wait_for(&format!(
            "[ -e /run/udev/data/b$(cat /sys/block/{name}/dev) ] \
             && [ $(cat /sys/block/{name}/size) -gt 0 ]"
        ))?;
        self.settle()
    }

    /// Waits until udev, where there is one, has dealt with everything that changed so far.
    pub fn settle(&mut self) -> Result<()> {
        let script = "[ ! -e /run/udev/control ] || udevadm settle --timeout=600";
        self.ok(script).map(drop)
    }

    /// The power cut: at once, with nothing written back. The machine can be booted again.
    pub fn kill(mut self) -> Result<()> {
        self.child.kill().context("killing QEMU")?;
        self.child.wait().context("waiting for QEMU")?;
        Ok(())
    }

    /// What the emulator has computed so far. None where the kernel does not tell: nothing but a
    /// line of text depends on it.
    pub fn cpu_seconds(&self) -> Option<f64> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // After the name in brackets, utime and stime are fields 14 and 15 (proc(5)), in USER_HZ.
        let (_, fields) = text.rsplit_once(')')?;
        let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
        Some(ticks.sum::<Result<f64, _>>().ok()? / 100.0)
    }

    /// How QEMU ended, where it did, what it said, and the end of what the kernel said.
    fn last_words(&mut self) -> String {
        let status = tool::retry(EXIT_LIMIT, || self.child.try_wait()?.context("it runs"));
        let ended = status.map_or_else(|e| e.to_string(), |status| format!("it ended: {status}"));
        let said = std::fs::read_to_string(self.folder.join("qemu.log")).unwrap_or_default();
        format!("QEMU: {ended}; it said {said:?}; the console:\n{}", self.console())
    }

    /// The end of what the kernel said.
    pub fn console(&self) -> String {
        let text = std::fs::read(self.folder.join("console.log")).unwrap_or_default();
        tool::last_lines(&String::from_utf8_lossy(&text))
    }

    /// Fails when the kernel has stumbled, which is then what everything else comes from.
    pub fn check_kernel(&mut self) -> Result<()> {
        let log = self.ok("dmesg | grep -A 20 -E 'BUG:|Oops|Call Trace|Kernel panic' || true")?;
        if !log.is_empty() {
            bail!("the guest's kernel stumbled:\n{log}");
        }
        Ok(())
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
