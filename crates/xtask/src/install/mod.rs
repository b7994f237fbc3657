//! The files of a release on clean systems: `cargo xtask test-install [--test] [CASE…]`. Its table
//! goes into docs/install.md.
//!
//! Needs root, for the namespaces that the systems are run in. Installs nothing on this machine.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

mod case;
mod list;
mod outcomes;
mod page;
mod system;

use crate::release::{self, repository};
use crate::tally::Tally;
use crate::tool;
use case::{Case, Outcome, Places};
use outcomes::Outcomes;

/// Installs the files of `cargo xtask release` on clean systems, runs bakeoff there, removes it,
/// and checks that nothing is left. After every case has passed with the same files, rewrites the
/// table in docs/install.md. The systems are created once, in target/systems.
#[derive(clap::Args)]
pub struct Options {
    /// Install the files of `cargo xtask release --test`
    #[arg(long)]
    test: bool,
    /// List the cases
    #[arg(long)]
    list: bool,
    /// Start of the name of a case (default: all cases)
    #[arg(value_name = "CASE")]
    names: Vec<String>,
}

/// The command.
pub fn test(root: &Path, options: &Options) -> Result<bool> {
    let Options { test: is_test, list, names } = options;
    if *list {
        list::CASES.iter().for_each(|case| println!("{}", case.name));
        return Ok(true);
    }
    tool::require_root("clean systems need namespaces")?;
    let is_named =
        |case: &&Case| names.is_empty() || names.iter().any(|name| case.name.starts_with(name));
    let cases: Vec<&Case> = list::CASES.iter().filter(is_named).collect();
    ensure!(!cases.is_empty(), "no case is called {}", names.join(" or "));
    let files = tool::target().join(if *is_test { release::TEST_FILES } else { release::FILES });
    let folder = tool::target().join("systems");
    std::fs::create_dir_all(&folder)?;
    prepare(&folder, &files)?;
    if names.is_empty() {
        lintian(&files)?;
    }
    let rust = tool::sysroot()?;
    let places = Places { root: root.to_owned(), folder, files, rust };
    let outcomes = Outcomes::open(&places.folder, &places.files)?;
    let mut tally = Tally::default();
    for case in cases {
        tally.run(case.name, || {
            let outcome = case.run(&places);
            outcomes.note(case, outcome.as_ref().ok())?;
            say(&outcome?);
            Ok(())
        });
    }
    if !*is_test {
        match outcomes.all() {
            (rows, missing) if missing.is_empty() => page::write(root, &places.files, &rows)?,
            (_, missing) => println!("no table yet, for want of {}", missing.join(", ")),
        }
    }
    Ok(tally.end())
}

fn say(outcome: &Outcome) {
    println!("{} kB installed: {}", outcome.size_kb, outcome.ran);
    outcome.said.lines().for_each(|line| println!("it said: {line}"));
}

/// Puts an apt repository beside the files, signed by a key that nobody keeps.
fn prepare(folder: &Path, files: &Path) -> Result<()> {
    if !files.exists() {
        bail!("there is no {}: run `cargo xtask release` first", files.display());
    }
    let apt = files.join("apt");
    tool::renew(&apt)?;
    let home = folder.join("gnupg");
    tool::renew(&home)?;
    tool::run(Command::new("chmod").arg("700").arg(&home))?;
    let name = "A key of bakeoff's tests <key@bakeoff.example>";
    let mut gpg = Command::new("gpg");
    gpg.arg("--homedir").arg(&home).args(["--batch", "--quiet", "--passphrase", ""]);
    tool::run(gpg.args(["--quick-generate-key", name, "ed25519", "sign", "never"]))
        .context("gpg is in Debian's gnupg")?;
    let key = repository::Key { name: "key@bakeoff.example", home: Some(PathBuf::from(&home)) };
    repository::build(&apt, files, &key)?;
    tool::run(Command::new("gpgconf").arg("--homedir").arg(&home).args(["--kill", "all"]))?;
    Ok(())
}

/// Debian's own check of its packages.
fn lintian(files: &Path) -> Result<()> {
    let mut lintian = Command::new("lintian");
    lintian.args(["--fail-on", "error,warning", "--allow-root", "--tag-display-limit", "0"]);
    lintian.args(tool::files_of(files, "deb")?);
    let said = tool::output(&mut lintian).context("lintian is in Debian's lintian")?;
    print!("{said}");
    Ok(())
}
