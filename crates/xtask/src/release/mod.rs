//! Everything that a release needs, made by one command and published by none:
//! `cargo xtask release [--test | --again] [ARCH…]`, and `cargo xtask repository FOLDER KEY`.
//!
//! Each binary is built once (`dist`) and goes unchanged into an archive, a Debian package and a
//! wheel. What is made depends on the commit alone: same commit and compilers, same bytes.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::Result;

mod again;
mod archive;
pub mod check;
mod collection;
mod components;
mod deb;
mod facts;
mod papers;
pub mod repository;
mod source;
mod wheel;
pub mod workflows;

use crate::dist::{self, Profile};
use crate::{features, tool};
use facts::Facts;

/// Where the files of a release are, below `target`.
pub const FILES: &str = "release-files";
/// The same, of the binaries for tests.
pub const TEST_FILES: &str = "release-test";

/// Builds all files of a release in target/release-files: for each ARCH an archive, a Debian
/// package and a wheel; then the sources, the Ansible collection, the SBOM, the release notes and
/// SHA256SUMS. Publishes nothing.
#[derive(clap::Args)]
pub struct Options {
    /// Use binaries that build faster, in target/release-test
    #[arg(long)]
    test: bool,
    /// Build the commit again in another folder, and compare every file
    #[arg(long, conflicts_with = "test")]
    again: bool,
    /// Machines to build for: x86_64, aarch64, armv7, armv6 (default: all of them)
    #[arg(value_name = "ARCH")]
    names: Vec<String>,
}

/// The command.
pub fn release(root: &Path, options: &Options) -> Result<bool> {
    let Options { test: is_test, again, names } = options;
    if *again {
        return again::again(root, names);
    }
    if !*is_test {
        features::check(root)?;
    }
    let profile = if *is_test { Profile::Test } else { Profile::Release };
    let built = dist::all(root, profile, names)?;
    let (folder, level) = if *is_test { (TEST_FILES, 0) } else { (FILES, 9) };
    let facts = Facts::gather(root, folder, level)?;
    manual(root)?;
    let parts = components::gather(root)?;
    let notices = papers::notices(&parts)?;
    for (binary, machine) in &built {
        let started = Instant::now();
        for file in [
            archive::build(&facts, machine, binary, &notices)?,
            deb::build(&facts, machine, binary, &notices)?,
            wheel::build(&facts, machine, binary, &notices)?,
        ] {
            say(&file, started)?;
        }
    }
    let started = Instant::now();
    say(&source::archive(&facts)?, started)?;
    for file in source::crates(&facts)? {
        say(&file, started)?;
    }
    say(&collection::build(&facts)?, started)?;
    let changes = std::fs::read_to_string(root.join("CHANGELOG.md"))?;
    let write = |name: &str, text: String| std::fs::write(facts.out.join(name), text);
    write(&format!("bakeoff-{}.cdx.json", facts.version), papers::bom(&facts, &parts)?)?;
    write("RELEASE-NOTES.md", papers::release_notes(&facts, &changes)?)?;
    papers::sums(&facts.out)?;
    Ok(true)
}

/// Puts the packages of the release into an apt repository.
pub fn repository(folder: &Path, key: &str) -> Result<bool> {
    let signer = repository::Key { name: key, home: None };
    repository::build(folder, &tool::target().join(FILES), &signer)?;
    println!("{} has the packages, signed by {key}", folder.display());
    Ok(true)
}

/// The man pages and completions, from the definitions that parse.
fn manual(root: &Path) -> Result<()> {
    let mut make = Command::new("make");
    tool::run(make.current_dir(root).args(["--no-print-directory", "manual"]))
}

fn say(file: &Path, started: Instant) -> Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let size_bytes = std::fs::metadata(file)?.len();
    println!("{name:<96} {size_bytes:>9} bytes {:>4} s", started.elapsed().as_secs());
    Ok(())
}
