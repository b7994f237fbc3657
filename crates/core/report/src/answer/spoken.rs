//! The answer for a screen reader or a pipe: what the screen shows, in sentences, without a table,
//! a mark or a colour.

use super::Answer;
use super::matrix::{Matrix, MatrixRow};
use bakeoff_stats::phrases;

const LIMITS_MAX: usize = 3;

/// Lays an answer out; `report` is the path of the HTML report, where one was written.
pub fn write(answer: &Answer, report: Option<&str>) -> String {
    let mut lines = match answer.place {
        Some(_) => vec![format!("Answer: {}", answer.choice.said)],
        None => vec![format!("Recommendation: {}", answer.choice.said)],
    };
    lines.extend(answer.choice.notes.iter().map(|note| format!("Note: {note}")));
    lines.extend(answer.beside.iter().cloned());
    lines.extend(answer.choice.commands.iter().map(|c| format!("Command: {c}")));
    let figures = answer.place.iter().flat_map(|place| &place.figures);
    lines.extend(figures.map(|figure| figure.spoken()));
    for line in answer.lines_beside_place() {
        let blocks = phrases::count(line.blocks, "block");
        let said = if answer.matrix.is_some() { &line.said } else { &line.figure };
        lines.push(format!("{}: {said} Measured in {blocks}.", phrases::capital(&line.workload)));
    }
    lines.extend(answer.factors.iter().cloned());
    if let Some(matrix) = &answer.matrix {
        lines.extend(matrix.rows.iter().map(|row| candidate(matrix, row)));
    }
    if answer.wear.is_some() {
        lines.push(format!("Wear: bakeoff show {} --by wear", answer.id));
    }
    lines.extend(answer.bottleneck.clone());
    let limits = answer.limits.iter().take(LIMITS_MAX);
    lines.extend(limits.map(|limit| limit.whole()));
    let hidden = answer.limits.len().saturating_sub(LIMITS_MAX);
    if hidden > 0 {
        lines.push(format!("{} not listed here.", phrases::count(hidden, "more finding")));
    }
    lines.push(match report {
        Some(path) => format!("Report: {path}"),
        None => format!("To write a report: bakeoff show {} -o report.html", answer.id),
    });
    lines.push(format!("All details: bakeoff show {} --details", answer.id));
    lines.extend(answer.resume.iter().map(|how| format!("To continue: {how}")));
    lines.join("\n") + "\n"
}

fn candidate(matrix: &Matrix, row: &MatrixRow) -> String {
    let each = matrix.columns.iter().zip(&row.cells);
    let each: Vec<String> =
        each.map(|(column, cell)| format!("{} {}", column.name, cell.spoken)).collect();
    format!("Candidate {}: {}.", row.name, each.join("; "))
}
