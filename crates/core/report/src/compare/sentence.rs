//! What holds over several runs, in words.

use bakeoff_judge::compare::Compared;
use bakeoff_judge::compare::answer::Answer;
use bakeoff_judge::rules::runs::named;
use bakeoff_model::difference::{Difference, Factor};
use bakeoff_model::verdict::Verdict;
use bakeoff_stats::distinct;

pub(super) fn headline(compared: &Compared) -> String {
    let unlike = compared.unlike();
    if !unlike.is_empty() {
        return format!("Not ranked: these runs differ in {}.", named(&unlike));
    }
    if compared.answers.is_empty() {
        let runs = compared.runs.len();
        return format!("{runs} runs without two candidates in common: figures, and no ranking.");
    }
    let runs = compared.runs.len();
    let over = match compared.across {
        Some(factor) if !compared.differences.is_empty() => {
            format!("{runs} runs that differ in {} only", in_factor(factor, &compared.differences))
        }
        Some(_) | None => format!("{runs} runs that differ only in the time of measurement"),
    };
    let all: Vec<String> = compared.answers.iter().map(in_short).collect();
    format!("Across {over}: {}.", all.join("; "))
}

fn in_factor(factor: Factor, differences: &[Difference]) -> String {
    match differences {
        [one] => one.to_string(),
        several => {
            let several: Vec<&Difference> = several.iter().collect();
            format!("the {}: {}", factor.name(), named(&several))
        }
    }
}

fn in_short(answer: &Answer) -> String {
    let workload = &answer.workload;
    match (answer.verdict, &answer.winner) {
        (Verdict::Fastest, Some(winner)) => format!("{winner} is ahead on {workload} in each"),
        (Verdict::AsFast, _) => format!("the best candidates are equally fast on {workload}"),
        (Verdict::Leads, _) => format!("{workload} is still without a winner"),
        _ if answer.is_flipped => format!("{workload} has more than one winner"),
        _ => format!("no verdict on {workload}"),
    }
}

pub(super) fn notes(compared: &Compared) -> Vec<String> {
    let is_alike = compared.is_alike;
    let mut notes: Vec<String> = compared
        .sizes
        .iter()
        .map(|size| format!("Compared all the same: {size} was chosen by the speed of the drive."))
        .collect();
    let factors = distinct::sorted(compared.differences.iter().map(|d| d.factor));
    let to_name = match factors.as_slice() {
        [Some(factor)] => Some(*factor),
        several if several.iter().all(Option::is_some) => Some(Factor::Board),
        _ => None,
    };
    match (compared.across, to_name) {
        (_, Some(factor)) if !is_alike => {
            let ids: Vec<&str> = compared.runs.iter().map(|run| run.short.as_str()).collect();
            notes.push(format!(
                "To compare across these differences: bakeoff compare {} --across {}",
                ids.join(" "),
                factor.name()
            ));
        }
        (Some(factor), _) if factors.is_empty() => notes.push(format!(
            "The {} is the same in all runs: they repeat one measurement.",
            factor.name()
        )),
        _ => {}
    }
    if is_alike && compared.across.is_some() {
        notes.push(
            "They were measured at different times, so changes over time are included.".to_string(),
        );
    }
    notes
}
