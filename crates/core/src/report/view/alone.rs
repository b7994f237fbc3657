//! What one candidate did, as one table: a line a workload. A run that compares nothing has this in
//! place of standings, which would be a table of one line and empty columns for each workload.

use super::{Question, View};
use crate::report::document::{Table, number, words};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub at: (usize, usize),
    pub workload: String,
    /// Name of the candidate: there may be its twin besides.
    pub candidate: String,
    /// "9700 IOPS", "3520 MB/s (3350 MiB/s)".
    pub figure: String,
    /// Whether rounds are steady; nothing where there are none.
    pub state: &'static str,
    /// "9030 to 10300", of single cells, in the unit of the figure.
    pub range: String,
    /// 99th percentile of the latency, or nothing.
    pub p99: String,
    pub cells: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alone {
    pub lines: Vec<Line>,
    /// Whether there is more than one name among the candidates.
    pub has_several: bool,
    pub has_rounds: bool,
    /// Whether any line has a 99th percentile.
    pub has_p99: bool,
}

impl Alone {
    /// The table of a view; `None` where candidates are compared or nothing is measured.
    pub fn from_view(view: &View) -> Option<Alone> {
        if !view.questions.iter().all(|q| q.is_alone) {
            return None;
        }
        let lines: Vec<Line> = view.questions.iter().enumerate().flat_map(of_workload).collect();
        let first = lines.first()?.candidate.clone();
        Some(Alone {
            has_several: lines.iter().any(|line| line.candidate != first),
            has_rounds: view.questions.iter().any(|q| q.rounds.is_some()),
            has_p99: lines.iter().any(|line| !line.p99.is_empty()),
            lines,
        })
    }

    pub fn cell_word(&self) -> &'static str {
        if self.has_rounds { "rounds" } else { "blocks" }
    }

    pub fn table(&self) -> Table {
        let chosen = [
            (true, words("workload")),
            (self.has_several, words("candidate")),
            (true, number("figure")),
            (self.has_rounds, words("state")),
            (true, number("lowest to highest")),
            (self.has_p99, number("p99")),
            (true, number(self.cell_word())),
        ];
        let is_shown = chosen.each_ref().map(|(is_shown, _)| *is_shown);
        let cells = |line: &Line| {
            let all = [
                line.workload.clone(),
                line.candidate.clone(),
                line.figure.clone(),
                line.state.to_string(),
                line.range.clone(),
                line.p99.clone(),
                line.cells.to_string(),
            ];
            all.into_iter()
                .zip(is_shown)
                .filter_map(|(cell, shown)| shown.then_some(cell))
                .collect()
        };
        let columns = chosen.into_iter().filter_map(|(shown, column)| shown.then_some(column));
        Table::new(columns, self.lines.iter().map(cells))
    }
}

fn of_workload((at, question): (usize, &Question)) -> Vec<Line> {
    let line = |(row_at, row): (usize, &super::Row)| Line {
        at: (at, row_at),
        workload: question.workload.clone(),
        candidate: row.candidate.clone(),
        figure: match (&row.binary_rate, question.binary_unit) {
            (Some(binary), Some(unit)) => {
                format!("{} {} ({binary} {unit})", row.rate, question.unit)
            }
            _ => format!("{} {}", row.rate, question.unit),
        },
        state: question.rounds.as_ref().map_or("", |rounds| rounds.word),
        range: format!("{} to {}", row.range.0, row.range.1),
        p99: row.p99.clone().unwrap_or_default(),
        cells: row.cells,
    };
    question.rows.iter().enumerate().map(line).collect()
}
