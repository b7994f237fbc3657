//! QEMU's own control socket: commands in JSON, one a line
//! (<https://www.qemu.org/docs/master/interop/qmp-spec.html>).

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::port;

/// How long QEMU may take for an answer: a moment alone, more where others have the processors.
const LIMIT: Duration = Duration::from_secs(600);

/// A connection.
pub struct Qmp {
    reader: BufReader<UnixStream>,
    events: Vec<Value>,
}

impl Qmp {
    /// Connects and says hello.
    pub fn connect(path: &Path) -> Result<Qmp> {
        let socket = port::connect(path)?;
        socket.set_read_timeout(Some(LIMIT))?;
        let mut qmp = Qmp { reader: BufReader::new(socket), events: Vec::new() };
        qmp.line()?;
        qmp.command("qmp_capabilities", json!({}))?;
        Ok(qmp)
    }

    /// Does a command and returns its answer.
    pub fn command(&mut self, name: &str, arguments: Value) -> Result<Value> {
        let command = json!({"execute": name, "arguments": arguments});
        writeln!(self.reader.get_mut(), "{command}")?;
        loop {
            let mut answer = self.line()?;
            if let Some(error) = answer.get("error") {
                bail!("QEMU refused {name}: {error}");
            }
            if answer.get("return").is_some() {
                return Ok(answer["return"].take());
            }
            self.events.push(answer);
        }
    }

    /// Waits until QEMU tells that a device is gone.
    pub fn wait_deleted(&mut self, device: &str) -> Result<()> {
        let is_it =
            |event: &Value| event["event"] == "DEVICE_DELETED" && event["data"]["device"] == device;
        loop {
            if let Some(at) = self.events.iter().position(is_it) {
                self.events.remove(at);
                return Ok(());
            }
            let event = self.line()?;
            self.events.push(event);
        }
    }

    fn line(&mut self) -> Result<Value> {
        let mut line = String::new();
        let count = self.reader.read_line(&mut line).context("QEMU says nothing")?;
        ensure!(count > 0, "QEMU has ended");
        serde_json::from_str(&line).with_context(|| format!("not JSON from QEMU: {line}"))
    }
}
