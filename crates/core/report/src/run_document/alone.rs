//! What one candidate did, as one table: a line a workload. A run that compares nothing has this in
//! place of standings, which would be a table of one line and empty columns for each workload.

use super::Question;
use crate::document::{Table, candidates, number, words};

/// A run's table without the columns that say nothing; `None` where candidates are compared or
/// nothing is measured.
pub fn table(questions: &[Question]) -> Option<Table> {
    let rows: Vec<Vec<String>> = questions.iter().flat_map(rows).collect();
    let candidate = rows.first()?[1].clone();
    if !questions.iter().all(|q| q.is_alone) {
        return None;
    }
    let has_rounds = questions.iter().any(|q| q.rounds.is_some());
    let columns = [
        words("workload"),
        // There may be its twin besides.
        candidates("candidate"),
        number("figure"),
        words("state"),
        number("lowest to highest"),
        number("p99"),
        number(if has_rounds { "rounds" } else { "blocks" }),
    ];
    let is_shown = |at: usize| match at {
        1 => rows.iter().any(|row| row[1] != candidate),
        at => rows.iter().any(|row| !row[at].is_empty()),
    };
    let shown: Vec<usize> = (0..columns.len()).filter(|at| is_shown(*at)).collect();
    let columns = shown.iter().map(|at| columns[*at].clone());
    let cells = |row: &Vec<String>| shown.iter().map(|at| row[*at].clone()).collect();
    Some(Table::new(columns, rows.iter().map(cells)))
}

fn rows(question: &Question) -> Vec<Vec<String>> {
    let row = |row: &super::Row| {
        vec![
            question.workload.clone(),
            row.candidate.clone(),
            row.figure(question),
            question.rounds.as_ref().map_or("", |rounds| rounds.word()).to_string(),
            format!("{} to {}", row.range.0, row.range.1),
            row.p99.clone().unwrap_or_default(),
            row.cells.to_string(),
        ]
    };
    question.rows.iter().map(row).collect()
}
