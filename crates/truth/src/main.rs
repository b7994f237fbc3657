//! The decisions of bakeoff on drives of known truth, for developers; no part of the program.
//!
//! The planner, the looks, the stopping rule, the findings and the verdicts are those of every run
//! ([`bakeoff_judge::decide`], [`bakeoff_judge::analyse`]). Only the drive is invented. The results
//! are in docs/truth.md, with their seed.

#![forbid(unsafe_code)]

mod catalogue;
mod checks;
mod disk;
mod examination;
mod fit;
mod gate;
mod latency;
mod outcome;
mod restart;
mod session;
mod tables;

use std::error::Error;
use std::io::{IsTerminal, Write};

use bakeoff_model::run::FoldError;
use bakeoff_stats::prng::SplitMix64;
use clap::{Parser, ValueEnum};
use outcome::Outcome;
use serde_json::json;

/// Test how often verdicts are right, on simulated drives with a known ranking
#[derive(Debug, Parser)]
#[command(name = "bakeoff-truth")]
struct Args {
    /// Runs of each scenario
    #[arg(long, value_name = "N", default_value_t = 200,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    runs: u32,
    /// Seed for all random choices (default: that of docs/truth.md)
    #[arg(long, value_name = "N", default_value_t = 20_261_120)]
    seed: u64,
    /// Output format; only verdicts have JSON
    #[arg(long, value_enum, default_value_t = Format::Markdown)]
    format: Format,
    /// What is simulated
    #[arg(value_enum, default_value_t = Subject::Verdicts)]
    subject: Subject,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Subject {
    /// The verdicts of a run
    Verdicts,
    /// `compare --fail-if-slower`
    Gate,
    /// The verdicts of `probe`
    Probe,
    /// `fit` and a year of its weekly checks
    Fit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The tables of docs/truth
    Markdown,
    /// One JSON document
    Json,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let (runs, seed) = (args.runs, args.seed);
    let text = match args.subject {
        Subject::Verdicts => {
            let found = simulate(runs, seed)?;
            let json = json!({ "schema": "bakeoff/simulate/1", "seed": seed, "scenarios": found });
            match args.format {
                Format::Json => format!("{json}\n"),
                Format::Markdown => tables::outcomes(&found),
            }
        }
        _ if args.format == Format::Json => return Err("only verdicts have JSON".into()),
        Subject::Gate => tables::gates(&gate::all(runs, seed)?),
        Subject::Probe => tables::exams(&examination::all(runs, seed)),
        Subject::Fit => tables::fits(&fit::all(runs, seed), &checks::all(runs, seed)),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

/// Plays every scenario `runs` times.
fn simulate(runs: u32, seed: u64) -> Result<Vec<Outcome>, FoldError> {
    let mut outcomes = Vec::new();
    for (i, scenario) in (0..).zip(catalogue::all()) {
        let seed = SplitMix64::derive(seed, &[i]).next_u64();
        let outcome = scenario.play(runs, seed)?;
        if std::io::stderr().is_terminal() {
            eprintln!("{} (k {}, W {})", outcome.name, outcome.k, outcome.w);
        }
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

#[cfg(test)]
mod carry_over_tests;
#[cfg(test)]
mod plans_tests;
#[cfg(test)]
mod tests;
