//! Where the compiler, the standard library and the C compiler for another machine come from.
//!
//! The standard library, the first that can be had: rustup's (`rustup target add`, which is
//! tried), its source in rustup's toolchain (`rustup component add rust-src`), or Debian's compiler
//! with its source, unpacked below `target` and not installed. rustup may not be reachable or not
//! have it, while a Debian system has its packages.
//!
//! The C compiler, for SQLite, and the linker: Zig's, which knows every machine and carries musl
//! (<https://ziglang.org/documentation/master/>), called through cargo-zigbuild. Both come from
//! PyPI.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::machine::Machine;
use crate::tool;

/// From PyPI, as tested.
const PYTHON_PACKAGES: [&str; 2] = ["ziglang==0.17.0", "cargo-zigbuild==0.24.0"];

/// The newest Rust in Debian stable, kept for building browsers.
const DEBIAN_PACKAGES: [&str; 2] = ["rustc-web", "rust-web-src"];

/// Everything cargo has to be told.
pub struct Toolchain {
    /// Distinguishes what it builds from what others do.
    pub name: &'static str,
    /// What it is, for people.
    pub said: &'static str,
    zig: PathBuf,
    /// Where Debian's compiler was unpacked, if that is the one.
    debian: Option<PathBuf>,
    builds_std: bool,
    flags: String,
}

impl Toolchain {
    /// cargo-zigbuild with the environment it needs, at low priority.
    pub fn zigbuild(&self) -> Command {
        let mut command = Command::new("nice");
        command.arg(self.zig.join("bin/cargo-zigbuild"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let own = self.zig.join("bin");
        let folders = std::iter::once(own).chain(std::env::split_paths(&path));
        if let Ok(path) = std::env::join_paths(folders) {
            command.env("PATH", path);
        }
        command.env("CARGO_ZIGBUILD_ZIG_PATH", self.zig.join("ziglang/zig"));
        let mut flags = self.flags.clone();
        if let Some(unpacked) = &self.debian {
            command
                .env("RUSTC", unpacked.join("usr/bin/rustc"))
                .env("LD_LIBRARY_PATH", unpacked.join("usr/lib/x86_64-linux-gnu"));
        }
        if self.builds_std {
            // The start files of musl come from Zig, since nobody built those of Rust.
            flags += " -Clink-self-contained=no";
            command.env("RUSTC_BOOTSTRAP", "1").env("CARGO_UNSTABLE_BUILD_STD", "std,panic_unwind");
        }
        command.env("RUSTFLAGS", flags.trim());
        command
    }
}

/// Whether rustup has a standard library for a machine; any other way compiles one for minutes.
pub fn has_library(machine: &Machine) -> Result<bool> {
    let own = tool::sysroot()?.join("lib/rustlib").join(machine.triple).join("lib");
    Ok(own.exists() || ask_rustup(&tool::target().join("toolchain"), machine)?)
}

/// Finds or fetches what it takes to build for a machine.
pub fn find(root: &Path, machine: &Machine) -> Result<Toolchain> {
    let folder = tool::target().join("toolchain");
    let zig = folder.join("zig");
    tool::fetch_from_pypi(&zig, &PYTHON_PACKAGES, 600)
        .context("no Zig, the C compiler for other machines (Debian: python3-pip)")?;
    let sysroot = tool::sysroot()?;
    let flags = format!("{} {}", machine.flags, without_paths(root, &sysroot));
    let rustlib = sysroot.join("lib/rustlib");
    if has_library(machine)? {
        let (name, said) = ("rustup", "rustup's standard library");
        return Ok(Toolchain { name, said, zig, debian: None, builds_std: false, flags });
    }
    if rustlib.join("src/rust/library/Cargo.lock").exists() {
        let (name, said) = ("source", "a standard library from rustup's source");
        return Ok(Toolchain { name, said, zig, debian: None, builds_std: true, flags });
    }
    let debian = Some(debian(&folder.join("debian"))?);
    let (name, said) = ("debian", "Debian's rustc-web and its source");
    Ok(Toolchain { name, said, zig, debian, builds_std: true, flags })
}

/// Flags that keep this machine's folders out of a binary, so that two builds of the same source in
/// different folders are the same bytes.
fn without_paths(root: &Path, sysroot: &Path) -> String {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let cargo = std::env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    let debian = tool::target().join("toolchain/debian/root/usr");
    // The last that fits is taken.
    [(root, "/bakeoff"), (&cargo, "/cargo"), (sysroot, "/rust"), (&debian, "/rust")]
        .map(|(folder, name)| format!("--remap-path-prefix={}={name}", folder.display()))
        .join(" ")
}

/// Asks rustup for the standard library, once; it may be absent, unreachable, or not have it.
fn ask_rustup(folder: &Path, machine: &Machine) -> Result<bool> {
    let asked = folder.join(format!("asked-rustup-for-{}", machine.triple));
    if asked.exists() {
        return Ok(false);
    }
    let mut rustup = Command::new("timeout");
    let added = tool::run(rustup.args(["60", "rustup", "target", "add", machine.triple]));
    if let Err(error) = &added {
        tool::write(&asked, format!("{error:#}\n"))?;
    }
    Ok(added.is_ok())
}

/// Debian's compiler and its source, from apt into a folder of ours.
fn debian(folder: &Path) -> Result<PathBuf> {
    let unpacked = folder.join("root");
    tool::fetch_once(folder, &DEBIAN_PACKAGES, || {
        let wanted = DEBIAN_PACKAGES.join(" ");
        eprintln!("fetching {wanted} from Debian into {}", folder.display());
        tool::renew(folder)?;
        fetch(folder, &unpacked).with_context(|| {
            format!(
                "Debian's {wanted} could not be had. Other ways to a standard library: `rustup \
                 target add TRIPLE`, or `rustup component add rust-src`"
            )
        })
    })?;
    Ok(unpacked)
}

/// Downloads the packages with the libraries of the compiler they need, and unpacks them.
fn fetch(folder: &Path, unpacked: &Path) -> Result<()> {
    let mut depends = Command::new("apt-cache");
    depends.args(["depends", "--recurse", "--important"]).args(DEBIAN_PACKAGES);
    let closure = tool::output(&mut depends)?;
    let mut names: Vec<&str> = closure
        .lines()
        .filter(|line| line.starts_with("libstd-rust-web") || line.starts_with("libllvm"))
        .chain(DEBIAN_PACKAGES)
        .collect();
    names.sort_unstable();
    names.dedup();
    let mut download = Command::new("apt-get");
    tool::run(download.args(["-qq", "download"]).args(&names).current_dir(folder))?;
    let packages = tool::unpack_debs(folder, unpacked)?;
    ensure!(packages == names.len(), "apt-get download fetched {packages} of {}", names.len());
    Ok(())
}
