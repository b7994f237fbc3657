//! The command line of stored runs: finding, naming and following them.

use std::path::PathBuf;

use bakeoff_judge::history::since::Since;
use bakeoff_model::difference::Factor;

use super::parse_name;

#[derive(Debug, clap::Args)]
pub struct Runs {
    /// Only runs on this drive: part of its vendor, model or serial number
    #[arg(long, value_name = "TEXT")]
    pub drive: Option<String>,
    /// Only runs of this machine: part of its host name or model
    #[arg(long, value_name = "TEXT")]
    pub host: Option<String>,
    /// Only runs of this plan: part of its name or title
    #[arg(long, value_name = "TEXT")]
    pub plan: Option<String>,
    /// Only runs that began then or later: a date (UTC), or a time span such as 12h, 7d or 4w
    #[arg(long, value_name = "WHEN", value_parser = Since::parse)]
    pub since: Option<Since>,
    /// Only runs with this text in their label
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,
    /// Include runs that failed before they measured anything
    #[arg(long)]
    pub all: bool,
    /// List at most this many runs, the latest first; 0 lists all (default: 100 in text and
    /// Markdown, all in JSON and CSV)
    #[arg(long, value_name = "N")]
    pub limit: Option<u32>,
    #[command(subcommand)]
    pub action: Option<RunsAction>,
}

impl Runs {
    /// Whether an option says which runs to list.
    pub fn is_chosen(&self) -> bool {
        let words = [&self.drive, &self.host, &self.plan, &self.label];
        let is_limited = self.since.is_some() || self.all || self.limit.is_some();
        is_limited || words.into_iter().any(Option::is_some)
    }
}

#[derive(Debug, clap::Subcommand)]
pub enum RunsAction {
    /// Label a stored run
    Label(LabelArgs),
    /// Remove a stored run
    Rm(OneRun),
    /// Show how the speed of a drive changed over its stored runs
    Trend(TrendArgs),
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

#[derive(Debug, clap::Args)]
pub struct TrendArgs {
    /// Part of the vendor, model or serial number of a drive, or its path, such as /dev/sda
    pub drive: String,
    /// Only runs that began then or later: a date (UTC), or a time span such as 12h, 7d or 4w
    #[arg(long, value_name = "WHEN", value_parser = Since::parse)]
    pub since: Option<Since>,
    /// Factor that may differ between joined runs: host, device, kernel or time
    #[arg(long, value_name = "FACTOR", value_parser = parse_name::<Factor>)]
    pub across: Option<Factor>,
    /// File with pasted runs, to show those of the same drive model (repeatable)
    #[arg(long, value_name = "FILE")]
    pub with: Vec<PathBuf>,
}
