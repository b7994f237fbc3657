//! The command line as typed: options, their help, and nothing that acts.

use std::ffi::OsString;
use std::path::PathBuf;

use bakeoff_core::compare::factor::Factor;
use bakeoff_core::import::columns::Columns;
use bakeoff_core::model::job::{Data, EngineName, Mem, Offsets, RateProcess, Rw, Stamps};
use bakeoff_core::model::protocol::Mode;
use bakeoff_core::model::workload::DriverName;
use bakeoff_core::units;
use bakeoff_core::words::did_you_mean;
use clap::{Parser, Subcommand, ValueEnum};
use jiff::civil::Time;

/// Which filesystem, encryption and I/O scheduler suit this drive on this board, and what is
/// holding it back?
#[derive(Debug, Parser)]
#[command(name = "bakeoff", version, propagate_version = true, infer_subcommands = false)]
pub struct Args {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Options of every command.
#[derive(Clone, Debug, clap::Args)]
pub struct Global {
    /// Where runs are kept (default: $XDG_DATA_HOME/bakeoff/bakeoff.db)
    #[arg(long, global = true, value_name = "PATH")]
    pub store: Option<PathBuf>,
    /// What to print on stdout; which of them a command knows, it says
    #[arg(long, global = true, value_enum)]
    pub format: Option<Format>,
    /// No progress on stderr
    #[arg(long, global = true)]
    pub quiet: bool,
    /// Seed of every random choice (default: from the system, recorded with the run)
    #[arg(long, global = true, value_name = "N")]
    pub seed: Option<u64>,
}

/// Output formats, all commands together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// One JSON document
    Json,
    /// Comma-separated values
    Csv,
    /// A block to paste
    Markdown,
    /// The run's events, one a line
    Jsonl,
    /// Everything, to import elsewhere
    Bundle,
    /// As fio prints it, for programs that read that
    FioJson,
    /// A script for gnuplot with its data
    Gnuplot,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Drives: what they are, what is on them, whether they are safe to erase
    Devices,
    /// Compare the places behind directories, without root and without destroying anything
    Quick(Quick),
    /// Bake-off of every filesystem available here, on one scratch image (needs root)
    Demo(Demo),
    /// Show what a plan comes to: cases, visits, commands, time, bytes; changes nothing
    Plan(Plan),
    /// Compare what a plan names, on disks, partitions or images
    Run(Box<Run>),
    /// Is the capacity of a drive real? Overwrites samples of it and puts them back
    Probe(Probe),
    /// Measure one case, in fio's words
    Bench(Box<Bench>),
    /// Compare the real tools with bakeoff's own engine, in turns on the same file
    Agree(Agree),
    /// Go on with a run after a crash, a power cut or its time limit
    Resume(Resume),
    /// Undo what a dead run left behind
    Clean(Clean),
    /// List stored runs
    Runs,
    /// Show a stored run
    Show(Show),
    /// Put stored runs beside each other, or a published study beside a run
    Compare(Compare),
    /// Remove a stored run
    Rm(OneRun),
    /// Write an HTML report of stored runs
    Report(Report),
    /// Write a run as json, csv, jsonl, bundle, fio-json or gnuplot
    Export(Export),
    /// The rules, and what they say about a plan, a run or results of other tools
    Lint(Lint),
    /// Try the decisions themselves against disks of known truth
    Simulate(Simulate),
    /// Is this machine and place fit to measure on, and what is it?
    Check(Check),
    /// What disks, CPUs, memory and threads do, live, in the figures of iostat
    Watch(Watch),
    /// Read results of dd, sysbench, bonnie++, iozone and fio out of any text, and bundles
    Import(Import),
}

