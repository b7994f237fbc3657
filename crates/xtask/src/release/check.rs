//! The archive and the Debian package of the program under test (`dist::plain`), as a part of every
//! test run: their contents, and that the archive installs, refuses and removes. What takes other
//! systems is in `make test-install`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};

use super::facts::Facts;
use super::{archive, components, deb, manual, papers};
use crate::dist::{self, plain};
use crate::tool;

/// What a package of ours has to contain, wherever it is installed.
const CONTENTS: [&str; 9] = [
    "./usr/bin/bakeoff",
    "./usr/share/bash-completion/completions/bakeoff",
    "./usr/share/doc/bakeoff/THIRD-PARTY.txt.gz",
    "./usr/share/doc/bakeoff/changelog.gz",
    "./usr/share/doc/bakeoff/copyright",
    "./usr/share/doc-base/bakeoff.manual",
    "./usr/share/fish/vendor_completions.d/bakeoff.fish",
    "./usr/share/man/man1/bakeoff-quick.1.gz",
    "./usr/share/zsh/vendor-completions/_bakeoff",
];

/// Makes and checks them.
pub fn check(root: &Path) -> Result<bool> {
    let binary = plain::binary();
    let facts = Facts::gather(root, "release-check", 0)?;
    manual(root)?;
    let parts = components::gather(root)?;
    let notices = papers::notices(&parts)?;
    let bom: serde_json::Value = serde_json::from_str(&papers::bom(&facts, &parts)?)?;
    let listed = bom["components"].as_array().map_or(0, Vec::len);
    ensure!(listed == parts.len() && listed > 50, "{listed} components of {}", parts.len());
    let machine = |name| dist::machine(name).with_context(|| format!("no machine {name}"));
    let native = machine(std::env::consts::ARCH)?;
    let package = deb::build(&facts, native, &binary, &notices)?;
    let contents = tool::output(Command::new("dpkg-deb").arg("--contents").arg(&package))?;
    for name in CONTENTS {
        let is_there = contents.lines().any(|line| line.ends_with(&format!(" {name}")));
        ensure!(is_there, "{} has no {name}:\n{contents}", package.display());
    }
    let first = std::fs::read(&package)?;
    ensure!(
        std::fs::read(deb::build(&facts, native, &binary, &notices)?)? == first,
        "packed twice, {} is not the same bytes",
        package.display()
    );
    installs(&facts, &archive::build(&facts, native, &binary, &notices)?)?;
    refuses(&facts, &archive::build(&facts, machine("armv6")?, &binary, &notices)?)?;
    ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"]
        .iter()
        .try_for_each(|variable| installs_from_elsewhere(&facts, &binary, variable))?;
    println!("an archive and a Debian package of {listed} components");
    Ok(true)
}

/// Installs from the archive, starts what was installed, and removes it.
fn installs(facts: &Facts, archive: &Path) -> Result<()> {
    let (script, prefix) = unpacked(facts, archive)?;
    let done = run(&script, &[], &prefix)?;
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let version = tool::output(Command::new(prefix.join("bin/bakeoff")).arg("--version"))?;
    ensure!(version.trim() == format!("bakeoff {}", facts.version), "{version}");
    let done = run(&script, &["--uninstall"], &prefix)?;
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let left: Vec<_> = std::fs::read_dir(&prefix)?.collect();
    ensure!(left.is_empty(), "left: {left:?}");
    Ok(())
}

/// `make install` said that there was no target/release/bakeoff where cargo was told to build
/// elsewhere.
fn installs_from_elsewhere(facts: &Facts, binary: &Path, variable: &str) -> Result<()> {
    let target = facts.work.join(variable);
    tool::copy(binary, &target.join("release/bakeoff"))?;
    let manual = tool::target().join("manual");
    tool::run(Command::new("cp").arg("-a").arg(manual).arg(&target))?;
    let tree = target.join("tree");
    let mut make = Command::new("make");
    make.current_dir(&facts.root).env_remove("CARGO_TARGET_DIR").env(variable, &target);
    make.args(["--no-print-directory", "install"]).arg(format!("DESTDIR={}", tree.display()));
    tool::run(&mut make)?;
    tool::output(Command::new(tree.join("usr/local/bin/bakeoff")).arg("--version")).map(drop)
}

/// The archive of another machine says so in one line and installs nothing.
fn refuses(facts: &Facts, archive: &Path) -> Result<()> {
    let (script, prefix) = unpacked(facts, archive)?;
    let done = run(&script, &[], &prefix)?;
    let said = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.code() == Some(4), "{}: {said}", done.status);
    ensure!(said.contains("this archive is for armv6") && said.lines().count() == 1, "{said}");
    ensure!(!prefix.exists(), "something is in {}", prefix.display());
    Ok(())
}

/// The script of an archive, unpacked, and a place to install into.
fn unpacked(facts: &Facts, archive: &Path) -> Result<(PathBuf, PathBuf)> {
    let folder = facts.work.join("unpacked");
    tool::renew(&folder)?;
    tool::run(Command::new("tar").arg("-xJf").arg(archive).arg("-C").arg(&folder))?;
    let top = std::fs::read_dir(&folder)?.next().context("the archive is empty")??.path();
    Ok((top.join("install.sh"), folder.join("prefix")))
}

fn run(script: &Path, words: &[&str], prefix: &Path) -> Result<Output> {
    let mut command = Command::new(script);
    command.args(words).arg(prefix).output().context("cannot run install.sh")
}
