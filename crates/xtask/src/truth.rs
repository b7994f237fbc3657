//! What `make bench-truth` does: the tables of docs/truth.md, and the false alarms of
//! docs/diagnosis.md.
//!
//! The figures come from `bakeoff simulate`, from disks of emulated machines and from runs on this
//! machine; here they are only put between marks of each page, whose words are written by hand.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::alarms;
use crate::page::{self, FIGURES};
use crate::tool;
use crate::vm::{self, CAPPED_PAIRS, measure_capped};

mod capped;

/// What was asked for.
#[derive(clap::Args)]
pub struct Options {
    /// Simulated runs of each scenario; 0 leaves docs/truth.md unchanged
    #[arg(long, default_value_t = 2000)]
    runs: u64,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 20_261_120)]
    seed: u64,
    /// Real runs on this machine while it is idle; 0 leaves docs/diagnosis.md unchanged
    #[arg(long, default_value_t = 50)]
    clean: usize,
    /// Runs of each pair of rate-limited disks on an emulated machine
    #[arg(long, default_value_t = 20)]
    capped: u64,
    /// Only this pair: 40-38, 40-32 or 40-40
    #[arg(long)]
    pair: Option<String>,
    /// Whether to create causes there, which bakeoff must report
    #[arg(long, default_value = "yes", value_parser = ["yes", "no"])]
    causes: String,
    /// Program to test there instead of the built ones
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// Measures and writes the pages; whether disks of known speed were ranked as they should be.
pub fn bench(root: &Path, options: &Options) -> Result<bool> {
    let Options { runs, seed, clean, capped, .. } = *options;
    let docs = root.join("docs/truth.md");
    let built = || tool::target().join("release/bakeoff");
    let bakeoff = options.binary.clone().unwrap_or_else(built);
    let is_built = bakeoff.exists() || (runs == 0 && clean == 0);
    ensure!(is_built, "{} is not built: run `make build`", bakeoff.display());
    if runs > 0 {
        page::write(&docs, FIGURES, &format!("\n{}\n", simulated(&bakeoff, runs, seed)?))?;
    }
    if clean > 0 {
        let told = alarms::measure(&bakeoff, clean)?;
        page::write(&root.join("docs/diagnosis.md"), FIGURES, &format!("\n{told}\n"))?;
    }
    let mut is_right = true;
    let wanted = CAPPED_PAIRS
        .iter()
        .filter(|pair| options.pair.as_ref().is_none_or(|name| pair.name == name));
    let pairs: Vec<_> = wanted.filter(|_| capped > 0).collect();
    for (pair, said) in
        pairs.iter().zip(measure_capped(root, options.binary.as_deref(), &pairs, capped)?)
    {
        page::write(&docs, pair.name, &capped::in_words(pair, &said))?;
        is_right &= capped::is_right(&said);
    }
    if options.causes == "yes" {
        is_right &= vm::test(root, vm::Options::for_part("causes/", options.binary.clone()))?;
    }
    Ok(is_right)
}

/// What `bakeoff simulate` prints, with the command before it.
fn simulated(bakeoff: &Path, runs: u64, seed: u64) -> Result<String> {
    let words = format!("simulate --runs {runs} --seed {seed} --format markdown");
    let tables = tool::output(Command::new(bakeoff).args(words.split(' ')))?;
    Ok(format!("`bakeoff {words}`\n\n{tables}"))
}
