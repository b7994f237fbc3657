//! The command line: options and their help, without any action.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use bakeoff_model::difference::Factor;
use bakeoff_model::protocol::Mode;
use bakeoff_model::uses::DriveUse;
use bakeoff_model::wear::RankedBy;
use bakeoff_model::workload::DriverName;
use bakeoff_stats::phrases::{choices, did_you_mean};
use bakeoff_stats::units;
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use jiff::civil::Time;
use strum::VariantArray;

// For the example beside it, which reads this file by its path.
#[path = "cli/bench.rs"]
mod bench;
#[path = "cli/fio_words.rs"]
pub mod fio_words;
#[path = "cli/formats.rs"]
pub mod formats;
#[path = "cli/history.rs"]
pub mod history;
#[path = "cli/use_args.rs"]
mod use_args;

pub use bench::Bench;
use history::Runs;
pub use use_args::UseArgs;

/// Find which filesystem, encryption and I/O scheduler suit this drive on this board, and what
/// limits it
#[derive(Debug, Parser)]
#[command(name = "bakeoff", version, propagate_version = true, infer_subcommands = false)]
pub struct Args {
    #[command(flatten)]
    pub global: Global,
    /// With --version: also print the build target, the kernel and the database of stored runs
    #[arg(long, requires = "version")]
    pub verbose: bool,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Options that all commands accept.
#[derive(Clone, Debug, clap::Args)]
pub struct Global {
    /// Database of stored runs (default: $XDG_DATA_HOME/bakeoff/bakeoff.db), or the address of a
    /// PostgreSQL server (postgresql://USER@HOST/DATABASE)
    #[arg(long, global = true, value_name = "PATH")]
    pub store: Option<PathBuf>,
    /// Output format (see each command for supported formats)
    #[arg(long, global = true, value_enum)]
    pub format: Option<Format>,
    /// Print no progress on stderr
    #[arg(long, global = true)]
    pub quiet: bool,
    /// Seed for all random choices (default: from the system; stored with the run)
    #[arg(long, global = true, value_name = "N")]
    pub seed: Option<u64>,
}

/// Output formats of all commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Human-readable text
    Text,
    /// One JSON document
    Json,
    /// Comma-separated values
    Csv,
    /// Markdown
    Markdown,
    /// Metrics for the textfile collector of Prometheus (fit, show)
    Prometheus,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List drives, their contents and whether they are safe to erase; show what limits one
    Devices(DevicesArgs),
    /// Check the speed of a directory, or compare several (no root needed)
    Quick(Quick),
    /// Compare all filesystems available here on scratch images (needs root)
    Demo(Demo),
    /// Check whether a directory is fast enough for applications: etcd, PostgreSQL, cameras
    Fit(Fit),
    /// Show what a plan would do (cases, commands, time, bytes written) without running it
    Plan(PlanArgs),
    /// Run a plan on drives, partitions or images
    Run(Box<RunArgs>),
    /// Examine a drive: genuine, healthy, as fast as others? (only reads unless told to write)
    Probe(ProbeArgs),
    /// Measure one job with fio's option names
    Bench(Box<Bench>),
    /// Continue a run after a crash, a power cut or a limit
    Resume(Resume),
    /// Clean up after a run that crashed or was killed
    Clean(Clean),
    /// List, search, add, label or remove stored runs
    Runs(Runs),
    /// Show stored runs or figures in any text, or write runs as pages, tables or bundles (-o)
    Show(Show),
    /// Compare stored and pasted runs
    Compare(Compare),
    /// Show the activity of drives, CPUs, memory and threads, like iostat
    Watch(Watch),
    /// Serve the stored runs and the current run as web pages
    Serve(Serve),
}

/// What a comparison measures that has no plan, and what it may write.
#[derive(Clone, Debug, clap::Args)]
pub struct Chosen {
    /// Workload to measure (repeat the option, or separate names with commas)
    #[arg(long = "workload", value_name = "NAME", value_delimiter = ',')]
    pub workloads: Vec<String>,
    /// Maximum bytes to write (default: 1/8 of a card or stick, 1/20 of an SSD, any on hard disks)
    #[arg(long, value_parser = units::parse_size, value_name = "SIZE")]
    pub max_write: Option<u64>,
    /// What the drive is for: boot, data, nas, windows, database or scratch
    /// (default: data)
    #[arg(long = "for", value_name = "USE", value_parser = parse_name::<DriveUse>)]
    pub drive_use: Option<DriveUse>,
}

