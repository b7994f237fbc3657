//! The collection itself: that it builds, installs and passes ansible-lint's strictest profile.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::tools::Tools;
use crate::tool;

/// Where it is in the repository.
pub const SOURCE: &str = "packaging/ansible";
/// Files that belong in what is built.
const CONTENTS: [&str; 7] = [
    "README.md",
    "meta/runtime.yml",
    "playbooks/bakeoff.yml",
    "plugins/module_utils/detached.py",
    "plugins/modules/run.py",
    "roles/install/tasks/main.yml",
    "examples/inventory.yml",
];

/// Builds it and installs it below the folder of the tools.
pub fn install(root: &Path, tools: &Tools) -> Result<()> {
    let built = tools.folder.join("built");
    tool::renew(&built)?;
    tool::renew(&tools.folder.join("collections"))?;
    let mut galaxy = tools.command("ansible-galaxy");
    galaxy.args(["collection", "build", "--output-path"]).arg(&built).arg(root.join(SOURCE));
    let said = tool::output(&mut galaxy)?;
    ensure!(!said.to_lowercase().contains("warning"), "{said}");
    let file = std::fs::read_dir(&built)?.next().context("nothing was built")??.path();
    let listed = tool::output(Command::new("tar").arg("--list").arg("--file").arg(&file))?;
    for name in CONTENTS {
        ensure!(listed.lines().any(|line| line == name), "no {name} in\n{listed}");
    }
    let mut galaxy = tools.command("ansible-galaxy");
    galaxy.args(["collection", "install", "--offline", "--collections-path"]);
    tool::run(galaxy.arg(tools.folder.join("collections")).arg(&file))
}

/// Lints it, and a copy with a fault, which must be found.
pub fn lint(root: &Path, tools: &Tools) -> Result<()> {
    tool::run(&mut linter(tools, &root.join(SOURCE), "."))?;
    let copy = tools.folder.join("faulty");
    tool::renew(&copy)?;
    tool::run(Command::new("cp").arg("--recursive").arg(root.join(SOURCE)).arg(&copy))?;
    let copy = copy.join("ansible");
    let faulty = "---\n- name: Anything\n  hosts: all\n  tasks:\n    - shell: reboot\n";
    std::fs::write(copy.join("playbooks/faulty.yml"), faulty)?;
    let output = linter(tools, &copy, "playbooks/faulty.yml").output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(!output.status.success() && said.contains("fqcn"), "the fault was not found:\n{said}");
    Ok(())
}

fn linter(tools: &Tools, folder: &Path, what: &str) -> Command {
    let mut lint = tools.command("ansible-lint");
    lint.args(["--offline", "--nocolor", "--strict", "--profile", "production", what]);
    lint.current_dir(folder);
    lint
}