#[derive(Debug, clap::Args)]
pub struct Quick {
    /// Directories to compare (default: the current one)
    #[arg(value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// Time for everything, as 90s or 5m
    #[arg(long, value_parser = units::parse_duration_ns, default_value = "3m")]
    pub time: u64,
    /// Workloads to measure (repeat the option, or names with commas between)
    #[arg(long = "workload", value_name = "NAME", value_delimiter = ',')]
    pub workloads: Vec<String>,
    /// Size of the scratch file in each directory (default: by free space and speed)
    #[arg(long, value_parser = units::parse_size)]
    pub size: Option<u64>,
    /// Write the HTML report there
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Most bytes to write (default: 2 GiB or 1 % of the disk, whichever is more)
    #[arg(long, value_parser = units::parse_size, value_name = "SIZE")]
    pub max_write: Option<u64>,
}

#[derive(Debug, clap::Args)]
pub struct Demo {
    /// Time for everything, as 90s or 5m
    #[arg(long, value_parser = units::parse_duration_ns, default_value = "3m")]
    pub time: u64,
    /// Workloads to measure (repeat the option, or names with commas between)
    #[arg(long = "workload", value_name = "NAME", value_delimiter = ',')]
    pub workloads: Vec<String>,
    /// Write the HTML report there (default: bakeoff-RUN.html in the current directory)
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Most bytes to write (default: 2 GiB or 1 % of the disk, whichever is more)
    #[arg(long, value_parser = units::parse_size, value_name = "SIZE")]
    pub max_write: Option<u64>,
}

#[derive(Debug, clap::Args)]
pub struct Plan {
    /// A plan: a TOML file, or the name of a built-in one
    pub plan: PathBuf,
    /// Disk, partition or image to run on (repeat it to compare devices)
    #[arg(long = "target", value_name = "PATH")]
    pub targets: Vec<PathBuf>,
    /// How sure and how fine: quick, decide or precise (default: the plan's)
    #[arg(long, value_parser = parse_mode)]
    pub mode: Option<Mode>,
    /// Time for everything, as 90s, 5m or 2h (default: the plan's, or the mode's)
    #[arg(long, value_parser = units::parse_duration_ns)]
    pub time: Option<u64>,
    /// Most bytes to write (default: one capacity of a card or stick, a tenth of an SSD)
    #[arg(long, value_parser = units::parse_size, value_name = "SIZE")]
    pub max_write: Option<u64>,
    /// Allow an unmounted partition of the disk the system runs from
    #[arg(long)]
    pub shares_disk_with_root: bool,
    /// Prove what holds each candidate back, by experiments of two minutes after the answer
    #[arg(long)]
    pub prove: bool,
}

