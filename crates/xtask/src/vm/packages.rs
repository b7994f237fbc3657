//! Debian packages of any architecture, unpacked below `target` and not installed.
//!
//! apt-get resolves and downloads them with a state of its own (an empty package database and the
//! wanted architecture as its only one), so the system's is neither needed nor touched, and no
//! root is either. Options: apt.conf(5).

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::tool;

/// Unpacks the packages and what they depend on; quick where that was done before.
pub fn unpack(folder: &Path, architecture: &str, packages: &[&str]) -> Result<PathBuf> {
    let unpacked = folder.join("root");
    tool::fetch_once(folder, packages, || fetch(folder, architecture, packages, &unpacked))?;
    Ok(unpacked)
}

fn fetch(folder: &Path, architecture: &str, packages: &[&str], unpacked: &Path) -> Result<()> {
    eprintln!("fetching Debian packages for {architecture} into {}", folder.display());
    tool::renew(folder)?;
    let state = folder.join("apt");
    for name in ["lists/partial", "archives/partial"] {
        std::fs::create_dir_all(state.join(name))?;
    }
    std::fs::write(state.join("status"), "")?;
    let advice = || {
        format!(
            "packages of Debian's architecture {architecture} could not be had; it takes apt-get, \
             the network, and sources in /etc/apt that have that architecture"
        )
    };
    tool::run(apt(&state, architecture).arg("update")).with_context(advice)?;
    let mut install = apt(&state, architecture);
    install.args(["install", "--yes", "--download-only"]);
    install.args(packages.iter().flat_map(|list| list.split(' ')));
    tool::run(&mut install).with_context(advice)?;
    tool::unpack_debs(&state.join("archives"), unpacked)?;
    Ok(std::fs::remove_dir_all(&state)?)
}

fn apt(state: &Path, architecture: &str) -> Command {
    let mut command = Command::new("apt-get");
    command.arg("-qq");
    let mut set = |name: &str, value: &str| {
        command.args(["-o", &format!("{name}={value}")]);
    };
    let at = |name: &str| state.join(name).display().to_string();
    set("APT::Architecture", architecture);
    set("APT::Architectures", architecture);
    set("APT::Install-Recommends", "false");
    set("APT::Sandbox::User", "root");
    set("Acquire::Languages", "none");
    set("Acquire::Retries", "3");
    set("Dir::State", &at(""));
    set("Dir::State::status", &at("status"));
    set("Dir::State::lists", &at("lists"));
    set("Dir::Cache", &at(""));
    set("Dir::Cache::archives", &at("archives"));
    command
}
