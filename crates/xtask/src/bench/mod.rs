//! bakeoff against fio, dd and sysbench on the same file: what `make bench` does.
//!
//! In every round each contender runs once, and the order is rotated from round to round, so that a
//! drift of the machine falls on all alike. A figure is the median over rounds; a comparison is the
//! median of the ratios within each round, with the smallest and the largest. The first round warms
//! up and samples memory, and its rates are not used, because sampling disturbs. Nothing here
//! passes or fails: it prints a table and writes docs/performance.md.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

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
mod run;
mod scratch;
mod spread;
mod watching;
mod why;

use cases::{Case, Contender, Scene};
use run::Sample;

const HELP: &str = "usage: cargo xtask bench --instructions
       cargo xtask bench --answers …
  \
                    cargo xtask bench --forecasts …
       cargo xtask bench --live …
       cargo \
                    xtask bench --netdata …
       cargo xtask bench [--rounds N] [--runtime \
                    SECONDS] [--size MIB] [--dir DIR] [--out FILE]

  --instructions  only count \
                    the user instructions of an I/O, and compare with the committed counts
  \
                    --forecasts     measure how well plans forecast time and bytes; see \
                    `--forecasts --help`
  --live          measure the cost of watching a run in \
                    browsers; see `--live --help`
  --netdata       compare `watch` with netdata \
                    under one load; see `--netdata --help`
  --answers       measure how fast and \
                    how reliably demos answer; see `--answers --help`

  --rounds    counted \
                    rounds, after one warm-up round (5)
  --runtime   duration of each run in \
                    seconds (2)
  --size      size of the file that is read, in MiB (1024)
  --dir \
                    directory for the file (target)
  --out       page to write \
                    (docs/performance.md)
  --only      one case by its key (psync, uring, read8, \
                    null, direct32, …); writes no page
";

/// What was asked for.
struct Options {
    rounds: usize,
    runtime_s: u32,
    size_mib: u64,
    dir: PathBuf,
    out: PathBuf,
    only: Option<String>,
}

impl Options {
    fn parse(root: &Path, arguments: &[&str]) -> Result<Options> {
        let mut options = Options {
            rounds: 5,
            runtime_s: 2,
            size_mib: 1024,
            dir: root.join("target"),
            out: root.join("docs/performance.md"),
            only: None,
        };
        let mut arguments = arguments.iter();
        while let Some(name) = arguments.next() {
            let value = arguments.next().with_context(|| format!("{name} wants a value\n\n{HELP}"));
            match *name {
                "--rounds" => options.rounds = value?.parse().context("--rounds is a number")?,
                "--runtime" => {
                    options.runtime_s = value?.parse().context("--runtime is a number")?
                }
                "--size" => options.size_mib = value?.parse().context("--size is a number")?,
                "--dir" => options.dir = value?.into(),
                "--out" => options.out = value?.into(),
                "--only" => options.only = Some((*value?).to_owned()),
                "--help" => bail!("{HELP}"),
                _ => bail!("no such option: {name}\n\n{HELP}"),
            }
        }
        ensure!(options.rounds > 0, "--rounds is at least 1");
        Ok(options)
    }
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

/// Runs everything; about ten minutes.
pub fn bench(root: &Path, arguments: &[&str]) -> Result<bool> {
    if arguments == ["--instructions"] {
        return instructions::check(root);
    }
    if let ["--answers", rest @ ..] = arguments {
        return answers::bench(root, rest);
    }
    if let ["--forecasts", rest @ ..] = arguments {
        return forecasts::bench(root, rest);
    }
    if let ["--live", rest @ ..] = arguments {
        return live::bench(root, rest);
    }
    if let ["--netdata", rest @ ..] = arguments {
        return netdata::bench(root, rest);
    }
    let options = Options::parse(root, arguments)?;
    let bakeoff = root.join("target/release/bakeoff");
    ensure!(bakeoff.exists(), "{} is not built: run `make build`", bakeoff.display());
    let machine = machine::describe(&options.dir)?;
    let disk = machine::disk_counters(&options.dir)?;
    let file = scratch::File::make(&options.dir, options.size_mib)?;
    let helpers = helpers::make(root, file.folder())?;
    let scene = Scene {
        bakeoff: &bakeoff,
        file: file.path(),
        sysbench: file.folder().to_path_buf(),
        helpers: &helpers,
        size_mib: options.size_mib,
        runtime_s: options.runtime_s,
    };
    let mut results = Vec::new();
    for case in scene.cases() {
        if options.only.as_ref().is_some_and(|only| only != case.key) {
            continue;
        }
        eprintln!("{}", case.name);
        if case.is_cached {
            file.cache()?
        } else {
            file.drop_cache()?
        }
        let series = rounds(&case, &scene, &disk, options.rounds)?;
        results.push((case, series));
    }
    let fixed = fixed::figures(root, &scene)?;
    let page = page::page(&machine, &fixed, &Results(results), &options);
    print!("{page}");
    if options.only.is_none() {
        std::fs::write(&options.out, answers::kept(&options.out, page))
            .with_context(|| format!("cannot write {}", options.out.display()))?;
    }
    Ok(true)
}

/// The warm-up and the counted rounds of one case.
fn rounds(case: &Case, scene: &Scene, disk: &Path, counted: usize) -> Result<Vec<Series>> {
    let mut series: Vec<Series> = case
        .contenders
        .iter()
        .map(|contender| Series { contender: contender.clone(), samples: Vec::new() })
        .collect();
    for round in 0..=counted {
        let count = series.len();
        for turn in 0..count {
            let series = &mut series[(round + turn) % count];
            let sample = run::run(&series.contender, scene, disk, round == 0)?;
            eprintln!("  {round} {:<12}{:>12.0} IOPS", series.contender.name, sample.iops);
            series.samples.push(sample);
        }
    }
    Ok(series)
}
