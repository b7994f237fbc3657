//! One answer over all workloads, without a composite score.

use crate::analyse::together::{self, Part};
use crate::analyse::{places, scope};
use crate::decide::schedule;
use crate::evidence;
use crate::model::index::{CandidateIx, WorkloadIx};
use crate::model::run::Run;
use crate::model::verdict::{Verdict, WorkloadVerdict};
use crate::phrases;
use crate::phrases::figures;
use crate::stats::paired::Interval;

/// So many figures of one candidate are told in its headline; more are for the table.
const MOST_TOLD: usize = 6;

pub fn text(run: &Run, verdicts: &[WorkloadVerdict]) -> String {
    let header = &run.header;
    if !schedule::has_question(run) {
        let name = header.candidates.first().map_or("nothing", |c| c.name.as_str());
        if verdicts.iter().all(|v| v.standings.is_empty()) {
            let mut workloads = WorkloadIx::all(header.workloads.len());
            return match workloads.any(|w| !evidence::discarded(run, w).is_empty()) {
                true => format!("No result for {name}: every measurement was discarded."),
                false => format!("Nothing measured yet in {name}."),
            };
        }
        return alone(run, name, verdicts);
    }
    let complete = schedule::complete(run);
    let first = header.protocol.first_look();
    if complete < first {
        return format!("No verdict yet: {complete} of {first} blocks are complete.");
    }
    let parts = verdicts.iter().zip(together::parts(run, verdicts));
    let mut said = summary(&parts.collect::<Vec<_>>());
    let all: Vec<CandidateIx> = CandidateIx::all(header.candidates.len()).collect();
    if let Some(differ) = places::differ_in(header, &all) {
        said.push(' ');
        said.push_str(&differ);
    }
    let is_claim = |v: &WorkloadVerdict| matches!(v.verdict, Verdict::Beats | Verdict::Ties);
    if let Some(reach) = scope::reach(header).filter(|_| verdicts.iter().any(is_claim)) {
        said.push(' ');
        said.push_str(reach);
    }
    said
}

/// What one candidate did, while that is short enough for a headline.
fn alone(run: &Run, name: &str, verdicts: &[WorkloadVerdict]) -> String {
    let told = run.header.workloads.iter().zip(verdicts).filter_map(|(workload, verdict)| {
        let own = verdict.standings.first()?;
        Some(format!("{} {}", verdict.workload, workload.metric.figure(own.mean)))
    });
    let told: Vec<String> = told.collect();
    if told.len() > MOST_TOLD {
        return format!("{name} was measured with {} workloads.", told.len());
    }
    format!("{name}: {}.", phrases::list(&told))
}

/// `by 6 %` or `3.1 times as fast`: how far the winner is ahead of the next best.
fn lead(verdict: &WorkloadVerdict) -> String {
    let Some(effect) = verdict.effects.iter().find(|e| e.low > 1.0) else {
        return "with 95 % confidence".to_string();
    };
    let interval = Interval { low: libm::log(effect.low), high: libm::log(effect.high) };
    figures::lead(libm::log(effect.ratio), interval)
}

type Parts<'a> = [(&'a WorkloadVerdict, Part)];

/// The parts in words: winners first, each with its workloads, then ties, then what is open.
fn summary(parts: &Parts) -> String {
    let total = parts.len();
    let mut said = winners(parts);
    said.extend(ties(parts));
    let alone = |on: Vec<String>, what: String| {
        let over = format!("not with 95 % confidence for all {total} workloads together");
        format!("{what} on {} when judged alone, but {over}", phrases::list(&on))
    };
    said.extend(
        grouped(parts, |p| match p {
            Part::BeatsAlone(winner) => Some(format!("{winner} is ahead")),
            Part::TiesAlone(names) => Some(format!("{} are equally fast", phrases::names(names))),
            Part::Beats { .. } | Part::Ties(..) | Part::Open | Part::Refused(_) => None,
        })
        .into_iter()
        .map(|(what, on)| alone(on, what)),
    );
    let open = grouped(parts, |p| matches!(p, Part::Open).then(String::new));
    said.extend(open.into_iter().map(|(_, on)| {
        let verb = if on.len() == 1 { "is" } else { "are" };
        format!("{} {verb} still without a winner", phrases::list(&on))
    }));
    let begins_with_name = !said.is_empty();
    said.extend(
        grouped(parts, |p| {
            let Part::Refused(ids) = p else { return None };
            Some(if ids.is_empty() { String::new() } else { format!(" ({})", ids.join(", ")) })
        })
        .into_iter()
        .map(|(why, on)| format!("no verdict on {}{why}", phrases::list(&on))),
    );
    // Names keep their spelling.
    match (said.join("; "), begins_with_name) {
        (said, true) => format!("{said}."),
        (said, false) => format!("{}.", phrases::capital(&said)),
    }
}

fn winners(parts: &Parts) -> Vec<String> {
    let by_winner = grouped(parts, |p| {
        let Part::Beats { winner, others } = p else { return None };
        Some(match others.as_slice() {
            [one] => format!("{winner} is ahead of {one}"),
            several => format!("{winner} is ahead of the {} others", several.len()),
        })
    });
    let leads = |workload: &String| {
        let of = parts.iter().find(|(v, _)| v.workload == *workload);
        of.map_or_else(|| workload.clone(), |(v, _)| format!("{workload} ({})", lead(v)))
    };
    let tell = |(what, on): (String, Vec<String>)| {
        let all = if on.len() == parts.len() && on.len() > 1 { "all workloads: " } else { "" };
        format!("{what} on {all}{}", phrases::list(&on.iter().map(leads).collect::<Vec<_>>()))
    };
    by_winner.into_iter().map(tell).collect()
}

fn ties(parts: &Parts) -> Vec<String> {
    let by_tie = grouped(parts, |p| {
        let Part::Ties(names, behind) = p else { return None };
        Some((sorted(names), *behind))
    });
    let tell = |((names, behind), on): ((String, usize), Vec<String>)| match behind {
        0 => format!("{names} are equally fast on {}", phrases::list(&on)),
        1 => format!("{names} are equally fast on {}, ahead of the other one", phrases::list(&on)),
        _ => format!(
            "{names} are equally fast on {}, ahead of the {behind} others",
            phrases::list(&on)
        ),
    };
    by_tie.into_iter().map(tell).collect()
}

/// Names that tie, in one order wherever they are told.
fn sorted(names: &[String]) -> String {
    let mut names = names.to_vec();
    names.sort();
    phrases::names(&names)
}

/// Workloads grouped by what `key` says of their part, in order of first appearance.
fn grouped<K: PartialEq>(parts: &Parts, key: impl Fn(&Part) -> Option<K>) -> Vec<(K, Vec<String>)> {
    let keyed = parts.iter().filter_map(|(v, part)| Some((key(part)?, v.workload.clone())));
    phrases::grouped(keyed)
}
