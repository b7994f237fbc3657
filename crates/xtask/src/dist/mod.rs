//! Static binaries for other machines: `cargo xtask dist [--test | --minimal] [ARCH…]`.
//!
//! Each is linked with musl, needs nothing of the system it runs on, and is checked before it
//! is offered: the right machine, no libraries, and it runs (the ARM ones by user-mode emulation).
//! Where what is needed comes from is told in `toolchain`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

mod machine;
pub mod plain;
mod toolchain;
mod verify;

pub use machine::{MACHINES, Machine, find as machine};

use crate::tool;

/// How a binary is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// For people: small and fast.
    Release,
    /// For the smallest boards: without any optional part.
    Minimal,
    /// For tests: quick to build, with overflow checks and debug assertions.
    Test,
}

impl Profile {
    /// Cargo's name of it.
    fn cargo(self) -> &'static str {
        match self {
            Profile::Release | Profile::Minimal => "release",
            Profile::Test => "dist-test",
        }
    }

    /// The folder below `target` that the binaries are put into.
    fn folder(self) -> &'static str {
        match self {
            Profile::Release | Profile::Minimal => "dist",
            Profile::Test => "dist-test",
        }
    }
}

/// Builds target/dist/bakeoff-ARCH, static and stripped, for each ARCH.
#[derive(clap::Args)]
pub struct Options {
    /// Build faster, with checks, into target/dist-test; the binaries are larger
    #[arg(long)]
    test: bool,
    /// Omit the optional parts (serve, push, --tui, PNG cards): bakeoff-ARCH-minimal
    #[arg(long, conflicts_with = "test")]
    minimal: bool,
    /// Machines to build for: x86_64, aarch64, armv7, armv6 (default: all of them)
    #[arg(value_name = "ARCH")]
    names: Vec<String>,
}

/// The command.
pub fn dist(root: &Path, options: &Options) -> Result<bool> {
    let profile = match (options.test, options.minimal) {
        (true, _) => Profile::Test,
        (false, true) => Profile::Minimal,
        (false, false) => Profile::Release,
    };
    all(root, profile, &options.names)?;
    Ok(true)
}

/// Builds and checks the binaries of the machines of those names, of all where there are none, and
/// prints a line for each.
pub fn all(
    root: &Path,
    profile: Profile,
    names: &[String],
) -> Result<Vec<(PathBuf, &'static Machine)>> {
    let by_name = |name: &String| {
        machine::find(name).with_context(|| format!("no such architecture: {name}"))
    };
    let mut machines: Vec<&Machine> = names.iter().map(by_name).collect::<Result<_>>()?;
    if machines.is_empty() {
        machines = MACHINES.iter().collect();
    }
    if !root.join("web/dist/report.js").exists() {
        tool::show(Command::new(root.join("scripts/web.sh")).current_dir(root))
            .context("the charts of the report could not be bundled")?;
    }
    let (mut lines, mut binaries) = (Vec::new(), Vec::new());
    for machine in machines {
        let started = Instant::now();
        let binary = build(root, machine, profile)?;
        let size_bytes = std::fs::metadata(&binary)?.len();
        let run = verify::verify(&binary, machine)?;
        lines.push(format!(
            "{:<40} {:>9} bytes {:>4} s  {run}",
            binary.strip_prefix(root).unwrap_or(&binary).display(),
            size_bytes,
            started.elapsed().as_secs()
        ));
        binaries.push((binary, machine));
    }
    lines.push(verify::agree(&root.join("fixtures/bundle/v0.1.0.jsonl"), &binaries)?);
    println!("{}", lines.join("\n"));
    Ok(binaries)
}

/// Checks that the program compiles where an address has 32 bits, if that can be had.
pub fn check_narrow(root: &Path) -> Result<bool> {
    let machine = machine::find("armv6").context("no machine armv6")?;
    if !toolchain::has_library(machine)? {
        let why = format!("rustup has no standard library for {} here", machine.triple);
        return tool::skip("32-bit ARM", machine.triple, &why).map(|()| true);
    }
    let tools = toolchain::find(root, machine)?;
    let mut command = tools.zigbuild();
    command
        .current_dir(root)
        .args(["check", "--quiet", "--package", "bakeoff", "--locked", "--profile", "dist-test"])
        .args(["--target", machine.triple, "--target-dir"])
        .arg(tool::target().join("cross").join(tools.name));
    tool::show(&mut command).with_context(|| format!("for {}", machine.triple))?;
    println!("the program compiles for {} with {}", machine.triple, tools.said);
    Ok(true)
}

/// Builds for one machine and returns where the binary is; quick where nothing changed.
pub fn build(root: &Path, machine: &Machine, profile: Profile) -> Result<PathBuf> {
    let tools = toolchain::find(root, machine)?;
    // A folder of its own for each compiler and machine, since flags for one CPU hold for
    // everything that is built.
    let folder = tool::target().join("cross").join(tools.name);
    let mut command = tools.zigbuild();
    command
        .current_dir(root)
        .args(["zigbuild", "--quiet", "--package", "bakeoff", "--locked"])
        .args(["--profile", profile.cargo(), "--target", machine.triple])
        .args((profile == Profile::Minimal).then_some("--no-default-features"))
        .arg("--target-dir")
        .arg(&folder);
    eprintln!("building for {} with {}", machine.name, tools.said);
    tool::show(&mut command).with_context(|| format!("no binary for {}", machine.name))?;
    let built = folder.join(machine.triple).join(profile.cargo()).join("bakeoff");
    let into = tool::target().join(profile.folder());
    std::fs::create_dir_all(&into)?;
    let suffix = if profile == Profile::Minimal { "-minimal" } else { "" };
    let binary = into.join(format!("bakeoff-{}{suffix}", machine.name));
    if !built.exists() {
        bail!("cargo made no {}", built.display());
    }
    std::fs::copy(&built, &binary).with_context(|| format!("writing {}", binary.display()))?;
    Ok(binary)
}
