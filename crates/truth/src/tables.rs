//! The tables of docs/truth, in Markdown.

use crate::checks::CheckOutcomes;
use crate::examination::ExamOutcomes;
use crate::fit::FitOutcomes;
use crate::gate::GateOutcomes;
use crate::outcome::{Advice, InTurns, Outcome};

/// The title of a column, and what is in it.
type Column = (&'static str, fn(&Outcome) -> String);

const OUTCOMES: [Column; 16] = [
    ("noise", |o| format!("{:.0} %", o.noise_percent)),
    ("k", |o| o.k.to_string()),
    ("W", |o| o.w.to_string()),
    ("runs", |o| o.runs.to_string()),
    ("false winner", |o| percent(o.share(o.false_beats))),
    ("in the headline", |o| percent(o.share(o.false_headline))),
    ("right winner", |o| percent(o.share(o.right_winner))),
    ("in the headline", |o| percent(o.share(o.headline_right))),
    ("as fast", |o| percent(o.share(o.as_fast))),
    ("leads", |o| percent(o.share(o.leads))),
    ("refused", |o| percent(o.share(o.refused))),
    ("lead true", |o| percent(o.share(o.lead_true))),
    ("settled", |o| percent(o.share(o.headline_settled))),
    ("coverage", |o| percent(o.share(o.coverage))),
    ("cells", |o| format!("{:.0}", o.cells_used)),
    ("of all", |o| percent(o.cells_used / o.cells_fixed_design.max(1.0))),
];

const TURNS: [Column; 12] = [
    ("k", |o| o.k.to_string()),
    ("runs", |o| o.runs.to_string()),
    ("false winner", |o| percent(o.share(o.false_beats))),
    ("right winner", |o| percent(o.share(o.right_winner))),
    ("as fast", |o| percent(o.share(o.as_fast))),
    ("refused", |o| percent(o.share(o.refused))),
    ("lead true", |o| percent(o.share(o.lead_true))),
    ("ratios covered", |o| percent(o.share(o.coverage))),
    ("levels covered", |o| percent(turns(o, |t| o.share(t.level_coverage)))),
    ("level off by", |o| format!("{:.1} %", turns(o, |t| t.level_error_percent))),
    ("by visits", |o| percent(turns(o, |t| o.share(t.by_visits)))),
    ("unsettled", |o| percent(turns(o, |t| o.share(t.unsettled_found)))),
];

const ADVICE: [Column; 7] = [
    ("k", |o| o.k.to_string()),
    ("W", |o| o.w.to_string()),
    ("runs", |o| o.runs.to_string()),
    ("advice given", |o| percent(advised(o, |a| o.share(a.given)))),
    ("of it right", |o| percent(advised(o, |a| f64::from(a.right) / f64::from(a.given.max(1))))),
    ("unfit chosen", |o| percent(advised(o, |a| o.share(a.unfit_chosen)))),
    ("wrong change", |o| percent(advised(o, |a| o.share(a.wrong_change)))),
];

fn advised(of: &Outcome, figure: impl Fn(&Advice) -> f64) -> f64 {
    of.advice.as_ref().map_or(0.0, figure)
}

fn turns(of: &Outcome, figure: impl Fn(&InTurns) -> f64) -> f64 {
    of.turns.as_ref().map_or(0.0, figure)
}

pub fn outcomes(all: &[Outcome]) -> String {
    let is_plain = |o: &&Outcome| o.turns.is_none() && o.advice.is_none();
    let plain: Vec<&Outcome> = all.iter().filter(is_plain).collect();
    let costly: Vec<&Outcome> = all.iter().filter(|o| o.turns.is_some()).collect();
    let advice: Vec<&Outcome> = all.iter().filter(|o| o.advice.is_some()).collect();
    let of = |name: &str, columns: &[Column], rows: &[&Outcome]| {
        let titles: Vec<&str> = columns.iter().map(|(title, _)| *title).collect();
        let cells = |o: &&Outcome| {
            let figures = columns.iter().map(|(_, figure)| figure(o));
            std::iter::once(o.name.clone()).chain(figures).collect()
        };
        table(&[name], &titles, rows.iter().map(cells))
    };
    let mut tables = vec![of("the truth", &OUTCOMES, &plain)];
    if !costly.is_empty() {
        tables.push(of("what a turn costs", &TURNS, &costly));
    }
    if !advice.is_empty() {
        tables.push(of("advice", &ADVICE, &advice));
    }
    tables.join("\n")
}

/// How often the gate says what, and is wrong.
pub fn gates(found: &[GateOutcomes]) -> String {
    let columns = [
        "noise",
        "runs differ by",
        "blocks",
        "base runs",
        "rates",
        "runs",
        "slower",
        "not slower",
        "unknown",
        "wrong",
    ];
    let cells = |of: &GateOutcomes| {
        vec![
            of.name.clone(),
            format!("{:.0} %", of.noise_percent),
            format!("{:.0} %", of.session_percent),
            of.blocks.to_string(),
            of.base_runs.to_string(),
            of.rates.to_string(),
            of.runs.to_string(),
            percent(of.share(of.slower)),
            percent(of.share(of.not_slower)),
            percent(of.share(of.unknown)),
            percent(of.share(of.wrong)),
        ]
    };
    table(&["the truth"], &columns, found.iter().map(cells))
}

pub fn exams(found: &[ExamOutcomes]) -> String {
    let cells = |of: &ExamOutcomes| {
        vec![
            of.name.clone(),
            of.truth.label().to_string(),
            of.runs.to_string(),
            percent(of.share(of.found())),
            percent(of.share(of.false_alarms())),
        ]
    };
    let columns = ["runs", "found", "false alarms"];
    table(&["the truth", "wrong with it"], &columns, found.iter().map(cells))
}

/// How often `fit` and its weekly checks say what.
pub fn fits(fits: &[FitOutcomes], checks: &[CheckOutcomes]) -> String {
    let columns = ["figure / limit", "runs", "yes", "no", "too close", "wrong", "covered", "after"];
    let cells = |of: &FitOutcomes| {
        let asked = if of.is_rate { "rate" } else { "p99" };
        let name = format!("{asked}: {}", of.name);
        let mut cells = vec![name, format!("{:.2}", of.truth), of.runs.to_string()];
        let counts = [of.yes, of.no, of.too_close, of.wrong, of.covered];
        cells.extend(counts.map(|count| percent(of.share(count))));
        cells.push(format!("{:.0} s", of.seconds));
        cells
    };
    let drives = table(&["the drive"], &columns, fits.iter().map(cells));
    let columns = ["changes by", "boards", "false alarm", "found in 4 weeks", "found"];
    let cells = |of: &CheckOutcomes| {
        let mut cells = vec![of.name.clone(), format!("{:.2}", of.change), of.boards.to_string()];
        cells.extend([of.false_alarms, of.found_soon, of.found].map(|n| percent(of.share(n))));
        cells
    };
    drives + "\n" + &table(&["a year of checks"], &columns, checks.iter().map(cells))
}

/// A table of columns of words, and then of numbers.
fn table(words: &[&str], numbers: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let titles: Vec<String> = words.iter().chain(numbers).map(ToString::to_string).collect();
    let rules = [vec![":--"; words.len()], vec!["--:"; numbers.len()]].concat().join("|");
    let mut out = format!("{}|{rules}|\n", line(&titles));
    out.extend(rows.map(|cells| line(&cells)));
    out
}

/// "4.2 %"; "100 %" without a fraction.
fn percent(share: f64) -> String {
    match format!("{:.1}", share * 100.0).as_str() {
        "100.0" => "100 %".to_string(),
        other => format!("{other} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    #[test]
    fn keys_are_those_that_were_promised_and_tables_have_a_row_each() {
        let outcome = catalogue::all()[0].play(3, 7).unwrap();
        let value = serde_json::to_value(&outcome).unwrap();
        let keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
        let promised = [
            "as_fast",
            "carry_over_found",
            "cells_fixed_design",
            "cells_used",
            "coverage",
            "drift_percent",
            "false_beats",
            "false_headline",
            "gaps_percent",
            "headline_right",
            "headline_settled",
            "k",
            "lag1",
            "lead_true",
            "leads",
            "name",
            "noise_percent",
            "refused",
            "right_winner",
            "runs",
            "w",
        ];
        assert_eq!(keys, promised);
        let text = outcomes(&[outcome]);
        assert_eq!(text.lines().filter(|l| l.starts_with('|')).count(), 3);
        assert!(text.contains("| equal, quiet drive |"), "{text}");
    }
}
