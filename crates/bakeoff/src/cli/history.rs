//! The command line of stored runs: finding, naming and pushing them.

use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Runs {
    /// List only runs with this text in their title, label, plan, drive, host name or board, or
    /// at the start of their ID
    pub text: Option<String>,
    #[command(subcommand)]
    pub action: Option<RunsAction>,
}

#[derive(Debug, clap::Subcommand)]
pub enum RunsAction {
    /// Add runs that were exported as bundles
    Add(AddArgs),
    /// Label a stored run
    Label(LabelArgs),
    /// Remove a stored run
    Rm(OneRun),
    /// Push finished runs to a PostgreSQL server, with psql
    Push(Push),
}

#[derive(Debug, clap::Args)]
pub struct Push {
    /// The server: postgresql://USER@HOST/DATABASE, with the password in ~/.pgpass
    pub address: PathBuf,
    /// Starts of run IDs, or `last` (default: all finished runs that were measured here)
    #[arg(value_name = "RUN")]
    pub runs: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub struct AddArgs {
    /// Bundles of `bakeoff show -o FILE.bundle`; `-` is stdin
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<OsString>,
}

#[derive(Debug, clap::Args)]
pub struct OneRun {
    /// Start of a run ID, or `last`
    pub run: String,
}

#[derive(Debug, clap::Args)]
pub struct LabelArgs {
    /// Start of a run ID, or `last`
    pub run: String,
    /// The label; it is listed and exported with the run
    #[arg(required_unless_present = "remove")]
    pub text: Option<String>,
    /// Remove the label
    #[arg(long, conflicts_with = "text")]
    pub remove: bool,
}