#[derive(Debug, clap::Args)]
pub struct Run {
    #[command(flatten)]
    pub on: Plan,
    /// Consent to erase a target: its token, as `plan` and `devices` print it (repeats)
    #[arg(long, value_name = "TOKEN")]
    pub erase: Vec<String>,
    /// Begin when the clock shows this time, keeping the machine awake
    #[arg(long, value_name = "HH:MM", value_parser = parse_time)]
    pub at: Option<Time>,
    /// Run on after logout: as a systemd unit, or as a process of its own session
    #[arg(long)]
    pub detach: bool,
    /// Write the HTML report there
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct Probe {
    /// Disk, partition or image
    pub target: PathBuf,
    /// Consent to overwrite it: its token, as `devices` prints it
    #[arg(long, value_name = "TOKEN")]
    pub erase: Vec<String>,
    /// Allow an unmounted partition of the disk the system runs from
    #[arg(long)]
    pub shares_disk_with_root: bool,
}

#[derive(Debug, clap::Args)]
pub struct Bench {
    /// A directory (a scratch file is made in it), a file or a block device
    pub path: PathBuf,
    /// Access pattern
    #[arg(long, value_parser = parse_rw, default_value = "randread")]
    pub rw: Rw,
    /// Block size
    #[arg(long, value_parser = units::parse_size, default_value = "4k")]
    pub bs: u64,
    /// Bytes of the file to use (default: the file's, or 256m of a scratch file)
    #[arg(long, value_parser = units::parse_size)]
    pub size: Option<u64>,
    /// Bytes to transfer; with --runtime the first reached ends
    #[arg(long = "io_size", alias = "io-size", value_parser = units::parse_size)]
    pub io_size: Option<u64>,
    /// Time to run
    #[arg(long, value_parser = units::parse_duration_ns)]
    pub runtime: Option<u64>,
    /// I/Os in flight for each job
    #[arg(long, default_value_t = 1)]
    pub iodepth: u32,
    /// Jobs (threads)
    #[arg(long, default_value_t = 1)]
    pub numjobs: u32,
    /// O_DIRECT: past the page cache
    #[arg(long, num_args = 0..=1, default_value = "0",
        default_missing_value = "1", value_parser = parse_switch)]
    pub direct: bool,
    /// How to do I/O
    #[arg(long, value_parser = parse_engine, default_value = "psync")]
    pub engine: EngineName,
    /// fsync after every so many writes
    #[arg(long, default_value_t = 0)]
    pub fsync: u32,
    /// fdatasync after every so many writes
    #[arg(long, default_value_t = 0)]
    pub fdatasync: u32,
    /// fsync at the end, inside the measured time
    #[arg(long = "end_fsync", alias = "end-fsync", num_args = 0..=1, default_value = "0",
        default_missing_value = "1", value_parser = parse_switch)]
    pub end_fsync: bool,
    /// Percent of reads in randrw
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub rwmixread: u8,
    /// Operations a second, however long each takes (open loop)
    #[arg(long = "rate_iops", alias = "rate-iops")]
    pub rate_iops: Option<u64>,
    /// When the operations of --rate_iops arrive: linear (evenly) or poisson (at random)
    #[arg(long = "rate_process", alias = "rate-process", value_parser = parse_rate_process,
        default_value = "linear", requires = "rate_iops")]
    pub rate_process: RateProcess,
    /// How offsets follow each other: uniform, once, zipf:1.2, hot:90/10 (random); backward,
    /// strided:16k (sequential)
    #[arg(long, default_value = "uniform")]
    pub offsets: Offsets,
    /// What is written
    #[arg(long, value_parser = parse_data, default_value = "random")]
    pub data: Data,
    /// By how many percent of its size what is written can be compressed
    #[arg(long = "buffer_compress_percentage", alias = "buffer-compress-percentage",
        default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub buffer_compress_percentage: u8,
    /// How often the clock is read: once a batch of I/Os, or for each
    #[arg(long, value_parser = parse_stamps, default_value = "batch")]
    pub stamps: Stamps,
    /// Read back what was written and check every block
    #[arg(long, num_args = 0..=1, default_value = "0",
        default_missing_value = "1", value_parser = parse_switch)]
    pub verify: bool,
    /// Record in FILE, on another disk, what each flush acknowledges; with --verify
    #[arg(
        long = "verify_state_save",
        alias = "verify-state-save",
        value_name = "FILE",
        requires = "verify"
    )]
    pub verify_state_save: Option<PathBuf>,
    /// Write nothing: look for what FILE says was acknowledged, after a crash or a power cut
    #[arg(
        long = "verify_state_load",
        alias = "verify-state-load",
        value_name = "FILE",
        conflicts_with = "verify_state_save"
    )]
    pub verify_state_load: Option<PathBuf>,
    /// Buffer memory
    #[arg(long, value_parser = parse_mem, default_value = "auto")]
    pub mem: Mem,
    /// Allow writing into an existing file
    #[arg(long)]
    pub overwrite: bool,
    /// Consent to erase a block device: its token, as `bakeoff devices` prints it
    #[arg(long, value_name = "TOKEN")]
    pub erase: Option<String>,
}

