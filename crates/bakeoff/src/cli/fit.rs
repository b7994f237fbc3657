//! The options of `fit`.

use std::ffi::OsString;
use std::path::PathBuf;

use bakeoff_stats::units;

#[derive(Debug, clap::Args)]
pub struct Fit {
    /// Applications, or `all`, then the directory that their data is in (default: list the
    /// applications; the current directory)
    #[arg(value_name = "APP|DIR")]
    pub words: Vec<OsString>,
    /// TOML file with applications of your own, in the form of docs/fit.md
    #[arg(long, value_name = "FILE")]
    pub app: Option<PathBuf>,
    /// Judge also while this companion works: backup, download, image-pull, logs or a workload
    #[arg(long, value_name = "NAME")]
    pub beside: Option<String>,
    /// Time to measure, such as 60s (default: 20s, or longer for several applications)
    #[arg(long, value_parser = units::parse_duration_ns)]
    pub time: Option<u64>,
}
