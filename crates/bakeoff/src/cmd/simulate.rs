//! `bakeoff self simulate`: the decision machinery against drives whose truth is known.

use std::io::IsTerminal;

use bakeoff_judge::simulate::{checks, examination, fit, gate, simulate};
use bakeoff_report::{self as report, Document};
use serde_json::{Value, json};

use super::{answer, stored};
use crate::cli::{Format, Global, Simulate};
use crate::fault::{Fault, Outcome};
use crate::ui::{out, say};

/// The seed unless one is given: the figures in the documentation can be had again by typing the
/// command they name.
const SEED: u64 = 20_261_120;

pub fn run(global: &Global, args: &Simulate) -> Result<Outcome, Fault> {
    let format = stored::format(global, "self simulate")?;
    if args.gate {
        return gates(global.seed.unwrap_or(SEED), format, args.runs);
    }
    if args.probe {
        return exams(global.seed.unwrap_or(SEED), format, args.runs);
    }
    if args.fit {
        return fits(global.seed.unwrap_or(SEED), format, args.runs);
    }
    // Progress is for who looks on.
    let quiet = global.quiet || !std::io::stderr().is_terminal();
    let done = simulate(args.runs, global.seed.unwrap_or(SEED), |o| {
        say::note(quiet, format_args!("{} (k {}, W {})", o.name, o.k, o.w));
    });
    let simulation = done.map_err(Fault::bug)?;
    let text = if format == Format::Json {
        report::simulate_json(&simulation) + "\n"
    } else if format == Format::Markdown {
        report::simulate_markdown(&simulation)
    } else {
        answer::laid_out(&report::simulate_document(&simulation), format)
    };
    out::print(global.format, &text)?;
    Ok(Outcome::Done)
}

/// How often `compare --fail-if-slower` says what, and is wrong.
fn gates(seed: u64, format: Format, runs: u32) -> Result<Outcome, Fault> {
    let found = gate::all(runs, seed).map_err(Fault::bug)?;
    let json = json!({ "schema": "bakeoff/simulate-gate/1", "seed": seed, "scenarios": found });
    print(format, &json, || report::gates_document(&found))
}

/// How often `probe` finds what is wrong with a drive, and something where nothing is.
fn exams(seed: u64, format: Format, runs: u32) -> Result<Outcome, Fault> {
    let found = examination::all(runs, seed);
    let json = json!({ "schema": "bakeoff/simulate-probe/1", "seed": seed, "scenarios": found });
    print(format, &json, || report::exams_document(&found))
}

/// How often `fit` says what, and is wrong, and how often its weekly checks raise a false alarm.
fn fits(seed: u64, format: Format, runs: u32) -> Result<Outcome, Fault> {
    let (drives, checks) = (fit::all(runs, seed), checks::all(runs, seed));
    let json = json!({
        "schema": "bakeoff/simulate-fit/1", "seed": seed, "drives": drives, "checks": checks,
    });
    print(format, &json, || report::fits_document(&drives, &checks))
}

fn print(
    format: Format,
    json: &Value,
    document: impl FnOnce() -> Document,
) -> Result<Outcome, Fault> {
    answer::print_either(format, || format!("{json}\n"), document)?;
    Ok(Outcome::Done)
}