#[derive(Debug, clap::Args)]
pub struct Agree {
    /// Where the file is made and removed again (default: the current directory)
    #[arg(value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Time for everything, as 90s or 5m; each comparison has one turn at least
    #[arg(long, value_parser = units::parse_duration_ns, default_value = "10m")]
    pub time: u64,
    /// Bytes of the file worked on (default: what one pass of a second or two takes)
    #[arg(long, value_parser = units::parse_size)]
    pub size: Option<u64>,
    /// Only this tool: fio, sysbench, bonnie, iozone or dd (repeat the option)
    #[arg(long = "tool", value_name = "NAME", value_parser = parse_tool)]
    pub tools: Vec<DriverName>,
}

#[derive(Debug, clap::Args)]
pub struct Resume {
    /// The run: the start of its id, or `last`
    #[arg(default_value = "last")]
    pub run: String,
    /// Time for the rest (default: what is left)
    #[arg(long, value_parser = units::parse_duration_ns)]
    pub time: Option<u64>,
    /// Most bytes to write, with those written already (default: as before)
    #[arg(long, value_parser = units::parse_size, value_name = "SIZE")]
    pub max_write: Option<u64>,
    /// Consent to erase a target again that changed since the run was interrupted: its token, as
    /// `plan` and `devices` print it (repeats)
    #[arg(long, value_name = "TOKEN")]
    pub erase: Vec<String>,
    /// Write the HTML report there
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct Clean {
    /// Forget this run after showing what is known of it; nothing of its record is obeyed
    #[arg(long, value_name = "RUN")]
    pub force: Option<String>,
}

#[derive(Debug, clap::Args)]
pub struct OneRun {
    /// The run: the start of its id, or `last`
    pub run: String,
}

#[derive(Debug, clap::Args)]
pub struct Show {
    /// The run: the start of its id, or `last`; or study:NAME
    pub run: String,
    /// Show everything: each pair, each finding, how it was measured
    #[arg(long)]
    pub details: bool,
}

#[derive(Debug, clap::Args)]
pub struct Compare {
    /// The runs: starts of their ids, or `last`
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<String>,
    /// The one factor that may differ: host, device, kernel or time
    #[arg(long, value_name = "FACTOR", value_parser = parse_factor)]
    pub across: Option<Factor>,
    /// A published study to put beside each run, such as study:luks-btrfs (repeat the option)
    #[arg(long, value_name = "study:NAME")]
    pub with: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub struct Report {
    /// The runs: starts of their ids, or `last`
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<String>,
    /// Where to write (default: bakeoff-RUN.html; `-` is stdout)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct Export {
    /// The run: the start of its id, or `last`
    pub run: String,
    /// Where to write (default: stdout); fio-json and gnuplot also into a directory, which `DIR/`
    /// makes
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct Lint {
    /// A plan, a stored run, a text with results, or study:NAME (default: list the rules)
    #[arg(value_name = "PLAN|RUN|FILE", conflicts_with = "explain")]
    pub what: Option<String>,
    /// What a rule means, by id or name
    #[arg(long, value_name = "RULE")]
    pub explain: Option<String>,
}

#[derive(Debug, clap::Args)]
pub struct Check {
    /// A directory, file or block device (default: the current directory)
    #[arg(value_name = "TARGET")]
    pub target: Option<PathBuf>,
    /// Instead: what the load generator itself costs (clock, histogram, offsets, loops, data)
    #[arg(long, conflicts_with = "target")]
    pub engine: bool,
}

#[derive(Debug, clap::Args)]
pub struct Watch {
    /// A device, as sda or /dev/sda, or a directory for all devices below it (default: all disks)
    #[arg(value_name = "DEVICE")]
    pub device: Option<PathBuf>,
    /// How long each look is
    #[arg(long, value_parser = units::parse_duration_ns, default_value = "1s")]
    pub interval: u64,
    /// When to end (default: with Ctrl-C)
    #[arg(long, value_parser = units::parse_duration_ns)]
    pub time: Option<u64>,
}

#[derive(Debug, clap::Args)]
pub struct Simulate {
    /// Runs of each scenario
    #[arg(long, value_name = "N", default_value_t = 200,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub runs: u32,
}

#[derive(Debug, clap::Args)]
pub struct Import {
    /// Texts with tools' outputs in them, directories of such, or bundles; `-` is stdin
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<OsString>,
    /// The columns of a Markdown or fixed-width table, from left to right, such as
    /// 'device,block_size_bytes,write/read MB/s filesystem=ext4,-'
    #[arg(long, value_name = "LIST")]
    pub columns: Option<Columns>,
    /// Take the files for job files of fio and print each as a plan
    #[arg(long = "as-plan", conflicts_with_all = ["columns", "facts"])]
    pub as_plan: bool,
    /// What is stated beside the numbers (place, order, media, ...), as TOML: docs/import.md
    #[arg(long, value_name = "FILE")]
    pub facts: Option<PathBuf>,
}

/// Looks a word up among names; the nearest one is suggested when there is none.
fn parse_word<T: Copy>(text: &str, words: &[(&str, T)]) -> Result<T, String> {
    if let Some((_, value)) = words.iter().find(|(name, _)| *name == text) {
        return Ok(*value);
    }
    let names = words.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    Err(did_you_mean(text, &names))
}

fn parse_rw(text: &str) -> Result<Rw, String> {
    parse_word(text, &Rw::ALL.map(|rw| (rw.name(), rw)))
}

fn parse_tool(text: &str) -> Result<DriverName, String> {
    let tools = DriverName::ALL.iter().filter(|name| !name.is_native());
    parse_word(text, &tools.map(|name| (name.name(), *name)).collect::<Vec<_>>())
}

fn parse_time(text: &str) -> Result<Time, String> {
    Time::strptime("%H:%M", text)
        .map_err(|_| "write the hour and minute as 23:30 or 00:00".to_string())
}

fn parse_factor(text: &str) -> Result<Factor, String> {
    parse_word(text, &Factor::ALL.map(|factor| (factor.name(), factor)))
}

fn parse_mode(text: &str) -> Result<Mode, String> {
    parse_word(text, &Mode::ALL.map(|mode| (mode.name(), mode)))
}

fn parse_engine(text: &str) -> Result<EngineName, String> {
    parse_word(text, &EngineName::ALL.map(|engine| (engine.name(), engine)))
}

fn parse_rate_process(text: &str) -> Result<RateProcess, String> {
    parse_word(text, &RateProcess::ALL.map(|process| (process.name(), process)))
}

fn parse_stamps(text: &str) -> Result<Stamps, String> {
    parse_word(text, &[("batch", Stamps::Batch), ("each", Stamps::Each)])
}

fn parse_data(text: &str) -> Result<Data, String> {
    parse_word(text, &[("random", Data::Random), ("zero", Data::Zero)])
}

fn parse_mem(text: &str) -> Result<Mem, String> {
    parse_word(text, &[("auto", Mem::Auto), ("malloc", Mem::Malloc), ("thp", Mem::Thp)])
}

fn parse_switch(text: &str) -> Result<bool, String> {
    parse_word(text, &[("0", false), ("1", true)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn definitions_are_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn fio_spelling_and_hyphens_are_both_read() {
        for option in ["--io_size", "--io-size"] {
            let args = Args::try_parse_from(["bakeoff", "bench", "f", option, "4g", "--direct"]);
            let Ok(Args { command: Some(Command::Bench(bench)), .. }) = args else {
                panic!("{args:?}")
            };
            assert_eq!((bench.io_size, bench.direct), (Some(4 << 30), true));
        }
    }

    #[test]
    fn the_near_word_is_suggested() {
        assert!(parse_rw("randreed").unwrap_err().contains("'randread'"));
        assert!(parse_engine("iouring").unwrap_err().contains("'io_uring'"));
        assert!(!parse_rw("xyz").unwrap_err().contains("mean"));
    }
}
