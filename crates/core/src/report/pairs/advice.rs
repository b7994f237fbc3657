//! What to do, as far as the answers carry.

use crate::decide::schedule;
use crate::distinct;
use crate::evidence::rule::CLAIMS;
use crate::model::finding::Scope;
use crate::model::health;
use crate::model::host::PlaceClass;
use crate::model::run::Run;
use crate::model::verdict::{Effect, Verdict, WorkloadVerdict};
use crate::phrases;
use crate::phrases::figures;
use crate::report::view::short_id;
use crate::rules::{limit, unlike_promises};

/// One sentence a line: the choice, how to learn more, what mends a refusal.
pub fn lines(run: &Run, verdicts: &[WorkloadVerdict]) -> Vec<String> {
    let mut lines = drives(run);
    if !schedule::has_question(run) {
        return lines;
    }
    lines.extend(choice(run, verdicts));
    lines.extend(prices(run, verdicts));
    lines.extend(forgetful(run, verdicts));
    lines.extend(more_blocks(run, verdicts));
    lines.extend(claims(verdicts));
    lines
}

/// What would let a claim be made, each advice once with the workloads it is for.
fn claims(verdicts: &[WorkloadVerdict]) -> impl Iterator<Item = String> {
    let mut wanted: Vec<(String, Vec<String>)> = Vec::new();
    for verdict in verdicts.iter().filter(|v| v.verdict == Verdict::Refused) {
        for finding in limit::forbidding(&verdict.findings) {
            let advice = finding.advice.trim_end_matches('.');
            let name = verdict.workload.clone();
            match wanted.iter_mut().find(|(known, _)| known == advice) {
                Some((_, names)) if names.contains(&name) => {}
                Some((_, names)) => names.push(name),
                None => wanted.push((advice.to_string(), vec![name])),
            }
        }
    }
    let line = |(advice, names): (String, Vec<String>)| {
        format!("For a verdict on {}: {advice}.", phrases::names(&names))
    };
    wanted.into_iter().map(line)
}

/// Drives whose own counts of errors or wear grew during the run.
fn drives(run: &Run) -> Vec<String> {
    let told = health::grown(&run.told_before, &run.told_after);
    let line = |(disk, grown): (String, Vec<String>)| {
        format!(
            "During this run {disk} reported {}: run `bakeoff check`, fix the problems it reports, \
             and measure again.",
            phrases::list(&grown)
        )
    };
    told.into_iter().map(line).collect()
}

fn more_blocks(run: &Run, verdicts: &[WorkloadVerdict]) -> Option<String> {
    let is_over = run.stopped.as_ref().is_some_and(|(reason, _)| !reason.is_resumable());
    let open = || verdicts.iter().filter(|v| v.verdict == Verdict::NotResolved);
    let ns = open().filter_map(|v| v.resolve_ns).max().filter(|_| !is_over)?;
    let names: Vec<String> =
        open().filter(|v| v.resolve_ns.is_some()).map(|v| v.workload.clone()).collect();
    let id = short_id(&run.header.run);
    let minutes = ns.div_ceil(60_000_000_000);
    Some(format!(
        "For a verdict on {}: bakeoff resume {id} --time {minutes}m.",
        phrases::list(&names)
    ))
}

/// The choice the answers lead to; `None` while there is no answer.
fn choice(run: &Run, verdicts: &[WorkloadVerdict]) -> Option<String> {
    let is_place = CLAIMS.resolve(&run.header) == Scope::Place;
    let verb = if is_place { "use" } else { "format with" };
    let won = verdicts.iter().filter_map(|v| Some((best_lasting(run, v)?, v.workload.clone())));
    let winners = phrases::grouped(won);
    let open = verdicts
        .iter()
        .filter(|v| matches!(v.verdict, Verdict::NotResolved | Verdict::Refused))
        .count();
    match winners.as_slice() {
        [] => keep(run, verdicts, open),
        [(winner, on)] if is_small(run, winner, verdicts) => Some(format!(
            "The difference hardly matters: {winner} is ahead on {} by less than {}.",
            phrases::list(on),
            figures::percent(run.header.protocol.tie_margin)
        )),
        [(winner, on)] => {
            let won_by_memory = verdicts
                .iter()
                .any(|v| v.winner.as_deref().is_some_and(|w| w != *winner && is_memory(run, w)));
            let verb = match won_by_memory {
                true => format!("Of the directories that keep their data after a restart, {verb}"),
                false => phrases::capital(verb),
            };
            let on = phrases::list(on);
            Some(match (open, on_all(verdicts, winner, run)) {
                (_, true) => format!("{verb} {winner}."),
                (0, false) => {
                    format!(
                        "{verb} {winner}: it is faster for {on} and equally fast for the other \
                             workloads."
                    )
                }
                (_, false) => format!("{verb} {winner} for {on}."),
            })
        }
        several => {
            let each =
                several.iter().map(|(w, on)| format!("{verb} {w} for {}", phrases::list(on)));
            Some(format!(
                "The choice depends on the workload: {}.",
                each.collect::<Vec<_>>().join("; ")
            ))
        }
    }
}

