//! How well forecasts hold: what `cargo xtask bench --forecasts` does.
//!
//! Every built-in plan runs on a loop device of each speed, for a short time. What the run said
//! before its first block (setting up, and each block, in time and bytes) is compared with what
//! happened by its last complete block: time by its own clock, bytes by the drive's counter.
//! Nothing here passes or fails.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use bakeoff_core::plan::BUILT_IN;

use super::machine;
use crate::page;
use crate::tool;
use drive::{Drive, SPEEDS};
use measured::Forecast;

mod drive;
mod measured;
mod section;

/// What was asked for.
#[derive(clap::Args)]
pub struct Options {
    /// Time limit of each run in seconds (default: that of the drive)
    #[arg(long = "time")]
    time_s: Option<u64>,
    /// One of the built-in plans (default: all); writes no page
    #[arg(long)]
    plan: Option<String>,
    /// Speed of the drive: card, usb or free (default: all); writes no page
    #[arg(long)]
    speed: Option<String>,
    /// Mode of the runs
    #[arg(long, default_value = "quick")]
    mode: String,
    /// Directory for the image of the drive
    #[arg(long, default_value_os_t = tool::target())]
    dir: PathBuf,
    /// Program to measure with
    #[arg(long, default_value_os_t = tool::target().join("release/bakeoff"))]
    binary: PathBuf,
}

/// Runs everything and writes the table.
pub fn bench(root: &Path, options: &Options) -> Result<bool> {
    let bakeoff = &options.binary;
    ensure!(bakeoff.exists(), "{} is not built: run `make build`", bakeoff.display());
    let is_wanted = |asked: &Option<String>, name: &str| asked.as_deref().is_none_or(|a| a == name);
    let mut all: Vec<(&str, &str, Result<Forecast>)> = Vec::new();
    for speed in SPEEDS.iter().filter(|speed| is_wanted(&options.speed, speed.name)) {
        for plan in
            BUILT_IN.iter().map(|plan| plan.name).filter(|plan| is_wanted(&options.plan, plan))
        {
            let drive = Drive::make(&options.dir, speed)?;
            let time_s = options.time_s.unwrap_or(speed.time_s);
            let forecast = measured::run(bakeoff, plan, &options.mode, time_s, &drive);
            match &forecast {
                Ok(forecast) => eprintln!("{plan} on {}: {}", speed.name, forecast.line()),
                Err(error) => eprintln!("{plan} on {}: {error:#}", speed.name),
            }
            all.push((plan, speed.name, forecast));
        }
    }
    let section = section::section(&machine::describe(&options.dir)?, &all);
    match (&options.plan, &options.speed) {
        (None, None) => page::write(&root.join("docs/plans.md"), "forecasts", &section)?,
        _ => print!("{section}"),
    }
    Ok(true)
}
