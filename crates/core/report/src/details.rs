//! All that is said of a run: the answer, each workload with its standings, findings, and how to
//! use the winner. For `--details` on a terminal, and to paste in a forum.

use super::answer::{Matrix, MatrixCell, MatrixRow, PlaceAnswer, place_table};
use super::document::{Document, Mark, Table, number, words};
use super::layout::{Tone, cut};
use super::mark;
use super::rounds;
use super::view::{Question, Row, View, alone};

/// Facts of a machine that belong to its name.
const MACHINE: [&str; 4] = ["model", "CPU", "memory", "kernel"];
/// Columns of a candidate's name in the title of a column.
const REFERENCE: usize = 24;

pub fn document(view: &View) -> Document {
    let mut out = Document::default();
    head(view, &mut out);
    if let Some(place) = &view.answer.place {
        write_place(place, &mut out);
    }
    if let Some(alone) = alone::table(&view.questions) {
        out.gap();
        out.table(alone);
    }
    for question in &view.questions {
        write_question(question, view, &mut out);
    }
    limits(view, &mut out);
    if !view.recipe.is_empty() {
        out.heading("Commands");
        out.verbatim(view.recipe.iter().cloned());
    }
    foot(view, &mut out);
    out
}

fn head(view: &View, out: &mut Document) {
    out.headline(view.answer.choice.said.as_str());
    view.answer.everything_to_know().into_iter().for_each(|advice| out.bullet(advice));
    if let Some(matrix) = &view.answer.matrix {
        out.gap();
        out.table(all_on_all(matrix));
        out.paragraph(
            "Percentages are relative to the leader. *: certain, =: equally fast, !: \
                       stalls.",
        );
    }
    out.gap();
    out.paragraph(view.title.as_str());
    out.paragraph(view.extent.as_str());
    let facts = view.facts.first().map_or(&[][..], |machine| &machine.facts);
    let facts = facts.iter().filter(|(label, _)| MACHINE.contains(&label.as_str()));
    let facts: Vec<String> = facts.map(|(label, value)| format!("{label} {value}")).collect();
    if !facts.is_empty() {
        out.paragraph(format!("Machine: {}.", facts.join(", ")));
    }
    view.ending.iter().for_each(|ending| out.paragraph(ending.as_str()));
    for column in &view.columns {
        out.bullet(format!("{} = {}", column.name, column.what));
    }
}

/// Candidates x workloads: the leader's figure, the others as a share of it.
fn all_on_all(matrix: &Matrix) -> Table {
    let columns = matrix.columns.iter().map(|column| number(column.name.as_str()));
    let cells = |row: &MatrixRow| {
        let cell = |cell: &MatrixCell| format!("{}{}", cell.label, cell.mark());
        let cells = row.cells.iter().map(|of| cell(of).trim_end().to_string());
        std::iter::once(row.name.clone()).chain(cells).collect()
    };
    Table::new(std::iter::once(words("")).chain(columns), matrix.rows.iter().map(cells))
}

/// Four figures of one directory, each with its verdict, range and source.
fn write_place(place: &PlaceAnswer, out: &mut Document) {
    out.heading("Is this normal?");
    out.table(place_table(place, true));
    for figure in place.figures.iter().filter(|figure| !figure.usual.is_empty()) {
        let source = match figure.source.is_empty() {
            true => String::new(),
            false => format!(". Source: {}", figure.source),
        };
        out.bullet(format!("{}: {}{source}", figure.name, figure.usual));
    }
}

fn write_question(question: &Question, view: &View, out: &mut Document) {
    let title = match question.summary.is_empty() {
        true => question.workload.clone(),
        false => format!("{}: {}", question.workload, question.summary),
    };
    let mark = match question.is_alone {
        true => Mark { word: question.verdict_word.to_string(), tone: Tone::Strong },
        false => mark::verdict(question.verdict, question.verdict_word),
    };
    out.result(title, mark);
    out.paragraph(question.sentence.as_str());
    if !question.is_alone {
        out.gap();
        out.table(standings(question));
    }
    let facts = [
        (
            "Rounds",
            question
                .rounds
                .as_ref()
                .map(|r| format!("{} ({})", rounds::line(r, question.unit_scale), question.unit)),
        ),
        ("Slices", question.slices.clone()),
        ("A/A control", question.control.clone()),
        ("Bottleneck", question.bottleneck.clone()),
        ("Energy", question.energy.clone()),
    ];
    for (name, fact) in facts {
        fact.into_iter().for_each(|fact| out.line(1, format!("{name}: {fact}")));
    }
    view.own_findings(question).for_each(|finding| out.finding(finding));
}

fn standings(question: &Question) -> Table {
    let binary = question.binary_unit.map(|unit| format!(" ({unit})")).unwrap_or_default();
    let against = match &question.reference {
        Some(reference) => format!("% against {}", cut(reference, REFERENCE)),
        None => "not ranked".to_string(),
    };
    let columns = [
        words("candidate"),
        words("tier"),
        number(format!("{}{binary}", question.unit)),
        words(against),
        number("p99"),
        number("n"),
    ];
    Table::new(columns, question.rows.iter().map(standing))
}

fn standing(row: &Row) -> Vec<String> {
    let binary = row.binary_rate.as_ref().map(|rate| format!(" ({rate})")).unwrap_or_default();
    let change = row.change.as_ref().map(|c| format!("{} ({} to {})", c.mid, c.low, c.high));
    let change: Vec<String> = change.into_iter().chain(row.dropped.clone()).collect();
    vec![
        row.candidate.clone(),
        row.tier.clone().unwrap_or("-".to_string()),
        format!("{}{binary}", row.rate),
        change.join(" "),
        row.p99.clone().unwrap_or_else(|| "-".to_string()),
        row.cells.to_string(),
    ]
}

/// What limits all answers, and what has none.
fn limits(view: &View, out: &mut Document) {
    if !view.findings.is_empty() {
        out.heading("Limits of these answers");
        view.findings.iter().for_each(|finding| out.finding(finding));
    }
    if !view.invalid.is_empty() {
        out.heading("Discarded cells");
        view.invalid.iter().for_each(|line| out.bullet(line.as_str()));
    }
    if !view.missing.is_empty() {
        out.heading("Not measured");
        view.missing.iter().for_each(|(name, why)| out.bullet(format!("{name}: {why}")));
    }
}

fn foot(view: &View, out: &mut Document) {
    out.gap();
    out.paragraph(view.interval_note.as_str());
    view.closed_loop_note.into_iter().for_each(|note| out.paragraph(note));
    let View { run, started, version, .. } = view;
    out.paragraph(format!("Run {run} of {started}, bakeoff {version}. Repeat it:"));
    out.verbatim([view.repeat.clone()]);
}
