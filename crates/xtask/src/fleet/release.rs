//! A folder like that of a release: the programs under test, and for machines without one programs
//! that say which one they are. Not those of `cargo xtask release`, which take long.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::tool;

/// Machines by `uname -m`, with the end of their archive's name and that of their package's.
pub const MACHINES: [(&str, &str, &str); 4] = [
    ("x86_64", "x86_64", "_amd64"),
    ("aarch64", "aarch64", "_arm64"),
    ("armv7l", "armv7", "_armhf"),
    ("armv6l", "armv6", "+rpi1_armhf"),
];

/// The programs under test, by the end of their archive's name; this machine has one.
pub type Programs = BTreeMap<&'static str, PathBuf>;

/// Makes the archives, the packages and their checksums.
pub fn make(folder: &Path, programs: &Programs) -> Result<()> {
    for (machine, archive, package) in MACHINES {
        let name = format!("bakeoff-{}-linux-{archive}", env!("CARGO_PKG_VERSION"));
        let work = folder.join("work").join(&name);
        let package_root = folder.join("work").join(package);
        std::fs::create_dir_all(&work)?;
        std::fs::create_dir_all(package_root.join("usr/bin"))?;
        match programs.get(archive) {
            Some(program) if archive == std::env::consts::ARCH => {
                let mut strip = Command::new("strip");
                tool::run(strip.arg("-o").arg(work.join("bakeoff")).arg(program))?;
            }
            Some(program) => drop(std::fs::copy(program, work.join("bakeoff"))?),
            None => std::fs::write(work.join("bakeoff"), format!("#!/bin/sh\necho {machine}\n"))?,
        }
        std::fs::copy(work.join("bakeoff"), package_root.join("usr/bin/bakeoff"))?;
        let mut tar = Command::new("tar");
        tar.args(["--create", "--use-compress-program=xz -0", "--file"]);
        tar.arg(folder.join(format!("{name}.tar.xz"))).arg("--directory");
        tool::run(tar.arg(folder.join("work")).arg(&name))?;
        pack(folder, &package_root, package)?;
    }
    let mut sums = Command::new("sh");
    sums.args(["-c", "sha256sum -- *.tar.xz *.deb >SHA256SUMS"]).current_dir(folder);
    tool::run(&mut sums)
}

/// Packs a folder as the Debian package whose name ends so.
fn pack(folder: &Path, package_root: &Path, end: &str) -> Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let (suffix, architecture) = end.split_once('_').context("an end without architecture")?;
    std::fs::create_dir_all(package_root.join("DEBIAN"))?;
    let control = format!(
        "Package: bakeoff\nVersion: {version}{suffix}\nArchitecture: {architecture}\nMaintainer: \
         bakeoff <bakeoff@bakeoff.example>\nDescription: Program under test\n"
    );
    std::fs::write(package_root.join("DEBIAN/control"), control)?;
    let mut pack = Command::new("dpkg-deb");
    pack.args(["--build", "--root-owner-group", "-Zxz", "-z0"]).arg(package_root);
    tool::run(pack.arg(folder.join(format!("bakeoff_{version}{end}.deb"))))
}