#[derive(Debug, Default, clap::Args)]
pub struct DevicesArgs {
    /// Drive (sda, /dev/sda or its by-id name): also show its link, marks, scheduler, wear and
    /// throttling, and what limits it (default: list all drives)
    #[arg(value_name = "DRIVE", value_parser = device_parser())]
    pub drive: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct Quick {
    /// Directory to measure, or directories to compare (default: the current one)
    #[arg(value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// Time limit, such as 90s or 5m (default: 60s for one directory, 3m for several)
    #[arg(long, value_parser = units::parse_duration_ns)]
    pub time: Option<u64>,
    /// Measure so many blocks of one directory, 3 to 99: more of them narrow the intervals of
    /// `compare` (default: 3)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3..=99))]
    pub blocks: Option<u32>,
    #[command(flatten)]
    pub chosen: Chosen,
    /// Size of the scratch file in each directory (default: depends on free space and speed)
    #[arg(long, value_parser = units::parse_size)]
    pub size: Option<u64>,
    /// Compare bakeoff itself with a tool: fio, sysbench, bonnie, iozone or dd (repeatable)
    #[arg(long = "tool", value_name = "NAME", value_parser = parse_tool)]
    pub tools: Vec<DriverName>,
    /// Write the result to this file too, in the format of its ending (see `show -o`); a page
    /// (.html) after each block
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub beside: BesideArgs,
}

#[derive(Debug, clap::Args)]
pub struct Demo {
    /// Time limit, such as 90s or 5m
    #[arg(long, value_parser = units::parse_duration_ns, default_value = "3m")]
    pub time: u64,
    #[command(flatten)]
    pub chosen: Chosen,
    /// Install the missing tools first, without asking
    #[arg(long)]
    pub install: bool,
    /// Write the result to this file too, in the format of its ending (see `show -o`); a page
    /// (.html) after each block (default: bakeoff-RUN.html in the current directory)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub beside: BesideArgs,
}

#[derive(Debug, clap::Args)]
pub struct Fit {
    /// Applications, or `all`, then the directory that their data is in (default: list the
    /// applications; the current directory)
    #[arg(value_name = "APP|DIR")]
    pub words: Vec<OsString>,
    /// TOML file with applications of your own, in the form of docs/fit.md
    #[arg(long, value_name = "FILE")]
    pub app: Option<PathBuf>,
    /// Judge also while this companion works: backup, logs or a workload
    #[arg(long, value_name = "NAME")]
    pub beside: Option<String>,
    /// Time to measure, such as 60s (default: 20s, or longer for several applications)
    #[arg(long, value_parser = units::parse_duration_ns)]
    pub time: Option<u64>,
}

#[derive(Debug, clap::Args)]
pub struct PlanArgs {
    /// TOML file, or name of a built-in plan (default: list the built-in plans)
    pub plan: Option<PathBuf>,
    /// Show every rule, every step and its undo
    #[arg(long)]
    pub commands: bool,
    /// Install the missing tools of the plan first, without asking
    #[arg(long, requires = "plan")]
    pub install: bool,
    #[command(flatten)]
    pub on: OnTargets,
}

/// Where and within which limits a plan runs.
#[derive(Debug, clap::Args)]
pub struct OnTargets {
    /// Drive, partition or image to run on (repeat it to compare devices)
    #[arg(long = "target", value_name = "PATH", value_parser = device_parser())]
    pub targets: Vec<PathBuf>,
    /// Precision: quick, decide or precise (default: that of the plan)
    #[arg(long, value_parser = parse_name::<Mode>)]
    pub mode: Option<Mode>,
    /// Time limit, such as 90s, 5m or 2h (default: that of the plan or the mode)
    #[arg(long, value_parser = units::parse_duration_ns)]
    pub time: Option<u64>,
    /// Maximum bytes to write (default: the capacity of a card or stick, a tenth of an SSD)
    #[arg(long, value_parser = units::parse_size, value_name = "SIZE")]
    pub max_write: Option<u64>,
    /// What the drive is for: boot, data, nas, windows, database or scratch
    /// (default: that of the plan, or data)
    #[arg(long = "for", value_name = "USE", value_parser = parse_name::<DriveUse>)]
    pub drive_use: Option<DriveUse>,
    #[command(flatten)]
    pub used: UseArgs,
    /// Allow writing to an unmounted partition of the system drive
    #[arg(long)]
    pub shares_disk_with_root: bool,
}

#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// TOML file, or name of a built-in plan (`bakeoff plan` lists them)
    pub plan: PathBuf,
    #[command(flatten)]
    pub on: OnTargets,
    /// Erase token of a target, as printed by `plan` and `devices` (repeatable)
    #[arg(long, value_name = "TOKEN")]
    pub erase: Vec<String>,
    /// Measure although the CPUs or the drive are busy, or something else prevents an answer
    #[arg(long)]
    pub anyway: bool,
    /// Install the missing tools of the plan first, without asking
    #[arg(long)]
    pub install: bool,
    /// Start at this time of day and keep the machine awake until the end
    #[arg(long, value_name = "HH:MM", value_parser = parse_time)]
    pub at: Option<Time>,
    /// Keep running after logout, in a session of its own
    #[arg(long)]
    pub detach: bool,
    /// Write the result to this file too, in the format of its ending (see `show -o`); a page
    /// (.html) after each block
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub beside: BesideArgs,
}

