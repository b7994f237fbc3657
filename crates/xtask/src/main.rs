//! Tasks for developers, run as `cargo xtask NAME`: what the Makefile calls.
//!
//! Not part of the product: nothing here is built into `bakeoff`.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use clap::Parser;

mod junit;
mod testing;
mod tool;

/// Tasks for developers
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
enum Task {
    /// Check the house rules (scripts/tidy.py)
    Tidy,
    /// Check the spelling, the style of the docs, and Python
    Prose,
    /// Check that dependencies are used, and their licences and sources
    Dependencies,
    /// Run the quick checks: format, lints, house rules and unit tests
    Check,
    /// Run all tests, including the browser and fuzzing
    Test,
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
        Task::Tidy => script(root, &["scripts/tidy.py"]),
        Task::Prose => script(root, &["scripts/others.py", "prose"]),
        Task::Dependencies => script(root, &["scripts/others.py", "dependencies"]),
        Task::Check => testing::check(root),
        Task::Test => testing::test(root),
        Task::Fuzz { seconds } => testing::fuzz(root, seconds),
    }
}

fn script(root: &Path, words: &[&str]) -> Result<bool> {
    let mut python = Command::new("python3");
    let status = python.args(words).current_dir(root).status();
    Ok(status.context("cannot run python3")?.success())
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
