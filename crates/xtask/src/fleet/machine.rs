//! Hosts with a kernel and a processor of their own: emulated machines in the network of the hosts.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};

use super::host;
use crate::vm::networked::{self, Kind, Networked};

/// How long an emulated processor may take to answer, seconds.
const CONNECT_S: u32 = 90;

/// A machine.
pub struct Machine {
    /// Its name.
    pub name: &'static str,
    key: PathBuf,
    address: String,
    networked: Networked,
}

impl Machine {
    /// Starts one at an address of the controller's, which answers once this returns.
    pub fn start(
        root: &Path,
        folder: &Path,
        (name, number): (&'static str, u8),
        kind: &'static Kind,
        program: &Path,
    ) -> Result<Machine> {
        let address = host::add_address(number)?;
        let (key, public) = (folder.join("key"), folder.join("key.pub"));
        let networked = networked::start(root, kind, (name, &address), &public, program)?;
        Ok(Machine { name, key, address, networked })
    }

    /// Its variables in the inventory.
    pub fn variables(&self) -> Value {
        json!({
            "ansible_host": self.address,
            "ansible_ssh_common_args": host::ssh(CONNECT_S),
            "bakeoff_targets": [self.networked.target],
            "bakeoff_erase": [self.networked.erase_token],
        })
    }

    /// Runs a script on it over SSH and returns what it printed.
    pub fn shell(&self, script: &str) -> Result<String> {
        host::shell(&self.address, &self.key, CONNECT_S, script)
    }

    /// Fails if its kernel has stumbled.
    pub fn check_kernel(&mut self) -> Result<()> {
        self.networked.check_kernel()
    }
}
