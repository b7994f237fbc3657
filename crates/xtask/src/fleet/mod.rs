//! The Ansible collection with real Ansible over real SSH: `cargo xtask test-fleet`.
//!
//! The hosts are namespaces of this machine (`host.sh`), with `--machines` also emulated machines.
//! Needs root for them, and PyPI or an earlier download for Ansible.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

mod collection;
mod emulated;
mod heat;
mod host;
mod machine;
mod pushed;
mod release;
mod scenario;
mod server;
mod site;
mod tools;

use crate::dist::{self, Profile};
use crate::tally::Tally;
use crate::tool;
use crate::vm::networked::{self, ALL, Kind};
pub use collection::SOURCE as COLLECTION;
use release::Programs;
use site::Site;
pub use tools::{CORE, Tools};

/// Set for the process in the namespaces.
const INSIDE: &str = "BAKEOFF_FLEET_INSIDE";

/// Builds and lints the Ansible collection in packaging/ansible, and runs its playbooks on seven
/// hosts with their own SSH servers, from where they push to a PostgreSQL server.
#[derive(clap::Args)]
pub struct Options {
    /// Only build and lint the collection
    #[arg(long, conflicts_with = "machines")]
    lint: bool,
    /// Run them on six boards instead, of which three are emulated: a PC, a Raspberry Pi 3 and a
    /// Raspberry Pi 1; writes their report into docs/fleet.md
    #[arg(long)]
    machines: bool,
    /// Test this program
    #[arg(long, default_value_os_t = tool::target().join("debug/bakeoff"))]
    binary: PathBuf,
    /// On the Raspberry Pis, test the binaries that `cargo xtask dist` built
    #[arg(long)]
    dist: bool,
}

impl Options {
    /// Of the programs for other processors.
    fn profile(&self) -> Profile {
        if self.dist { Profile::Release } else { Profile::Test }
    }
}

/// The command.
pub fn test(root: &Path, options: Options) -> Result<bool> {
    let asked = Options { binary: root.join(&options.binary), ..options };
    let tools = Tools::new(&tool::target().join("fleet"));
    if std::env::var_os(INSIDE).is_none() {
        if let Err(error) = tools.fetch(&tools::ALL) {
            tool::skip("Ansible collection", "PyPI", &format!("{error:#}"))?;
            return Ok(true);
        }
        if !asked.lint {
            return inside(root, &asked);
        }
    }
    let mut tally = Tally::default();
    tally.run("the collection is built and installed", || collection::install(root, &tools));
    tally.run("ansible-lint finds nothing", || collection::lint(root, &tools));
    match (asked.lint, asked.machines) {
        (true, _) => {}
        (false, false) => play(tools, &asked, &mut tally)?,
        (false, true) => play_on_machines(root, tools, &asked, &mut tally)?,
    }
    Ok(tally.end())
}

/// Starts this program again where network interfaces and mounts are its own. What has to be
/// fetched or built is fetched and built before: there is no way to it from there.
fn inside(root: &Path, asked: &Options) -> Result<bool> {
    tool::require_root("hosts need namespaces")?;
    ensure!(asked.binary.exists(), "there is no {}: cargo build", asked.binary.display());
    ensure!(Path::new("/usr/sbin/sshd").exists(), "no sshd: scripts/install.sh fleet");
    for kind in ALL.into_iter().filter(|_| asked.machines) {
        networked::fetch(kind)?;
        let is_foreign = kind.binary() != std::env::consts::ARCH;
        if is_foreign && asked.profile() == Profile::Test {
            let machine = dist::machine(kind.binary()).context("no such architecture")?;
            dist::build(root, machine, asked.profile())?;
        }
    }
    let mut unshare = Command::new("unshare");
    unshare.args(["--net", "--mount", "--propagation", "slave"]).arg(std::env::current_exe()?);
    unshare.arg("test-fleet").arg("--binary").arg(asked.binary.canonicalize()?).env(INSIDE, "1");
    unshare.args(asked.machines.then_some("--machines"));
    unshare.args((asked.profile() == Profile::Release).then_some("--dist"));
    Ok(unshare.status().context("cannot run unshare")?.success())
}

/// The programs under test, for this machine or also for the emulated ones.
fn programs(asked: &Options) -> Result<Programs> {
    let mut programs = Programs::from([(std::env::consts::ARCH, asked.binary.clone())]);
    for name in ALL.map(Kind::binary).into_iter().filter(|_| asked.machines) {
        if name != std::env::consts::ARCH {
            programs.insert(name, dist::built(name, asked.profile())?);
        }
    }
    Ok(programs)
}

/// All steps on namespaces.
fn play(tools: Tools, asked: &Options, tally: &mut Tally) -> Result<()> {
    let mut site = Site::new(tools, &programs(asked)?, &scenario::HOSTS, site::PLAN)?;
    site.host("full")?.set_full(true)?;
    site.host("hot")?.set_throttled(heat::BITS)?;
    for host in &mut site.hosts {
        host.start()?;
    }
    steps(&mut site, &scenario::STEPS, tally);
    Ok(())
}

/// All steps on namespaces and emulated machines.
fn play_on_machines(root: &Path, tools: Tools, asked: &Options, tally: &mut Tally) -> Result<()> {
    let programs = programs(asked)?;
    let mut site = Site::new(tools, &programs, &emulated::HOSTS, emulated::PLAN)?;
    for host in &mut site.hosts {
        host.start()?;
    }
    tally.run("three emulated machines answer", || emulated::start(&mut site, root, &programs));
    steps(&mut site, &emulated::STEPS, tally);
    if tally.failed().next().is_none() {
        emulated::write(&site, root)?;
    }
    Ok(())
}

/// Steps up to the first that fails.
fn steps(site: &mut Site, steps: &[scenario::Step], tally: &mut Tally) {
    for (name, step) in steps {
        if tally.failed().next().is_some() {
            println!("not run {name}");
            continue;
        }
        tally.run(name, || step(site));
    }
}