fn on_all(verdicts: &[WorkloadVerdict], winner: &str, run: &Run) -> bool {
    verdicts.iter().all(|v| best_lasting(run, v) == Some(winner))
}

/// The winner of a workload; where memory wins, the one for certain ahead of all that is not.
fn best_lasting<'a>(run: &Run, verdict: &'a WorkloadVerdict) -> Option<&'a str> {
    let winner = verdict.winner.as_deref()?;
    if !is_memory(run, winner) {
        return Some(winner);
    }
    let lasting: Vec<&str> = verdict
        .standings
        .iter()
        .map(|s| s.candidate.as_str())
        .filter(|name| !is_memory(run, name))
        .collect();
    let beats = |x: &str, y: &str| verdict.effects.iter().any(|e| is_ahead(e, x, y));
    let (first, rest) = lasting.split_first()?;
    (!rest.is_empty() && rest.iter().all(|other| beats(first, other))).then_some(first)
}

fn is_ahead(effect: &Effect, x: &str, y: &str) -> bool {
    (effect.a == x && effect.b == y && effect.low > 1.0)
        || (effect.a == y && effect.b == x && effect.high < 1.0)
}

/// Whether the winner is ahead of the next best by less than counts, wherever it is ahead.
fn is_small(run: &Run, winner: &str, verdicts: &[WorkloadVerdict]) -> bool {
    let margin = 1.0 + run.header.protocol.tie_margin;
    let won = verdicts.iter().filter(|v| v.winner.as_deref() == Some(winner));
    let mut won = won.peekable();
    won.peek().is_some() && won.all(|v| v.effects.iter().any(|e| e.a == winner && e.high < margin))
}

/// What winners do not promise that others do.
fn prices(run: &Run, verdicts: &[WorkloadVerdict]) -> Vec<String> {
    let winners = distinct::sorted(verdicts.iter().filter_map(|v| v.winner.as_deref()));
    let of = |winner: &str| {
        let prices = unlike_promises::prices(&run.header, winner);
        prices.into_iter().map(|price| format!("{winner} {price}.")).collect::<Vec<_>>()
    };
    winners.into_iter().flat_map(of).collect()
}

/// A word about winners that lose everything at a restart.
fn forgetful(run: &Run, verdicts: &[WorkloadVerdict]) -> Option<String> {
    let winners = verdicts.iter().filter_map(|v| v.winner.as_deref());
    let mut memory: Vec<String> =
        winners.filter(|w| is_memory(run, w)).map(str::to_string).collect();
    memory.dedup();
    (!memory.is_empty()).then(|| {
        let verb = if memory.len() == 1 { "is" } else { "are" };
        format!("{} {verb} in memory: all data there is lost at a restart.", phrases::list(&memory))
    })
}

/// Nobody wins: keep what is there, when that is certain.
fn keep(run: &Run, verdicts: &[WorkloadVerdict], open: usize) -> Option<String> {
    let tied = |name: &String| {
        let mut ties = verdicts.iter().filter(|v| v.verdict == Verdict::Ties).peekable();
        ties.peek().is_some()
            && ties.all(|v| v.tiers.first().is_some_and(|tier| tier.contains(name)))
    };
    let names: Vec<&String> =
        run.header.candidates.iter().map(|c| &c.name).filter(|n| tied(n)).collect();
    // ext4 is what most have; where it does not take part, the one that was named first.
    let keep = names.iter().find(|n| n.as_str() == "ext4").or(names.first())?;
    let far = if open == 0 { "" } else { " so far" };
    Some(format!("Equally fast{far}: keep {keep}."))
}

fn is_memory(run: &Run, name: &str) -> bool {
    run.header.directories().any(|(of, place)| of == name && place.class == PlaceClass::Memory)
}

#[cfg(test)]
mod tests {
    use super::lines;
    use crate::analyse::analyse;
    use crate::model::event::What;
    use crate::model::health::{DriveTold, Health};
    use crate::testing::RunBuilder;

    #[test]
    fn a_drive_that_counted_errors_meanwhile_is_named() {
        let told = |crc_errors| {
            let health = Health { crc_errors: Some(crc_errors), ..Health::default() };
            vec![DriveTold { disk: "sda".into(), health: Some(health), why: None }]
        };
        let advice = |after: u64| {
            let mut run = RunBuilder::directories(&["/home"]);
            run.push(What::DrivesTold { after: false, drives: told(3) });
            // A resumed run asks again; what was told first is still the beginning.
            run.push(What::DrivesTold { after: false, drives: told(4) });
            run.push(What::DrivesTold { after: true, drives: told(after) });
            let run = run.play(99, |_, _, _| 1000.0).build();
            lines(&run, &analyse(&run).verdicts)
        };
        assert!(advice(5)[0].contains("sda reported 2 more transfers corrupted on the cable"));
        assert!(advice(3).is_empty());
    }
}
