//! Levels of several runs beside each other: figures, and what each later run has of the first.

use serde::Serialize;

use super::RunLevels;
use crate::gate::{self, GateRow};
use bakeoff_model::workload::Metric;

/// Rows by workload and candidate of the first run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SideBySide {
    pub runs: Vec<String>,
    pub rows: Vec<SideRow>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SideRow {
    pub workload: String,
    pub candidate: String,
    pub metric: Metric,
    /// In the unit of the metric, one for each run; `None` = no figure.
    pub figures: Vec<Option<f64>>,
    /// Rate in units of the first run and its 95 % interval; `None` for the first run, and where
    /// the runs are not alike.
    pub changes: Vec<Option<[f64; 3]>>,
}

/// `is_alike`: whether rates of these runs may be compared.
pub fn side_by_side(runs: &[RunLevels], is_alike: bool) -> SideBySide {
    let Some((first, others)) = runs.split_first() else {
        return SideBySide { runs: Vec::new(), rows: Vec::new() };
    };
    // The limit plays no part in a row's figures.
    let each: Vec<Vec<GateRow>> = others.iter().map(|run| gate::rows(&[first], run, 0.0)).collect();
    let of_first = gate::rows(&[first], first, 0.0);
    let row = |(at, own): (usize, &GateRow)| {
        let others = || each.iter().filter_map(|rows| rows.get(at));
        let changes = others().map(|row| row.change.filter(|_| is_alike));
        SideRow {
            workload: own.workload.clone(),
            candidate: own.candidate.clone(),
            metric: own.metric,
            figures: std::iter::once(own.new).chain(others().map(|row| row.new)).collect(),
            changes: std::iter::once(None).chain(changes).collect(),
        }
    };
    SideBySide {
        runs: runs.iter().map(|run| run.short.clone()).collect(),
        rows: of_first.iter().enumerate().map(row).collect(),
    }
}
