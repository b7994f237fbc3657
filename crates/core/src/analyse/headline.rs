//! One answer over all workloads, without a composite score, and what to do about it.
//!
//! A statement over several workloads is wrong as soon as it is wrong on one, so each interval in
//! it is taken at the alpha of all pairs on all workloads.

use super::{claim, figures, places};
use crate::decide::compare::{Comparison, Outcome};
use crate::decide::schedule;
use crate::decide::table::Table;
use crate::lint::limit;
use crate::model::candidate::Kind;
use crate::model::finding::Scope;
use crate::model::host::PlaceClass;
use crate::model::run::Run;
use crate::model::verdict::{Verdict, WorkloadVerdict};
use crate::words;

/// What may be said of one workload inside a statement over all.
enum Part {
    /// The winner, and by how much in percent of the next best, rounded.
    Beats { winner: String, by: String },
    /// Those that tie.
    Ties(Vec<String>),
    /// An answer by itself that does not hold with all others together.
    Alone(String),
    /// No answer yet.
    Open,
    /// A finding forbids it.
    Refused(Vec<String>),
}

/// One or two sentences over all workloads.
pub fn of(run: &Run, table: &Table, verdicts: &[WorkloadVerdict]) -> String {
    let header = &run.header;
    if !schedule::has_question(run) {
        let name = header.candidates.first().map_or("nothing", |c| c.name.as_str());
        return format!("{name} is measured; there is nothing to compare it with.");
    }
    let complete = schedule::complete(run);
    let first = header.protocol.first_look();
    if complete < first {
        return format!("No verdict yet: {complete} of {first} blocks are complete.");
    }
    let parts: Vec<(String, Part)> =
        (0..).zip(verdicts).map(|(w, v)| (v.workload.clone(), part(run, table, w, v))).collect();
    let mut said = summary(&parts);
    if claim::scope(header) == Scope::Place {
        said.push_str(&differing_places(run));
    }
    if let Some(reach) = claim::reach(header) {
        said.push(' ');
        said.push_str(reach);
    }
    said
}

fn part(run: &Run, table: &Table, workload: u16, verdict: &WorkloadVerdict) -> Part {
    let alpha = run.header.protocol.alpha_headline(run.header.workloads.len());
    let strict = Comparison::of(run, table, workload, alpha);
    match (verdict.verdict, strict.settled.outcome) {
        (Verdict::Refused, _) => {
            let forbidding = limit::forbidding(&verdict.findings);
            let mut ids: Vec<String> = forbidding.iter().map(|f| f.id.clone()).collect();
            ids.dedup();
            Part::Refused(ids)
        }
        (Verdict::NotResolved, _) => Part::Open,
        (Verdict::Beats, Outcome::Beats) => {
            let winner = verdict.winner.clone().unwrap_or_default();
            Part::Beats { by: lead(verdict), winner }
        }
        (Verdict::Ties, Outcome::Ties) => {
            Part::Ties(verdict.tiers.first().cloned().unwrap_or_default())
        }
        (Verdict::Beats, _) => Part::Alone(format!("{} ahead", verdict.tiers[0].join(""))),
        (Verdict::Ties, _) => Part::Alone("a tie".to_string()),
    }
}

/// `6 %` or `3.1 times`: how far the winner is before the next best.
fn lead(verdict: &WorkloadVerdict) -> String {
    let Some(effect) = verdict.effects.iter().find(|e| e.low > 1.0) else {
        return "a certain margin".to_string();
    };
    let interval =
        crate::stats::paired::Interval { low: libm::log(effect.low), high: libm::log(effect.high) };
    figures::lead(libm::log(effect.ratio), interval)
}

/// The parts in words: winners first, each with its workloads.
fn summary(parts: &[(String, Part)]) -> String {
    let total = parts.len();
    let mut said = Vec::new();
    let mut winners: Vec<&String> = Vec::new();
    for (_, part) in parts {
        if let Part::Beats { winner, .. } = part
            && !winners.contains(&winner)
        {
            winners.push(winner);
        }
    }
    for winner in winners {
        let on: Vec<String> = parts
            .iter()
            .filter_map(|(w, p)| match p {
                Part::Beats { winner: x, by } if x == winner => Some(format!("{w} (by {by})")),
                _ => None,
            })
            .collect();
        let all = if on.len() == total && total > 1 { "all workloads: " } else { "" };
        said.push(format!("{winner} is ahead of the others on {all}{}", words::list(&on)));
    }
    let tied: Vec<&(String, Part)> =
        parts.iter().filter(|(_, p)| matches!(p, Part::Ties(_))).collect();
    if let Some((_, Part::Ties(first))) = tied.first() {
        let same =
            tied.iter().all(|(_, p)| matches!(p, Part::Ties(t) if sorted(t) == sorted(first)));
        let on = |t: &[&(String, Part)]| {
            words::list(&t.iter().map(|(w, _)| w.clone()).collect::<Vec<_>>())
        };
        if same {
            said.push(format!("it does not matter on {}: {} tie", on(&tied), words::list(first)));
        } else {
            said.extend(tied.iter().filter_map(|(w, p)| match p {
                Part::Ties(t) => Some(format!("on {w} {} tie", words::list(t))),
                _ => None,
            }));
        }
    }
    for (workload, part) in parts {
        match part {
            Part::Open => said.push(format!("{workload} is not resolved")),
            Part::Refused(ids) if ids.is_empty() => said.push(format!("no claim on {workload}")),
            Part::Refused(ids) => said.push(format!("no claim on {workload} ({})", ids.join(", "))),
            Part::Alone(what) => said.push(format!(
                "on {workload} taken alone {what}, not certain for all {total} workloads together"
            )),
            Part::Beats { .. } | Part::Ties(_) => {}
        }
    }
    let text = said.join("; ");
    let mut chars = text.chars();
    // Names keep their spelling; only our own first word gets a capital.
    let is_ours = ["it does", "on ", "no claim"].iter().any(|w| text.starts_with(w));
    match chars.next() {
        Some(c) if is_ours => format!("{}{}.", c.to_ascii_uppercase(), chars.as_str()),
        _ => format!("{text}."),
    }
}

