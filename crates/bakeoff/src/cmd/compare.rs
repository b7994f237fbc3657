//! `bakeoff compare`: stored runs beside each other, and published studies beside a run.

use bakeoff_core::compare::with_study::{StudyComparison, with_study};
use bakeoff_core::compare::{Compared, compare};
use bakeoff_core::import::Finder;
use bakeoff_core::import::study::facts::Facts;
use bakeoff_core::model::run::Run;
use bakeoff_core::model::verdict::Analysis;
use bakeoff_core::report;

use super::answer;
use super::stored;
use crate::cli::{Compare, Global};
use crate::fault::{self, Fault, Outcome};

/// Most runs compared at once.
const RUNS: usize = 32;
const STUDY: &str = "study:";

/// Runs the command: one answer over all runs that is not beats or ties is exit 1.
pub fn run(global: &Global, args: &Compare) -> Result<Outcome, Fault> {
    let format = stored::format(global, "compare")?;
    let (named, mut studies): (Vec<&str>, Vec<&str>) =
        args.runs.iter().map(String::as_str).partition(|name| !name.starts_with(STUDY));
    studies.extend(args.with.iter().map(String::as_str));
    let runs = stored::analysed(global, &named, RUNS)?;
    if runs.is_empty() || (runs.len() == 1 && studies.is_empty()) {
        return Err(Fault::usage(
            "nothing to compare with. Specify two runs (list them with `bakeoff runs`), or one run \
             and --with study:luks-btrfs",
        ));
    }
    if args.across.is_some() && runs.len() == 1 {
        return Err(Fault::usage("--across needs several runs. Specify another run"));
    }
    let compared = (runs.len() > 1).then(|| compare(&runs, args.across));
    let beside = with_studies(&runs, &studies)?;
    let json = || report::compare_json(compared.as_ref(), &beside) + "\n";
    let document = || report::compare_document(compared.as_ref(), &beside);
    let printed = answer::print_either(format, json, document);
    // Runs that are not alike are refused, also where they have nothing in common to refuse.
    let asks = |c: &Compared| !c.answers.is_empty() || !c.is_alike;
    let is_open = compared.is_some_and(|c| asks(&c) && !c.is_answered());
    fault::after_printing(printed, Ok(if is_open { Outcome::Open } else { Outcome::Done }))
}

fn with_studies(runs: &[(Run, Analysis)], names: &[&str]) -> Result<Vec<StudyComparison>, Fault> {
    let mut all = Vec::new();
    for name in names {
        let study = stored::study(name)?;
        let facts = Facts::parse(study.facts).map_err(Fault::bug)?;
        let found = Finder::all(study.table().as_bytes()).judged(&facts);
        all.extend(runs.iter().map(|(run, _)| with_study(run, study.name, &found, &facts)));
    }
    Ok(all)
}
