//! What holds over several runs, in words.

use bakeoff_judge::compare::answer::Answer;
use bakeoff_judge::compare::part::OfWorkload;
use bakeoff_judge::compare::{Compared, ComparedRun};
use bakeoff_judge::rules::runs::named;
use bakeoff_model::difference::{Difference, Factor};
use bakeoff_model::verdict::Verdict;
use bakeoff_stats::distinct;
use bakeoff_stats::phrases::{self, figures};

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

pub(super) fn text(compared: &Compared, answer: &Answer) -> String {
    let summary = &answer.summary;
    if !compared.is_alike {
        return format!("Not ranked on {summary}: the runs are not comparable.");
    }
    let each = |words: fn(&OfWorkload, &ComparedRun) -> String| -> String {
        let parts = answer.runs.iter().zip(&compared.runs);
        parts.map(|(said, run)| words(said, run)).collect::<Vec<_>>().join("; ")
    };
    match answer.verdict {
        Verdict::Refused if answer.is_flipped => {
            let on = compared.across.map_or("run", Factor::name);
            format!("The answer depends on the {on}: {}; {summary}.", each(alone))
        }
        Verdict::Refused => refused(compared, answer),
        Verdict::Fastest => {
            let (winner, all) = (&answer.runs[0].top[0], all(answer.runs.len()));
            format!("{winner} is ahead in {all}: {}; {summary}.", each(lead))
        }
        Verdict::AsFast => {
            let margin = answer.runs.iter().map(|said| said.tie_margin).fold(0.0, f64::max);
            let tied: Vec<String> = answer.tied().into_iter().map(str::to_string).collect();
            format!(
                "Equally fast in {}: {} are within {} of each other; {}; {summary}.",
                all(answer.runs.len()),
                phrases::list(&tied),
                figures::percent(margin),
                each(blocks)
            )
        }
        _ => format!("No common winner of these runs: {}; {summary}.", each(alone)),
    }
}

fn all(runs: usize) -> String {
    if runs == 2 { "both runs".to_string() } else { format!("all {runs} runs") }
}

fn place(run: &ComparedRun) -> String {
    if run.conditions.is_empty() {
        run.short.clone()
    } else {
        format!("{} ({})", run.short, run.conditions)
    }
}

fn blocks(said: &OfWorkload, run: &ComparedRun) -> String {
    format!("{} in {}", phrases::count(said.blocks, "paired block"), place(run))
}

fn lead(said: &OfWorkload, run: &ComparedRun) -> String {
    let place = place(run);
    match &said.lead {
        Some(lead) => format!(
            "{}, {}, in {place}",
            figures::faster(lead.mean_ln, lead.interval, &lead.over),
            phrases::count(lead.blocks, "paired block"),
        ),
        None => format!("fastest in {place}, inferred from a chain of pairwise differences"),
    }
}

fn alone(said: &OfWorkload, run: &ComparedRun) -> String {
    let (top, place) = (phrases::list(&said.top), place(run));
    match said.verdict {
        Verdict::Fastest => format!("{top} is {}", lead(said, run)),
        Verdict::AsFast => format!("{top} are equally fast in {place}"),
        Verdict::Leads if top.is_empty() => format!("{place} has too few complete blocks"),
        Verdict::Refused => format!("{place} gives no verdict"),
        _ => format!("{top} are too close in {place}"),
    }
}

fn refused(compared: &Compared, answer: &Answer) -> String {
    let reason = |(said, run): (&OfWorkload, &ComparedRun)| match said.forbidden.as_slice() {
        [] if said.verdict == Verdict::Refused => {
            Some(format!("{} has fewer than two candidates with valid results", run.short))
        }
        [] => None,
        several => Some(format!("in {} {}", run.short, several.join("; "))),
    };
    let reasons: Vec<String> = answer.runs.iter().zip(&compared.runs).filter_map(reason).collect();
    format!("No verdict on {}: {}.", answer.summary, reasons.join("; "))
}
