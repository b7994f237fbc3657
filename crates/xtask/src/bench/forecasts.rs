//! How well forecasts hold: what `cargo xtask bench --forecasts` does.
//!
//! Every built-in plan runs on a loop device of each speed, for a short time. What the run said
//! before its first block (setting up, and each block, in time and bytes) is compared with what
//! happened by its last complete block: time by its own clock, bytes by the drive's counter.
//! Nothing here passes or fails.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::machine;
use drive::{Drive, SPEEDS};
use measured::Forecast;

mod drive;
mod measured;
mod section;

const PLANS: [&str; 7] = [
    "mountpoints",
    "usb-stick",
    "journal-scheduler",
    "luks-btrfs",
    "block-size-sweep",
    "sd-card",
    "nas",
];

const HELP: &str = "usage: cargo xtask bench --forecasts [--time SECONDS] [--plan NAME] [--speed \
                    NAME] …

  --time      time limit of each run (default: that of the drive)
  \
                    --plan      one of the built-in plans (all)
  --speed     one of card, usb, \
                    free (all)
  --mode      mode of the runs (quick)
  --dir       directory for \
                    the image of the drive (target)
  --out       page for the table \
                    (docs/plans.md); none with --plan or --speed
  --binary    program to measure \
                    with (target/release/bakeoff)
";

/// What was asked for.
struct Options {
    time_s: Option<u64>,
    plan: Option<String>,
    speed: Option<String>,
    mode: String,
    dir: PathBuf,
    out: PathBuf,
    binary: PathBuf,
}

impl Options {
    fn parse(root: &Path, arguments: &[&str]) -> Result<Options> {
        let mut options = Options {
            time_s: None,
            plan: None,
            speed: None,
            mode: "quick".to_owned(),
            dir: root.join("target"),
            out: root.join("docs/plans.md"),
            binary: root.join("target/release/bakeoff"),
        };
        let mut arguments = arguments.iter();
        while let Some(name) = arguments.next() {
            let value = arguments.next().with_context(|| format!("{name} wants a value\n\n{HELP}"));
            match *name {
                "--time" => options.time_s = Some(value?.parse().context("--time is a number")?),
                "--plan" => options.plan = Some((*value?).to_owned()),
                "--speed" => options.speed = Some((*value?).to_owned()),
                "--mode" => options.mode = (*value?).to_owned(),
                "--dir" => options.dir = value?.into(),
                "--out" => options.out = value?.into(),
                "--binary" => options.binary = value?.into(),
                "--help" => bail!("{HELP}"),
                _ => bail!("no such option: {name}\n\n{HELP}"),
            }
        }
        Ok(options)
    }
}

/// Runs everything and writes the table.
pub fn bench(root: &Path, arguments: &[&str]) -> Result<bool> {
    let options = Options::parse(root, arguments)?;
    let bakeoff = &options.binary;
    ensure!(bakeoff.exists(), "{} is not built: run `make build`", bakeoff.display());
    let is_wanted = |asked: &Option<String>, name: &str| asked.as_deref().is_none_or(|a| a == name);
    let mut all: Vec<(&str, &str, Result<Forecast>)> = Vec::new();
    for speed in SPEEDS.iter().filter(|speed| is_wanted(&options.speed, speed.name)) {
        for plan in PLANS.into_iter().filter(|plan| is_wanted(&options.plan, plan)) {
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
    print!("{section}");
    if options.plan.is_none() && options.speed.is_none() {
        section::write(&options.out, &section)?;
    }
    Ok(true)
}
