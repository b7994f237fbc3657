//! What holds over several runs, in words.

use super::answer::{Answer, Part, tied};
use super::factor::Factor;
use crate::analyse::claim;
use crate::model::verdict::Verdict;
use crate::phrases;
use crate::phrases::figures;

/// The answer for one workload.
pub(super) fn of(
    parts: &[Part],
    across: Option<Factor>,
    verdict: Verdict,
    is_flipped: bool,
) -> String {
    let summary = &parts[0].run.header.workloads[parts[0].workload].summary;
    match verdict {
        Verdict::Refused if is_flipped => {
            let on = across.map_or("run", Factor::name);
            let won: Vec<String> = parts.iter().map(alone).collect();
            format!("The answer depends on the {on}: {}; {summary}.", won.join("; "))
        }
        Verdict::Refused => refused(parts, summary),
        Verdict::Beats | Verdict::Fastest => {
            let winner = &parts[0].said.top[0];
            let each: Vec<String> = parts.iter().map(lead).collect();
            format!("{winner} is ahead in {}: {}; {summary}.", all(parts.len()), each.join("; "))
        }
        Verdict::Ties | Verdict::AsFast => {
            let margins = parts.iter().map(|p| p.run.header.protocol.tie_margin);
            let margin = figures::percent(margins.fold(0.0, f64::max));
            let blocks: Vec<String> =
                parts.iter().map(|p| format!("{} in {}", blocks(p), place(p))).collect();
            format!(
                "Equally fast in {}: {} are within {margin} of each other; {}; {summary}.",
                all(parts.len()),
                phrases::list(&tied(parts)),
                blocks.join("; ")
            )
        }
        Verdict::NotResolved | Verdict::Leads | Verdict::Alone => {
            let each: Vec<String> = parts.iter().map(alone).collect();
            format!("No common winner of these runs: {}; {summary}.", each.join("; "))
        }
    }
}

fn all(runs: usize) -> String {
    if runs == 2 { "both runs".to_string() } else { format!("all {runs} runs") }
}

/// A run and where it was made.
fn place(part: &Part) -> String {
    let conditions = claim::conditions(&part.run.header);
    if conditions.is_empty() {
        part.label.short.clone()
    } else {
        format!("{} ({conditions})", part.label.short)
    }
}

fn blocks(part: &Part) -> String {
    let most = part.pairs.iter().filter_map(|p| p.paired).map(|p| p.blocks).min();
    phrases::count(most.unwrap_or(0), "paired block")
}

/// How far the winner of a run is ahead of the next best.
fn lead(part: &Part) -> String {
    let winner = part.said.top.first().and_then(|name| part.index(name));
    let direct = part
        .pairs
        .iter()
        .find(|p| Some(p.a) == winner && p.interval.is_some_and(|interval| interval.low > 0.0));
    let told = direct.and_then(|p| Some((p, p.paired?, p.interval?)));
    match told {
        Some((pair, paired, interval)) => format!(
            "{}, {}, in {}",
            figures::faster(paired.mean, interval, &part.name(pair.b)),
            phrases::count(paired.blocks, "paired block"),
            place(part)
        ),
        None => {
            format!("fastest in {}, inferred from a chain of pairwise differences", place(part))
        }
    }
}

/// What one run says.
fn alone(part: &Part) -> String {
    let top = phrases::list(&part.said.top);
    match part.said.verdict {
        Verdict::Beats | Verdict::Fastest => format!("{top} is {}", lead(part)),
        Verdict::Ties | Verdict::AsFast => format!("{top} are equally fast in {}", place(part)),
        Verdict::NotResolved if top.is_empty() => {
            format!("{} has too few complete blocks", place(part))
        }
        Verdict::Refused => format!("{} gives no verdict", place(part)),
        Verdict::NotResolved | Verdict::Leads | Verdict::Alone => {
            format!("{top} are too close in {}", place(part))
        }
    }
}

fn refused(parts: &[Part], summary: &str) -> String {
    let reason = |p: &Part| match p.said.forbidden.as_slice() {
        [] if p.said.verdict == Verdict::Refused => {
            Some(format!("{} has fewer than two candidates with valid results", p.label.short))
        }
        [] => None,
        several => Some(format!("in {} {}", p.label.short, several.join("; "))),
    };
    let reasons: Vec<String> = parts.iter().filter_map(reason).collect();
    format!("No verdict on {summary}: {}.", reasons.join("; "))
}

/// All workloads in one sentence.
pub(super) fn summary(answers: &[Answer]) -> String {
    let told = |a: &Answer| match (a.verdict, &a.winner) {
        (Verdict::Beats, Some(winner)) => format!("{winner} is ahead on {} in each", a.workload),
        (Verdict::Ties, _) => format!("the best candidates are equally fast on {}", a.workload),
        (Verdict::NotResolved, _) => format!("{} is still without a winner", a.workload),
        (
            Verdict::Fastest | Verdict::AsFast | Verdict::Leads | Verdict::Refused | Verdict::Alone,
            _,
        )
        | (Verdict::Beats, None) => match a.findings.is_empty() {
            true => format!("no verdict on {}", a.workload),
            false => format!("{} has more than one winner", a.workload),
        },
    };
    let all: Vec<String> = answers.iter().map(told).collect();
    format!("{}.", all.join("; "))
}
