//! `bakeoff compare`: stored runs beside each other, and results of others beside a run.

use std::path::PathBuf;

use bakeoff_judge::compare::beside::{Beside, beside};
use bakeoff_judge::compare::{Compared, compare};
use bakeoff_judge::import;
use bakeoff_model::path::RawPath;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use bakeoff_report as report;

use super::{answer, lint, stored};
use crate::cli::{Compare, Global};
use crate::fault::{self, Fault, Outcome};

const RUNS: usize = 32;

/// Runs the command: one answer over all runs that is not certain is exit 1.
pub fn run(global: &Global, args: &Compare) -> Result<Outcome, Fault> {
    let format = stored::format(global, "compare")?;
    let runs = stored::analysed(global, &args.runs, RUNS)?;
    if runs.len() == 1 && args.with.is_empty() {
        return Err(Fault::usage(
            "nothing to compare with. Specify two runs (list them with `bakeoff runs`), or one run \
             and a file with results of others (--with FILE)",
        ));
    }
    if args.across.is_some() && runs.len() == 1 {
        return Err(Fault::usage("--across needs several runs. Specify another run"));
    }
    let compared = (runs.len() > 1).then(|| compare(&runs, args.across));
    let beside = with_files(&runs, &args.with)?;
    let json = || report::compare_json(compared.as_ref(), &beside) + "\n";
    let document = || report::compare_document(compared.as_ref(), &beside);
    let printed = answer::print_either(format, json, document);
    // Runs that are not alike are refused, also where they have nothing in common to refuse.
    let asks = |c: &Compared| !c.answers.is_empty() || !c.is_alike;
    let is_open = compared.is_some_and(|c| asks(&c) && !c.is_answered());
    fault::after_printing(printed, Ok(if is_open { Outcome::Open } else { Outcome::Done }))
}

fn with_files(runs: &[(Run, Analysis)], files: &[PathBuf]) -> Result<Vec<Beside>, Fault> {
    let mut all = Vec::new();
    for file in files {
        let (name, found) = (RawPath::new(file).to_string(), import::all(&lint::read(file)?));
        if found.results.is_empty() {
            return Err(Fault::usage(format!("no results in {name}")));
        }
        all.extend(runs.iter().map(|(run, _)| beside(run, &name, &found)));
    }
    Ok(all)
}
