//! All that is said of a run: the answer, each workload with its standings, findings, and how to
//! use the winner. For `--details` on a terminal, and to paste in a forum.

use super::{Question, Row, RunDocument};
use crate::answer::{Matrix, MatrixCell, MatrixRow, PlaceAnswer, place_table};
use crate::document::{ColouredWord, Document, Table, number, words};
use crate::layout::{Tone, cut};
use crate::mark;
use crate::rounds;

const MACHINE: [&str; 4] = ["model", "CPU", "memory", "kernel"];
const WEAR_KEY: &str =
    "Bytes that reached the drive for each byte written. *: certain, =: equal wear.";
/// Columns of a candidate's name in the title of a column.
const REFERENCE: usize = 24;

impl RunDocument {
    /// All that is said of the run: for `--details`, and to paste.
    pub fn details(&self) -> Document {
        let mut out = Document::default();
        head(self, &mut out);
        if let Some(place) = &self.answer.place {
            write_place(place, &mut out);
        }
        if let Some(alone) = &self.alone {
            out.gap();
            out.table(alone.clone());
        }
        for question in &self.questions {
            write_question(question, self, &mut out);
        }
        limits(self, &mut out);
        let commands = &self.answer.choice.commands;
        if !commands.is_empty() {
            out.heading("Commands");
            out.verbatim(commands.iter().cloned());
        }
        foot(self, &mut out);
        out
    }
}

fn head(run: &RunDocument, out: &mut Document) {
    out.headline(run.answer.choice.said.as_str());
    run.answer.everything_to_know().into_iter().for_each(|advice| out.bullet(advice));
    run.answer.factors.iter().for_each(|factor| out.bullet(factor.as_str()));
    if let Some(matrix) = &run.answer.matrix {
        out.gap();
        out.table(all_on_all(matrix));
        out.paragraph(if run.answer.is_by_wear {
            WEAR_KEY
        } else {
            "Percentages are relative to the leader. *: certain, =: equally fast, !: stalls, \
                 ~: an estimate, <: less than."
        });
    }
    if let Some(wear) = &run.answer.wear {
        out.gap();
        out.table(all_on_all(wear));
        out.paragraph(WEAR_KEY);
    }
    out.gap();
    out.paragraph(run.title.as_str());
    out.paragraph(run.extent.as_str());
    let facts = run.facts.first().map_or(&[][..], |machine| &machine.facts);
    let facts = facts.iter().filter(|(label, _)| MACHINE.contains(&label.as_str()));
    let facts: Vec<String> = facts.map(|(label, value)| format!("{label} {value}")).collect();
    if !facts.is_empty() {
        out.paragraph(format!("Machine: {}.", facts.join(", ")));
    }
    run.ending.iter().for_each(|ending| out.paragraph(ending.as_str()));
    for column in run.columns.iter().filter(|column| column.name != column.what) {
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

/// Four figures of one directory, each with its verdict and source.
fn write_place(place: &PlaceAnswer, out: &mut Document) {
    out.heading("Is this normal?");
    out.table(place_table(place, true));
    for figure in &place.figures {
        if !figure.source.is_empty() {
            out.bullet(format!("{}: Source: {}", figure.name, figure.source));
        }
    }
}

fn write_question(question: &Question, run: &RunDocument, out: &mut Document) {
    let title = if question.summary.is_empty() {
        question.workload.clone()
    } else {
        format!("{}: {}", question.workload, question.summary)
    };
    let mark = if question.is_alone {
        ColouredWord { word: question.verdict_word.to_string(), tone: Tone::Strong }
    } else {
        mark::verdict(question.verdict, question.verdict_word)
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
        ("Control", question.control.clone()),
        ("Likely limit", question.bottleneck.clone()),
        ("Wear", question.wear.clone()),
    ];
    for (name, fact) in facts {
        fact.into_iter().for_each(|fact| out.line(1, format!("{name}: {fact}")));
    }
    run.own_findings(question).into_iter().for_each(|finding| out.finding(finding));
}

fn standings(question: &Question) -> Table {
    let binary = question.binary_unit.map(|unit| format!(" ({unit})")).unwrap_or_default();
    let against = match &question.reference {
        Some(reference) => format!("% against {}", cut(reference, REFERENCE)),
        None => "not ranked".to_string(),
    };
    let columns = [
        words("candidate"),
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
        format!("{}{binary}", row.rate),
        change.join(" "),
        row.p99.clone().unwrap_or_else(|| "-".to_string()),
        row.cells.to_string(),
    ]
}

fn limits(run: &RunDocument, out: &mut Document) {
    if !run.findings.is_empty() {
        out.heading("Limits of these answers");
        run.findings.iter().for_each(|finding| out.finding(finding));
    }
    if !run.invalid.is_empty() {
        out.heading("Discarded cells");
        run.invalid.iter().for_each(|line| out.bullet(line.as_str()));
    }
    if !run.missing.is_empty() {
        out.heading("Not measured");
        run.missing.iter().for_each(|(name, why)| out.bullet(format!("{name}: {why}")));
    }
}

fn foot(run: &RunDocument, out: &mut Document) {
    out.gap();
    out.paragraph(run.interval_note.as_str());
    let RunDocument { run: id, started, version, .. } = run;
    out.paragraph(format!("Run {id} of {started}, bakeoff {version}. Repeat it:"));
    out.verbatim([run.repeat.clone()]);
}
