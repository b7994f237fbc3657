//! What was simulated, for programs, for a terminal, and as the wide tables of docs/truth.md.

use serde_json::json;

use super::document::{self, Document, number, words};
use bakeoff_judge::simulate::examination::ExamOutcomes;
use bakeoff_judge::simulate::gate::GateOutcomes;
use bakeoff_judge::simulate::outcome::{Advice, InTurns};
use bakeoff_judge::simulate::{Outcome, Simulation};

const LEGEND: &str = "wrong: runs that name a false winner on the first workload; overall: on any \
    workload, in the statement about all of them; right: runs that name the true winner; equal: as \
    fast as any; open: leads so far; true: no candidate is faster by more than the lead says; \
    cells: mean per run, and its share of 27 blocks (20 in quick). docs/truth.md describes the \
    guarantees and their limits.";

/// One JSON document: `bakeoff/simulate/1`.
pub fn simulate_json(simulation: &Simulation) -> String {
    json!({
        "schema": "bakeoff/simulate/1",
        "seed": simulation.seed,
        "scenarios": simulation.outcomes,
    })
    .to_string()
}

struct Column<T> {
    title: &'static str,
    short: Option<&'static str>,
    figure: fn(&T) -> String,
}

const fn column<T>(
    title: &'static str,
    short: Option<&'static str>,
    figure: fn(&T) -> String,
) -> Column<T> {
    Column { title, short, figure }
}

const OUTCOMES: [Column<Outcome>; 16] = [
    column("noise", None, |o| format!("{:.0} %", o.noise_percent)),
    column("k", Some("k"), |o| o.k.to_string()),
    column("W", Some("W"), |o| o.w.to_string()),
    column("runs", None, |o| o.runs.to_string()),
    column("false winner", Some("wrong"), |o| percent(o.share(o.false_beats))),
    column("in the headline", Some("overall"), |o| percent(o.share(o.false_headline))),
    column("right winner", Some("right"), |o| percent(o.share(o.right_winner))),
    column("in the headline", None, |o| percent(o.share(o.headline_right))),
    column("as fast", Some("equal"), |o| percent(o.share(o.as_fast))),
    column("leads", Some("open"), |o| percent(o.share(o.leads))),
    column("refused", Some("refused"), |o| percent(o.share(o.refused))),
    column("lead true", Some("true"), |o| percent(o.share(o.lead_true))),
    column("settled", None, |o| percent(o.share(o.headline_settled))),
    column("coverage", None, |o| percent(o.share(o.coverage))),
    column("cells", Some("cells"), |o| format!("{:.0}", o.cells_used)),
    column("of all", Some("of all"), |o| percent(o.cells_used / o.cells_fixed_design.max(1.0))),
];

const TURNS: [Column<Outcome>; 12] = [
    column("k", Some("k"), |o| o.k.to_string()),
    column("runs", None, |o| o.runs.to_string()),
    column("false winner", Some("wrong"), |o| percent(o.share(o.false_beats))),
    column("right winner", Some("right"), |o| percent(o.share(o.right_winner))),
    column("as fast", Some("equal"), |o| percent(o.share(o.as_fast))),
    column("refused", Some("refused"), |o| percent(o.share(o.refused))),
    column("lead true", None, |o| percent(o.share(o.lead_true))),
    column("ratios covered", Some("ratios"), |o| percent(o.share(o.coverage))),
    column("levels covered", Some("levels"), |o| percent(turns(o, |t| o.share(t.level_coverage)))),
    column("level off by", Some("off by"), |o| {
        format!("{:.1} %", turns(o, |t| t.level_error_percent))
    }),
    column("by visits", Some("visits"), |o| percent(turns(o, |t| o.share(t.by_visits)))),
    column("unsettled", Some("found"), |o| percent(turns(o, |t| o.share(t.unsettled_found)))),
];

const ADVICE: [Column<Outcome>; 7] = [
    column("k", Some("k"), |o| o.k.to_string()),
    column("W", Some("W"), |o| o.w.to_string()),
    column("runs", None, |o| o.runs.to_string()),
    column("advice given", Some("given"), |o| percent(advised(o, |a| o.share(a.given)))),
    column("of it right", Some("right"), |o| {
        percent(advised(o, |a| f64::from(a.right) / f64::from(a.given.max(1))))
    }),
    column("unfit chosen", Some("unfit"), |o| percent(advised(o, |a| o.share(a.unfit_chosen)))),
    column("wrong change", Some("wrong change"), |o| {
        percent(advised(o, |a| o.share(a.wrong_change)))
    }),
];

fn advised(of: &Outcome, figure: impl Fn(&Advice) -> f64) -> f64 {
    of.advice.as_ref().map_or(0.0, figure)
}

fn turns(of: &Outcome, figure: impl Fn(&InTurns) -> f64) -> f64 {
    of.turns.as_ref().map_or(0.0, figure)
}

fn in_turns(simulation: &Simulation) -> impl Iterator<Item = &Outcome> {
    simulation.outcomes.iter().filter(|o| o.turns.is_some())
}

pub fn simulate_markdown(simulation: &Simulation) -> String {
    let mut out = Document::default();
    let all = simulation.outcomes.iter().filter(|o| o.turns.is_none() && o.advice.is_none());
    let outcomes = all.map(|o| (vec![o.name.clone()], o));
    out.table(table(&["the truth"], &OUTCOMES, |column| Some(column.title), outcomes));
    let costly = in_turns(simulation).map(|o| (vec![o.name.clone()], o)).collect::<Vec<_>>();
    if !costly.is_empty() {
        let title = |column: &Column<Outcome>| Some(column.title);
        out.table(table(&["what a turn costs"], &TURNS, title, costly.into_iter()));
    }
    let advice = simulation.outcomes.iter().filter(|o| o.advice.is_some());
    let advice = advice.map(|o| (vec![o.name.clone()], o)).collect::<Vec<_>>();
    if !advice.is_empty() {
        let title = |column: &Column<Outcome>| Some(column.title);
        out.table(table(&["advice"], &ADVICE, title, advice.into_iter()));
    }
    out.markdown()
}

