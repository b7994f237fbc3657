//! `bakeoff compare`: stored and pasted runs beside each other.

use bakeoff_judge::analyse::analyse;
use bakeoff_judge::compare::{Compared, compare};
use bakeoff_judge::gate::{self, Gate, GateVerdict};
use bakeoff_judge::levels::side_by_side::side_by_side;
use bakeoff_judge::levels::{RunLevels, levels, public_levels};
use bakeoff_model::difference::Difference;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use bakeoff_report as report;
use bakeoff_report::{Across, ComparisonParts};

use super::{answer, pasted, stored};
use crate::cli::{Compare, Global};
use crate::fault::{self, Fault, Outcome};
use crate::store::RunId;

const RUNS: usize = 32;

/// The runs in the order of the command line.
struct NamedRuns {
    stored: Vec<(Run, Analysis)>,
    levels: Vec<RunLevels>,
    has_pasted: bool,
}

/// Runs the command: one answer over all runs that is not certain is exit 1.
pub fn run(global: &Global, args: &Compare) -> Result<Outcome, Fault> {
    let format = stored::format(global, "compare")?;
    let NamedRuns { stored: runs, levels, has_pasted } = named(global, args)?;
    if levels.len() == 1 {
        return Err(Fault::usage(
            "nothing to compare with. Specify two runs (list them with `bakeoff runs`)",
        ));
    }
    let compared = (runs.len() > 1 && !has_pasted).then(|| compare(&runs, args.across));
    let unlike = unlike(compared.as_ref(), &levels, args);
    let side = (levels.len() > 1).then(|| side_by_side(&levels, unlike.is_empty()));
    let gate = args.fail_if_slower.and_then(|limit| judged(&levels, limit, unlike.clone()));
    let choices = choices(&runs, args);
    let across = compared.as_ref().filter(|compared| compared.is_alike);
    let across = across.and(args.across).map(|factor| Across::new(&runs, factor));
    let across = across.filter(|across| across.answers.len() > 1);
    let parts = ComparisonParts {
        compared: compared.as_ref(),
        across: across.as_ref(),
        levels: side.as_ref(),
        gate: gate.as_ref(),
        choices: &choices,
        unlike: if has_pasted { &unlike } else { &[] },
    };
    let json = || report::compare_json(&parts) + "\n";
    let printed = answer::print_either(format, json, || report::compare_document(&parts));
    if let Some(gate) = &gate {
        return fault::after_printing(printed, Ok(outcome(gate)));
    }
    if let Some(across) = &across {
        let outcome = if across.agreed.is_some() { Outcome::Done } else { Outcome::Open };
        return fault::after_printing(printed, Ok(outcome));
    }
    // Runs that are not alike are refused, also where they have nothing in common to refuse.
    let asks = |c: &Compared| !c.answers.is_empty() || !c.is_alike;
    let is_open = compared.is_some_and(|c| asks(&c) && !c.is_answered());
    let is_open = is_open || has_pasted && !unlike.is_empty();
    fault::after_printing(printed, Ok(if is_open { Outcome::Open } else { Outcome::Done }))
}

fn outcome(gate: &Gate) -> Outcome {
    match gate.verdict {
        GateVerdict::NotSlower => Outcome::Done,
        GateVerdict::Slower => Outcome::CertainNo,
        GateVerdict::Unknown => Outcome::Open,
    }
}

fn named(global: &Global, args: &Compare) -> Result<NamedRuns, Fault> {
    // Positions of stored runs are empty until these are read, all at once.
    let mut order: Vec<Option<RunLevels>> = Vec::new();
    let mut ids: Vec<RunId> = Vec::new();
    let store = stored::open(global)?;
    for word in &args.runs {
        match pasted::named(word)? {
            Some(runs) => order.extend(runs.into_iter().map(Some)),
            None => {
                let store = store.as_deref().ok_or_else(|| stored::none(word))?;
                for id in stored::named(store, word)? {
                    if !ids.contains(&id) {
                        ids.push(id);
                        order.push(None);
                    }
                }
            }
        }
    }
    let has_pasted = order.iter().any(Option::is_some);
    if ids.len() > RUNS {
        return Err(Fault::usage(format!("too many runs: name at most {RUNS}")));
    }
    let mut stored = match &store {
        Some(store) => stored::analysed(&**store, &ids)?,
        None => Vec::new(),
    };
    for (run, analysis) in &mut stored {
        if let Some(wanted) = args.drive_use {
            run.header.protocol.drive_use = wanted;
            *analysis = analyse(run);
        }
    }
    let mut own = stored.iter().map(|(run, analysis)| {
        if has_pasted { public_levels(run, analysis) } else { levels(run, analysis) }
    });
    // Two names of one run are one run.
    let levels = order.into_iter().filter_map(|pasted| pasted.or_else(|| own.next())).collect();
    Ok(NamedRuns { stored, levels, has_pasted })
}

/// In what the runs differ that may not be different: with a pasted one as far as it says.
fn unlike(compared: Option<&Compared>, levels: &[RunLevels], args: &Compare) -> Vec<Difference> {
    match compared {
        Some(compared) => compared.unlike().into_iter().cloned().collect(),
        None => gate::unlike(&levels.iter().collect::<Vec<_>>(), args.across),
    }
}

fn judged(levels: &[RunLevels], limit: f64, unlike: Vec<Difference>) -> Option<Gate> {
    let (new, earlier) = levels.split_last()?;
    let earlier: Vec<&RunLevels> = earlier.iter().collect();
    Some(gate::judge(&earlier, new, limit, unlike))
}

/// The recommendation of each run for the use that was asked for.
fn choices(runs: &[(Run, Analysis)], args: &Compare) -> Vec<(String, String)> {
    let of = |(run, analysis): &(Run, Analysis)| {
        let said = report::answer::Answer::new(run, analysis).choice.said;
        (run.header.short_id(), said)
    };
    runs.iter().filter(|_| args.drive_use.is_some()).map(of).collect()
}
