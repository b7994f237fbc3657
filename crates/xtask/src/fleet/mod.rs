//! The Ansible collection with real Ansible over real SSH: `cargo xtask test-fleet`.
//!
//! The hosts are namespaces of this machine (`host.sh`). Needs root for them, and PyPI or an
//! earlier download for Ansible.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

mod collection;
mod host;
mod release;
mod scenario;
mod site;
mod tools;

use crate::tool;
use site::Site;
use tools::Tools;

const HELP: &str = "usage: cargo xtask test-fleet [--lint] [--binary PATH]

Builds and lints the \
                    Ansible collection in packaging/ansible, and runs its playbooks on six hosts \
                    with their
own SSH servers.

  --lint         only build and lint the collection
  --binary \
                    PATH  test this program (default: target/debug/bakeoff)
";

/// Set for the process in the namespaces.
const INSIDE: &str = "BAKEOFF_FLEET_INSIDE";

/// The command.
pub fn test(root: &Path, arguments: &[&str]) -> Result<bool> {
    let mut program = root.join("target/debug/bakeoff");
    let mut lints_only = false;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match *word {
            "--help" | "-h" => {
                print!("{HELP}");
                return Ok(true);
            }
            "--lint" => lints_only = true,
            "--binary" => program = PathBuf::from(words.next().context("--binary takes a path")?),
            word => bail!("no such option: {word}\n\n{HELP}"),
        }
    }
    let tools = Tools::new(&root.join("target/fleet"));
    if std::env::var_os(INSIDE).is_none() {
        if let Err(error) = tools.fetch() {
            tool::skip("Ansible collection", "PyPI", &format!("{error:#}"))?;
            return Ok(true);
        }
        if !lints_only {
            return inside(&program);
        }
    }
    let mut tally = Tally::default();
    tally.step("the collection is built and installed", || collection::install(root, &tools));
    tally.step("ansible-lint finds nothing", || collection::lint(root, &tools));
    if !lints_only {
        play(tools, &program, &mut tally)?;
    }
    Ok(tally.end())
}

/// Starts this program again where network interfaces and mounts are its own.
fn inside(program: &Path) -> Result<bool> {
    let user = tool::output(Command::new("id").arg("--user"))?;
    ensure!(user.trim() == "0", "run as root: hosts need namespaces");
    ensure!(program.exists(), "there is no {}: cargo build", program.display());
    ensure!(Path::new("/usr/sbin/sshd").exists(), "no sshd: scripts/install.sh fleet");
    let mut unshare = Command::new("unshare");
    unshare.args(["--net", "--mount", "--propagation", "slave"]).arg(std::env::current_exe()?);
    unshare.arg("test-fleet").arg("--binary").arg(program.canonicalize()?).env(INSIDE, "1");
    Ok(unshare.status().context("cannot run unshare")?.success())
}

/// All steps, up to the first that fails.
fn play(tools: Tools, program: &Path, tally: &mut Tally) -> Result<()> {
    let mut site = Site::new(tools, program, &scenario::HOSTS)?;
    site.host("full")?.set_full(true)?;
    for host in &mut site.hosts {
        host.start()?;
    }
    for (name, step) in scenario::STEPS {
        if tally.failed > 0 {
            println!("not run {name}");
            continue;
        }
        tally.step(name, || step(&mut site));
    }
    Ok(())
}

/// How steps went.
#[derive(Default)]
struct Tally {
    passed: u32,
    failed: u32,
}

impl Tally {
    fn step(&mut self, name: &str, step: impl FnOnce() -> Result<()>) {
        let started = Instant::now();
        let result = step();
        let took_s = started.elapsed().as_secs_f64();
        match result {
            Ok(()) => {
                self.passed += 1;
                println!("ok      {name:<76} {took_s:>6.1} s");
            }
            Err(error) => {
                self.failed += 1;
                println!("FAILED  {name:<76} {took_s:>6.1} s\n{error:#}\n");
            }
        }
    }

    /// Says the sum; whether nothing failed.
    fn end(&self) -> bool {
        println!("\n{} passed, {} failed, 0 skipped", self.passed, self.failed);
        self.failed == 0
    }
}
