//! Tasks for developers, run as `cargo xtask NAME`: what the Makefile calls.
//!
//! Not part of the product: nothing here is built into `bakeoff`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

mod alarms;
mod bench;
mod dist;
mod fleet;
mod install;
mod prose;
mod release;
mod testing;
mod tidy;
mod tool;
mod truth;
mod vm;

const HELP: &str = "usage: cargo xtask NAME

  tidy            check the house rules
  prose       \
                    check the spelling, and the style of the docs
  words           print every \
                    text that a user can see
  check           run the quick checks: format, \
                    lints, house rules and unit tests
  test            run all tests, including \
                    the browser and fuzzing
  bench           compare with fio (--help)
  \
                    bench-truth     test decisions and causes against known truth; rewrites parts \
                    of docs (--help)
  test-vm         test the program on emulated machines \
                    (--help)
  dist            build static binaries for other machines (--help)
  \
                    release         build all files of a release without publishing them (--help)
 \
                    packages        build the archive and the Debian package of the program under \
                    test
  repository FOLDER KEY   create a signed apt repository of a release's \
                    packages
  test-install    install a release on clean systems; rewrites part \
                    of docs/install.md (--help)
  test-fleet      test the Ansible collection \
                    over SSH (--help)
  features        check every combination of the \
                    optional parts with clippy
  workflows       check the workflow files for a \
                    public forge with actionlint
  plain           build this machine's static \
                    program, and check it under valgrind
  fuzz [SECONDS]  run every fuzz target \
                    for this time (30)
";

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Does the task; `false` when it ran and found something wrong.
fn run(arguments: Vec<String>) -> Result<bool> {
    let root = root()?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["tidy"] => tidy::run(&root),
        ["prose"] => prose::check(&root),
        ["words"] => tidy::words(&root),
        ["check"] => testing::check(&root),
        ["test"] => testing::test(&root),
        ["fuzz"] => testing::fuzz(&root, 30),
        ["fuzz", seconds] => {
            let seconds = seconds.parse().with_context(|| format!("not a number: {seconds}"))?;
            testing::fuzz(&root, seconds)
        }
        ["dist", rest @ ..] => dist::dist(&root, rest),
        ["release", rest @ ..] => release::release(&root, rest),
        ["packages"] => release::check::check(&root),
        ["features"] => release::features::check(&root),
        ["workflows"] => release::workflows::check(&root),
        ["repository", folder, key] => release::repository(&root, folder, key),
        ["test-install", rest @ ..] => install::test(&root, rest),
        ["test-fleet", rest @ ..] => fleet::test(&root, rest),
        ["plain"] => dist::plain::check(&root),
        ["test-vm", rest @ ..] => vm::test(&root, rest),
        ["bench", rest @ ..] => bench::bench(&root, rest),
        ["bench-truth", rest @ ..] => truth::bench(&root, rest),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(true)
        }
        _ => bail!("no such task: {}\n\n{HELP}", arguments.join(" ")),
    }
}

/// The top of the repository, from where this crate was built.
fn root() -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).map(Path::to_path_buf).context("xtask lies two folders below the top")
}