fn sorted(names: &[String]) -> Vec<&String> {
    let mut names: Vec<&String> = names.iter().collect();
    names.sort();
    names
}

fn differing_places(run: &Run) -> String {
    let all: Vec<u16> = (0..run.header.candidates.len() as u16).collect();
    let places: Vec<_> = places::of(&run.header, &all).into_iter().map(|(_, p)| p).collect();
    let names: Vec<String> =
        places::differing(&places).iter().map(|a| a.name.to_string()).collect();
    if names.is_empty() {
        " Nothing that bakeoff knows of differs between these places.".to_string()
    } else {
        format!(" These places differ in {}.", words::list(&names))
    }
}

/// What to do, one sentence a line.
pub fn advice(run: &Run, verdicts: &[WorkloadVerdict]) -> Vec<String> {
    if !schedule::has_question(run) {
        return Vec::new();
    }
    let mut lines = Vec::new();
    lines.extend(choice(run, verdicts));
    let missing: Vec<&WorkloadVerdict> =
        verdicts.iter().filter(|v| v.verdict == Verdict::NotResolved).collect();
    if let Some(ns) = missing.iter().filter_map(|v| v.resolve_ns).max() {
        let names: Vec<String> =
            missing.iter().filter(|v| v.resolve_ns.is_some()).map(|v| v.workload.clone()).collect();
        let id: String = run.header.run.chars().take(8).collect();
        let minutes = ns.div_ceil(60_000_000_000);
        lines.push(format!(
            "To know about {}: bakeoff resume {id} --time {minutes}m.",
            words::list(&names)
        ));
    }
    for verdict in verdicts.iter().filter(|v| v.verdict == Verdict::Refused) {
        for finding in limit::forbidding(&verdict.findings) {
            let line = format!("For a claim about {}: {}.", verdict.workload, finding.advice);
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}

/// The choice the answers lead to; `None` while there is no answer.
fn choice(run: &Run, verdicts: &[WorkloadVerdict]) -> Option<String> {
    let is_place = claim::scope(&run.header) == Scope::Place;
    let verb = if is_place { "use" } else { "format with" };
    let mut winners: Vec<(&String, Vec<String>)> = Vec::new();
    for verdict in verdicts {
        let Some(winner) = &verdict.winner else { continue };
        match winners.iter_mut().find(|(w, _)| *w == winner) {
            Some((_, on)) => on.push(verdict.workload.clone()),
            None => winners.push((winner, vec![verdict.workload.clone()])),
        }
    }
    let answered = verdicts.iter().filter(|v| v.verdict != Verdict::NotResolved);
    let open = verdicts.len() - answered.filter(|v| v.verdict != Verdict::Refused).count();
    match winners.as_slice() {
        [] => keep(run, verdicts, open),
        [(winner, on)] => {
            let note = if is_memory(run, winner) {
                " (it is memory: nothing there survives a restart)"
            } else {
                ""
            };
            let rest = if on.len() == verdicts.len() {
                String::new()
            } else if open == 0 {
                format!(", for {}; on the rest it ties or does not matter", words::list(on))
            } else {
                format!(", as far as {} goes", words::list(on))
            };
            Some(format!("{} {winner}{rest}{note}.", capital(verb)))
        }
        several => {
            let each = several.iter().map(|(w, on)| format!("{verb} {w} for {}", words::list(on)));
            Some(format!("It depends on what you do: {}.", each.collect::<Vec<_>>().join("; ")))
        }
    }
}

/// Nobody wins: keep what is there, when that is certain.
fn keep(run: &Run, verdicts: &[WorkloadVerdict], open: usize) -> Option<String> {
    let tied = |name: &String| {
        let tiers = verdicts.iter().filter(|v| v.verdict == Verdict::Ties);
        tiers.clone().next().is_some()
            && tiers.clone().all(|v| v.tiers.first().is_some_and(|t| t.contains(name)))
    };
    let names: Vec<&String> =
        run.header.candidates.iter().map(|c| &c.name).filter(|n| tied(n)).collect();
    // ext4 is what most have; where it does not take part, the one that was named first.
    let keep = names.iter().find(|n| n.as_str() == "ext4").or(names.first())?;
    let far = if open == 0 { "" } else { ", as far as is known" };
    Some(format!("It does not matter{far}: keep {keep}."))
}

fn is_memory(run: &Run, name: &str) -> bool {
    run.header.candidates.iter().any(|c| {
        c.name == name
            && matches!(&c.kind, Kind::Directory { place, .. } if place.class == PlaceClass::Memory)
    })
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or(String::new(), |c| format!("{}{}", c.to_ascii_uppercase(), chars.as_str()))
}
