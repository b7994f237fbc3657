//! Figures of runs beside each other, as one table.

use super::answer::{self, amount, figure_words};
use super::document::{Table, number, words};
use bakeoff_judge::levels::side_by_side::{SideBySide, SideRow};
use bakeoff_stats::units;

/// Of two runs a row has both; of more each run has a row of its own.
pub fn table(of: &SideBySide) -> Table {
    let is_one = of.rows.iter().all(|row| row.candidate == of.rows[0].candidate);
    let mut columns = vec![words("workload")];
    if !is_one {
        columns.push(words("candidate"));
    }
    let mut rows = Vec::new();
    if let [first, second] = of.runs.as_slice() {
        let title = format!("{second} / {first} (95 % CI)");
        columns.extend([number(first), number(second), number(title)]);
        rows.extend(of.rows.iter().map(|row| {
            let cells = [figure(row, 0), figure(row, 1), change(row.changes[1])];
            names(row, is_one).into_iter().chain(cells).collect()
        }));
        return Table::new(columns, rows);
    }
    columns.extend([words("run"), number("figure"), number("ratio (95 % CI)")]);
    for row in &of.rows {
        for (at, run) in of.runs.iter().enumerate() {
            let mut cells = names(row, is_one);
            if at > 0 {
                cells.iter_mut().for_each(String::clear);
            }
            let ratio = if at == 0 { String::new() } else { change(row.changes[at]) };
            cells.extend([run.clone(), figure(row, at), ratio]);
            rows.push(cells);
        }
    }
    Table::new(columns, rows)
}

fn names(row: &SideRow, is_one: bool) -> Vec<String> {
    let mut names = vec![answer::workload_name(&row.workload)];
    if !is_one {
        names.push(row.candidate.clone());
    }
    names
}

fn figure(row: &SideRow, at: usize) -> String {
    let of = row.figures.get(at).copied().flatten();
    of.map_or_else(|| "-".to_string(), |value| figure_words(row.metric, value))
}

/// `0.98 (0.95 to 1.02)`; one that is too wide to be told is the estimate with a question mark.
pub fn change(of: Option<[f64; 3]>) -> String {
    match of {
        None => "-".to_string(),
        Some([ratio, low, high]) if amount::is_unknown(low, high) => {
            format!("~{} ?", units::three_digits(ratio))
        }
        Some([ratio, low, high]) => {
            let [ratio, low, high] = [ratio, low, high].map(units::three_digits);
            format!("{ratio} ({low} to {high})")
        }
    }
}
