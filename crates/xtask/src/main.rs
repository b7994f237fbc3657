//! Tasks for developers, run as `cargo xtask NAME`: what the Makefile calls.
//!
//! Not part of the product: nothing here is built into `bakeoff`.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;

mod dependencies;
mod dist;
mod features;
mod junit;
mod prose;
mod release;
mod testing;
mod tidy;
mod tool;

/// Tasks for developers
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
enum Task {
    /// Check the house rules
    Tidy,
    /// Check the spelling, the style of the docs, and Python
    Prose,
    /// Check that dependencies are used, and their licences and sources
    Dependencies,
    /// Print every text that a user can see
    Words,
    /// Run the quick checks: format, lints, house rules and unit tests
    Check,
    /// Run all tests, including the browser and fuzzing
    Test,
    /// Build static binaries for other machines
    Dist(dist::Options),
    /// Build all files of a release without publishing them
    Release(release::Options),
    /// Build the archive and the Debian package of the program under test
    Packages,
    /// Create a signed apt repository of a release's packages
    Repository {
        /// Folder of the repository
        folder: PathBuf,
        /// Name, address or fingerprint of the key that signs
        key: String,
    },
    /// Check the program without optional parts and with each alone, with clippy
    Features,
    /// Check that the program compiles for 32-bit ARM
    Narrow,
    /// Check the workflow files for a public forge with actionlint
    Workflows,
    /// Build this machine's static program, and check it under valgrind
    Plain,
    /// Run every fuzz target
    Fuzz {
        /// How long each target runs
        #[arg(default_value_t = 30)]
        seconds: u32,
    },
}

fn main() -> ExitCode {
    match root().and_then(|root| run(&root, Task::parse())) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Does the task; `false` when it ran and found something wrong.
fn run(root: &Path, task: Task) -> Result<bool> {
    match task {
        Task::Tidy => tidy::run(root),
        Task::Prose => prose::check(root),
        Task::Dependencies => dependencies::check(root),
        Task::Words => tidy::words(root),
        Task::Check => testing::check(root),
        Task::Test => testing::test(root),
        Task::Fuzz { seconds } => testing::fuzz(root, seconds),
        Task::Dist(options) => dist::dist(root, &options),
        Task::Release(options) => release::release(root, &options),
        Task::Packages => release::check::check(root),
        Task::Features => features::check(root),
        Task::Narrow => dist::check_narrow(root),
        Task::Workflows => release::workflows::check(root),
        Task::Repository { folder, key } => release::repository(&folder, &key),
        Task::Plain => dist::plain::check(root),
    }
}

/// The top of the repository, from where this crate was built.
fn root() -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).map(Path::to_path_buf).context("xtask lies two folders below the top")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Task::command().debug_assert();
    }
}
