//! The matrix while a run is measured: few lines that a terminal redraws in place.

use crate::layout::{Tone, cut, paint};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use bakeoff_stats::phrases;

use super::matrix::{self, Matrix, MatrixRow, Place};
use super::table;

/// Lines that are redrawn; more would scroll on a small terminal.
pub const LINES_MAX: usize = 12;

/// Who leads so far and who is out, then candidates x workloads as far as they are measured.
/// [`LINES_MAX`] lines of `width` columns at most; none where nothing is compared. A candidate or
/// workload that is not shown is counted.
pub fn live(run: &Run, analysis: &Analysis, width: usize, color: bool) -> Vec<String> {
    if !analysis.compares {
        return Vec::new();
    }
    let matrix = matrix::from_run(run, analysis);
    let width = width.max(40);
    let mut lines = vec![paint(&cut(&leads(&matrix), width), Tone::Strong, color)];
    let mut parts = table::parts(&matrix, "", width, color).into_iter();
    let table = parts.next().unwrap_or_default();
    let hidden_columns = parts.count();
    let room = LINES_MAX - lines.len();
    let mut hidden = Vec::new();
    let shown = if table.len() > room || hidden_columns > 0 {
        table.len().min(room - 1)
    } else {
        table.len()
    };
    if shown < table.len() {
        hidden.push(phrases::count(table.len() - shown, "candidate"));
    }
    if hidden_columns > 0 {
        hidden.push("some workloads".to_string());
    }
    lines.extend(table.into_iter().take(shown));
    if !hidden.is_empty() {
        let note = format!("Not shown: {}.", phrases::list(&hidden));
        lines.push(paint(&cut(&note, width), Tone::Grey, color));
    }
    lines
}

/// "xfs leads so far (random writes, small files); ext4 (random reads). Out: ntfs-3g."
fn leads(matrix: &Matrix) -> String {
    let leads = matrix.columns.iter().enumerate().filter_map(|(i, column)| {
        let leads = |r: &&MatrixRow| r.cells[i].place == Place::Leader;
        let row = matrix.rows.iter().find(leads)?;
        Some((row.name.as_str(), column.name.clone()))
    });
    let leaders = phrases::grouped(leads);
    let is_out = |row: &&MatrixRow| {
        let mut known = row.cells.iter().filter(|c| c.ratio.is_some()).peekable();
        known.peek().is_some() && known.all(|c| c.place == Place::Behind)
    };
    let out: Vec<String> = matrix.rows.iter().filter(is_out).map(|r| r.name.clone()).collect();
    let out = if out.is_empty() {
        String::new()
    } else {
        format!(" Certainly slower for all workloads: {}.", phrases::names(&out))
    };
    let is_all = |on: &Vec<String>| on.len() == matrix.columns.len() && on.len() > 1;
    match leaders.as_slice() {
        [] => "The first block is not complete; no candidate leads yet.".to_string(),
        [(name, on)] if is_all(on) => format!("{name} leads so far for all workloads.{out}"),
        several => {
            let each = several.iter().enumerate().map(|(i, (name, on))| match i {
                0 => format!("{name} leads so far ({})", on.join(", ")),
                _ => format!("{name} ({})", on.join(", ")),
            });
            format!("{}.{out}", each.collect::<Vec<_>>().join("; "))
        }
    }
}