#[derive(Debug, clap::Args)]
pub struct ProbeArgs {
    /// Drive (sda or /dev/sda), partition or image
    #[arg(value_parser = device_parser())]
    pub target: PathBuf,
    /// Read everything that is on it once
    #[arg(long)]
    pub read_all: bool,
    /// Erase token, as printed by `devices`: also test its capacity, and a card's marks, with
    /// samples that are restored
    #[arg(long, value_name = "TOKEN")]
    pub erase: Vec<String>,
    /// Erase the drive: write every block and read it back
    #[arg(long)]
    pub full: bool,
    /// Test whether flushed writes survive a power cut: with --erase, write until you cut the
    /// power; afterwards, without it, check them
    #[arg(long, conflicts_with_all = ["full", "read_all"])]
    pub power_cut: bool,
}

#[derive(Debug, clap::Args)]
pub struct Resume {
    /// Start of a run ID, or `last`
    #[arg(default_value = "last")]
    pub run: String,
    /// Additional time (default: the remaining time)
    #[arg(long, value_parser = units::parse_duration_ns)]
    pub time: Option<u64>,
    /// Maximum bytes to write, including those already written (default: unchanged)
    #[arg(long, value_parser = units::parse_size, value_name = "SIZE")]
    pub max_write: Option<u64>,
    /// Erase token of a target that changed since the run was interrupted, as printed by `plan`
    /// and `devices` (repeatable)
    #[arg(long, value_name = "TOKEN")]
    pub erase: Vec<String>,
    /// Write the result to this file too, in the format of its ending (see `show -o`); a page
    /// (.html) after each block
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub beside: BesideArgs,
}

#[derive(Debug, clap::Args)]
pub struct Clean {
    /// Show and remove the record of a damaged run, without undoing its changes
    #[arg(long, value_name = "RUN")]
    pub force: Option<String>,
}

#[derive(Debug, Default, clap::Args)]
pub struct Show {
    /// Start of a run ID, `last`, a pasted line (bakeoff1:), or a file: output of fio, dd, ioping
    /// and other tools, or pasted runs (`-` is stdin)
    #[arg(value_name = "RUN|FILE", default_value = "last")]
    pub run: String,
    /// More files
    #[arg(value_name = "FILE")]
    pub more: Vec<String>,
    /// Print a block to paste into a forum or a mail, which `show` and `compare` read
    #[arg(long, conflicts_with_all = ["details", "output"])]
    pub paste: bool,
    /// Show all pairs, findings and measurement details
    #[arg(long)]
    pub details: bool,
    /// What the drive is for: boot, data, nas, windows, database or scratch
    /// (default: that of the run)
    #[arg(long = "for", value_name = "USE", value_parser = parse_name::<DriveUse>)]
    pub drive_use: Option<DriveUse>,
    /// Rank candidates by speed, or by wear: bytes that reached the drive for each byte written
    /// (default: speed)
    #[arg(long, value_name = "WHAT", value_parser = parse_name::<RankedBy>)]
    pub by: Option<RankedBy>,
    /// Write to this file, in the format of its ending: .html, .svg, .md, .json, .csv, .gp or
    /// .bundle (repeatable). A bundle is for others: it omits serial numbers, names and paths
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
}

impl Show {
    /// What is to be shown, in the order of the command line.
    pub fn words(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.run).chain(&self.more)
    }
}

#[derive(Debug, clap::Args)]
pub struct Compare {
    /// Starts of run IDs, `last`, labels, files with pasted runs, or pasted lines (bakeoff1:)
    #[arg(value_name = "RUN", default_value = "last")]
    pub runs: Vec<String>,
    /// Compare the last RUN with those before it: exit code 0 if no rate is slower by this much, 5
    /// if one is, 1 if that cannot be told
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub fail_if_slower: Option<f64>,
    /// Recommend for this use: boot, data, nas, windows, database or scratch
    #[arg(long = "for", value_name = "USE", value_parser = parse_name::<DriveUse>)]
    pub drive_use: Option<DriveUse>,
    /// Give the answer of each board, drive or kernel, and one for all: board, device or kernel;
    /// only that may differ between the runs (a board includes its kernel and drives)
    #[arg(long, value_name = "FACTOR", value_parser = parse_name::<Factor>)]
    pub across: Option<Factor>,
}