/// The same for a terminal: a table with the most important columns for each scenario.
pub fn simulate_document(simulation: &Simulation) -> Document {
    let runs = simulation.outcomes.first().map_or(0, |o| o.runs);
    let error = 200.0 * libm::sqrt(0.05 * 0.95 / f64::from(runs.max(1)));
    let mut out = Document::default();
    out.paragraph(format!(
        "Simulated drives with known differences, {runs} runs of each, seed {}. With this many \
         runs, a share of 5 % is accurate to within {error:.1} % (two standard errors).",
        simulation.seed
    ));
    out.gap();
    out.paragraph(LEGEND);
    let is_plain = |o: &&Outcome| o.turns.is_none() && o.advice.is_none();
    let all: Vec<&Outcome> = simulation.outcomes.iter().filter(is_plain).collect();
    for same in all.chunk_by(|a, b| a.name == b.name) {
        same.first().into_iter().for_each(|o| out.heading(o.name.as_str()));
        let rows = same.iter().map(|o| (Vec::new(), *o));
        out.table(table(&[], &OUTCOMES, |column| column.short, rows));
    }
    out.gap();
    out.paragraph(
        "Drives on which the turn of another candidate costs time. levels: figures in files or \
         operations per second agree with those of a candidate alone; off by: mean error of the \
         first candidate; visits: measured in one piece; found: the finding unsettled.",
    );
    for o in in_turns(simulation) {
        out.heading(o.name.as_str());
        let row = std::iter::once((Vec::new(), o));
        out.table(table(&[], &TURNS, |column| column.short, row));
    }
    out.gap();
    out.paragraph(
        "Advice where some candidates are unfit for the use. given: one is advised; right: of \
         these, the best that is fit, or one within 10 % of it; wrong change: advice to \
         change to it for a gain below 25 %.",
    );
    for o in simulation.outcomes.iter().filter(|o| o.advice.is_some()) {
        out.heading(o.name.as_str());
        out.table(table(&[], &ADVICE, |column| column.short, std::iter::once((Vec::new(), o))));
    }
    out
}

/// How often the gate says what, and is wrong: a table of docs/truth.md.
pub fn gates_document(found: &[GateOutcomes]) -> Document {
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
    let columns = std::iter::once(words("the truth")).chain(columns.map(number));
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
    let mut out = Document::default();
    out.table(document::Table::new(columns, found.iter().map(cells)));
    out
}

pub fn exams_document(found: &[ExamOutcomes]) -> Document {
    let columns = [words("the truth"), words("wrong with it")];
    let columns = columns.into_iter().chain(["runs", "found", "false alarms"].map(number));
    let cells = |of: &ExamOutcomes| {
        vec![
            of.name.clone(),
            of.truth.label().to_string(),
            of.runs.to_string(),
            percent(of.share(of.found())),
            percent(of.share(of.false_alarms())),
        ]
    };
    let mut out = Document::default();
    out.table(document::Table::new(columns, found.iter().map(cells)));
    out
}

/// A table of the columns that have a title there, after columns of `names`.
fn table<'a, T: 'a>(
    names: &[&str],
    columns: &[Column<T>],
    title: fn(&Column<T>) -> Option<&'static str>,
    rows: impl Iterator<Item = (Vec<String>, &'a T)>,
) -> document::Table {
    let shown: Vec<&Column<T>> = columns.iter().filter(|of| title(of).is_some()).collect();
    let cells = |(names, of): (Vec<String>, &T)| {
        names.into_iter().chain(shown.iter().map(|column| (column.figure)(of))).collect()
    };
    let names = names.iter().copied().map(words);
    let figures = shown.iter().filter_map(|column| title(column)).map(number);
    document::Table::new(names.chain(figures), rows.map(cells))
}

/// "4.2 %", and "100 %", which leaves a terminal space for one more column.
pub(super) fn percent(share: f64) -> String {
    match format!("{:.1}", share * 100.0).as_str() {
        "100.0" => "100 %".to_string(),
        other => format!("{other} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_judge::simulate::catalogue;

    #[test]
    fn keys_are_those_that_were_promised_and_tables_have_a_row_each() {
        let scenario = &catalogue::all()[0];
        let simulation = Simulation { seed: 7, outcomes: vec![scenario.play(3, 7).unwrap()] };
        let value: serde_json::Value = serde_json::from_str(&simulate_json(&simulation)).unwrap();
        assert_eq!(value["schema"], "bakeoff/simulate/1");
        let keys: Vec<&str> =
            value["scenarios"][0].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            [
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
                "w"
            ]
        );
        let text = simulate_markdown(&simulation);
        assert_eq!(text.lines().filter(|l| l.starts_with('|')).count(), 3);
        assert!(text.contains("| equal, quiet drive |"), "{text}");
    }

    #[test]
    fn every_scenario_has_its_figures_and_no_line_is_wider_than_a_terminal() {
        let all = catalogue::all();
        let simulation = Simulation {
            seed: 7,
            outcomes: all.iter().map(|scenario| scenario.play(2, 7).unwrap()).collect(),
        };
        let text = simulate_document(&simulation).text(80, false);
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        for scenario in &all {
            assert!(text.contains(&format!("\n{}\n", scenario.name)), "{text}");
        }
        let figures = text.lines().filter(|line| line.contains('%')).count();
        assert!(figures > all.len(), "{text}");
    }
}
