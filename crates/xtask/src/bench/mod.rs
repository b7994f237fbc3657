//! bakeoff against fio, dd and sysbench on the same file: what `make bench` does.
//!
//! In every round each contender runs once, and the order is rotated from round to round, so that a
//! drift of the machine falls on all alike. A figure is the median over rounds; a comparison is the
//! median of the ratios within each round, with the smallest and the largest. The first round warms
//! up and samples memory, and its rates are not used, because sampling disturbs. Nothing here
//! passes or fails: it prints a table and writes docs/performance.md.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

mod answers;
mod cases;
mod fixed;
mod forecasts;
mod goals;
mod helpers;
mod instructions;
mod live;
mod machine;
mod netdata;
mod page;
mod process;
mod run;
mod scratch;
mod spread;
mod watching;
mod why;

use cases::{Case, Contender, Setup};
use run::Sample;

use crate::page::FIGURES;
use crate::tool;

/// Compares with fio, dd and sysbench on one file, and writes docs/performance.md.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    part: Option<Part>,
    #[command(flatten)]
    options: Options,
}

/// What is measured instead.
#[derive(clap::Subcommand)]
enum Part {
    /// Only count the user instructions of an I/O, and compare with the committed counts
    #[command(long_flag = "instructions")]
    Instructions,
    /// Measure how well plans forecast time and bytes
    #[command(long_flag = "forecasts")]
    Forecasts(forecasts::Options),
    /// Measure the cost of watching a run in browsers; rewrites a table in docs/live.md
    #[command(long_flag = "live")]
    Live(live::Options),
    /// Compare `watch` with netdata under one load; rewrites a table in docs/live.md
    #[command(long_flag = "netdata")]
    Netdata(netdata::Options),
    /// Measure how fast and how reliably demos answer
    #[command(long_flag = "answers")]
    Answers(answers::Options),
}

/// What was asked for.
#[derive(clap::Args)]
struct Options {
    /// Counted rounds, after one warm-up round
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Duration of each run in seconds
    #[arg(long = "runtime", default_value_t = 2)]
    runtime_s: u32,
    /// Size of the file that is read, in MiB
    #[arg(long = "size", default_value_t = 1024)]
    size_mib: u64,
    /// Directory for the file
    #[arg(long, default_value_os_t = tool::target())]
    dir: PathBuf,
    /// One case by its key (psync, uring, read8, null, direct32, …); writes no page
    #[arg(long)]
    only: Option<String>,
}

/// All runs of one contender in one case, the warm-up first.
pub struct Series {
    /// Who ran, and how.
    pub contender: Contender,
    /// One sample a round.
    pub samples: Vec<Sample>,
}

impl Series {
    /// A figure of each round after the warm-up.
    pub fn counted(&self, value: impl Fn(&Sample) -> f64) -> impl Iterator<Item = f64> {
        self.samples.iter().skip(1).map(value)
    }
}

/// Every case with its runs.
pub struct Results(Vec<(Case, Vec<Series>)>);

impl Results {
    /// The name of a case, our runs and those of a peer.
    fn pair(&self, key: &str, peer: &str) -> Option<(&'static str, &Series, &Series)> {
        let (case, series) = self.0.iter().find(|(case, _)| case.key == key)?;
        let theirs = series.iter().find(|series| series.contender.name == peer)?;
        Some((case.name, series.first()?, theirs))
    }
}

/// The program as released, which has to be built before.
fn released() -> Result<PathBuf> {
    let bakeoff = tool::target().join("release/bakeoff");
    ensure!(bakeoff.exists(), "{} is not built: run `make build`", bakeoff.display());
    Ok(bakeoff)
}

/// The command.
pub fn bench(root: &Path, arguments: Arguments) -> Result<bool> {
    match arguments.part {
        Some(Part::Instructions) => instructions::check(root),
        Some(Part::Forecasts(options)) => forecasts::bench(root, &options),
        Some(Part::Live(options)) => live::bench(root, &options),
        Some(Part::Netdata(options)) => netdata::bench(root, &options),
        Some(Part::Answers(options)) => answers::bench(root, &options),
        None => compare(root, &arguments.options),
    }
}

/// Runs every case; about ten minutes.
fn compare(root: &Path, options: &Options) -> Result<bool> {
    let bakeoff = released()?;
    let machine = machine::describe(&options.dir)?;
    let disk = machine::disk_counters(&options.dir)?;
    let file = scratch::File::make(&options.dir, options.size_mib)?;
    let helpers = helpers::make(root, file.folder())?;
    let setup = Setup {
        bakeoff: &bakeoff,
        file: file.path(),
        sysbench: file.folder().to_path_buf(),
        helpers: &helpers,
        size_mib: options.size_mib,
        runtime_s: options.runtime_s,
    };
    let mut results = Vec::new();
    for case in setup.cases() {
        if options.only.as_ref().is_some_and(|only| only != case.key) {
            continue;
        }
        eprintln!("{}", case.name);
        if case.is_cached {
            file.cache()?
        } else {
            file.drop_cache()?
        }
        let series = rounds(&case, &setup, &disk, options.rounds)?;
        results.push((case, series));
    }
    let fixed = fixed::figures(root, &setup)?;
    let found = page::page(&machine, &fixed, &Results(results), options);
    match options.only {
        Some(_) => print!("{found}"),
        None => crate::page::write(&root.join("docs/performance.md"), FIGURES, &found)?,
    }
    Ok(true)
}

/// The warm-up and the counted rounds of one case.
fn rounds(case: &Case, setup: &Setup, disk: &Path, counted: u32) -> Result<Vec<Series>> {
    let mut series: Vec<Series> = case
        .contenders
        .iter()
        .map(|contender| Series { contender: contender.clone(), samples: Vec::new() })
        .collect();
    for round in 0..=counted {
        let count = series.len();
        for turn in 0..count {
            let series = &mut series[(round as usize + turn) % count];
            let sample = run::run(&series.contender, setup, disk, round == 0)?;
            eprintln!("  {round} {:<12}{:>12.0} IOPS", series.contender.name, sample.iops);
            series.samples.push(sample);
        }
    }
    Ok(series)
}
