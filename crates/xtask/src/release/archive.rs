//! The archive: the program with its manual, completions and licences, and a script that installs
//! them. It needs nothing but a shell.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::facts::Facts;
use crate::dist::Machine;
use crate::tool;

const INSTALL: &str = include_str!("../../../../packaging/archive/install.sh");

/// Packs it and returns where it is.
pub fn build(facts: &Facts, machine: &Machine, binary: &Path, notices: &str) -> Result<PathBuf> {
    let name = format!("bakeoff-{}-linux-{}", facts.version, machine.name);
    let folder = facts.work.join(&name);
    tool::renew(&folder)?;
    let manual = tool::target().join("manual");
    let script =
        INSTALL.replace("@MACHINE@", machine.name).replace("@UNAME@", &machine.uname.join(" "));
    tool::write(&folder.join("install.sh"), &script)?;
    tool::write(&folder.join("THIRD-PARTY.txt"), notices)?;
    for name in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        tool::copy(&facts.root.join(name), &folder.join(name))?;
    }
    for name in ["bash/bakeoff.bash", "zsh/_bakeoff", "fish/bakeoff.fish"] {
        let (_, file) = name.split_once('/').context("each shell has a folder")?;
        tool::copy(&manual.join(name), &folder.join("completions").join(file))?;
    }
    for page in std::fs::read_dir(manual.join("man1"))? {
        let page = page?;
        tool::copy(&page.path(), &folder.join("man/man1").join(page.file_name()))?;
    }
    tool::copy(binary, &folder.join("bakeoff"))?;
    for name in ["bakeoff", "install.sh"] {
        let program = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.join(name), program)?;
    }
    facts.tar_xz(&name)
}