#[derive(Debug, clap::Args)]
pub struct Watch {
    /// Device (sda or /dev/sda), or a directory for the devices under it (default: all drives)
    #[arg(value_name = "DEVICE")]
    pub device: Option<PathBuf>,
    /// Sampling interval
    #[arg(long, value_parser = units::parse_duration_ns, default_value = "1s")]
    pub interval: u64,
    /// Duration (default: until Ctrl-C)
    #[arg(long, value_parser = units::parse_duration_ns)]
    pub time: Option<u64>,
    /// Count who writes how much to a drive (default: the drive of the root directory), and how
    /// long the drive lasts at that rate
    #[arg(long, conflicts_with_all = ["interval", "time"])]
    pub writes: bool,
    /// With --writes: total time, with the time before a restart (default: until Ctrl-C); 0 prints
    /// what was counted so far
    #[arg(long = "for", value_parser = units::parse_duration_ns, requires = "writes",
        value_name = "TIME")]
    pub total: Option<u64>,
}

/// Options that accompany a run.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct BesideArgs {
    /// Send the result as JSON to this http(s) URL, or to the standard input of this command
    #[arg(long, value_name = "URL|COMMAND")]
    pub notify: Option<String>,
}

#[derive(Debug, clap::Args)]
pub struct Serve {
    /// Address and port to listen on (on any address but a loopback one, everyone on the network
    /// can read the pages)
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8080")]
    pub listen: std::net::SocketAddr,
}

/// A path; the bare name of a drive is that of its device.
fn device_parser() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(|text| {
        let path = PathBuf::from(text);
        let is_bare = path.components().count() == 1 && !path.exists();
        let devices = ["/dev", "/dev/disk/by-id"].map(|folder| Path::new(folder).join(&path));
        let found = devices.into_iter().find(|device| is_bare && device.exists());
        found.unwrap_or(path)
    })
}

/// Finds the value of a name. The error suggests the nearest one.
pub fn parse_word<T: Copy>(text: &str, words: &[(&str, T)]) -> Result<T, String> {
    if let Some((_, value)) = words.iter().find(|(name, _)| *name == text) {
        return Ok(*value);
    }
    let names = words.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    Err(did_you_mean(text, &names))
}

/// A value of an enum by its name.
pub fn parse_name<T>(text: &str) -> Result<T, String>
where
    T: Copy + VariantArray + Into<&'static str>,
{
    parse_word(text, &choices())
}

/// `10%`, `10 %` or `10` as a fraction, more than 0 and less than 1.
fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>().ok();
    let fraction = number.map(|percent| percent / 100.0);
    let sound = fraction.filter(|f| *f > 0.0 && *f < 1.0);
    sound.ok_or_else(|| "write a percentage between 0 and 100, such as 10%".to_string())
}

fn parse_tool(text: &str) -> Result<DriverName, String> {
    let tools = choices::<DriverName>().into_iter().filter(|(_, name)| !name.is_native());
    parse_word(text, &tools.collect::<Vec<_>>())
}

fn parse_time(text: &str) -> Result<Time, String> {
    Time::strptime("%H:%M", text)
        .map_err(|_| "write the hour and minute, such as 23:30 or 00:00".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_model::extent::Extent;

    #[test]
    fn definitions_are_consistent() {
        formats::command().debug_assert();
    }

    #[test]
    fn every_help_text_is_readable_without_utf8() {
        let mut all = vec![formats::command()];
        all.extend(formats::command().get_subcommands().cloned());
        for mut command in all {
            let help = command.render_long_help().to_string();
            assert!(help.is_ascii(), "{help}");
        }
    }

    #[test]
    fn fio_spelling_and_hyphens_are_both_read() {
        for option in ["--io_size", "--io-size"] {
            let args = Args::try_parse_from(["bakeoff", "bench", "f", option, "4g", "--direct"]);
            let Ok(Args { command: Some(Command::Bench(bench)), .. }) = args else {
                panic!("{args:?}")
            };
            assert_eq!((bench.io_size, bench.direct), (Some(Extent::Bytes(4 << 30)), true));
        }
    }
}
