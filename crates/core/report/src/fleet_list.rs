//! The boards in a store. Schema `bakeoff/fleet-list/1`, documented in docs/format.md.

use serde::Serialize;

use super::document::{Document, Table, words};
use super::run_document::day;
use crate::fleet::board::{FleetBoard, of_machines};
use crate::fleet::run_group::RunGroup;
use bakeoff_model::machine::Machine;
use bakeoff_model::path::sanitize;
use bakeoff_stats::distinct;
use bakeoff_stats::phrases;

const LABELS: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FleetEntry {
    /// Host name; with digits of the id where another board has that name too.
    pub name: String,
    pub board_id: Option<String>,
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    pub kernel: String,
    pub runs: u64,
    pub last_run: String,
    /// When that one began, nanoseconds since 1970.
    pub last_unix_ns: i64,
    pub labels: Vec<String>,
}

impl FleetEntry {
    fn from_board(board: &FleetBoard, all: &[RunGroup]) -> FleetEntry {
        let mut own: Vec<&RunGroup> = board.runs.iter().filter_map(|at| all.get(*at)).collect();
        let last = own.iter().map(|seen| &seen.last).max_by_key(|last| last.order());
        let (runs, last) = (own.iter().map(|seen| seen.runs).sum(), last.cloned());
        own.sort_by_key(|seen| seen.first_unix_ns);
        let labels = own.iter().filter_map(|seen| seen.label.as_deref()).map(sanitize);
        let mut labels = distinct::in_order(labels);
        labels.truncate(LABELS);
        FleetEntry {
            name: board.name.clone(),
            board_id: board.board_id.clone(),
            model: board.model.clone(),
            role: board.role.clone(),
            kernel: last.as_ref().map_or(String::new(), |last| sanitize(&last.kernel)),
            runs,
            last_run: last.as_ref().map_or(String::new(), |last| sanitize(&last.run)),
            last_unix_ns: last.map_or(0, |last| last.unix_ns),
            labels,
        }
    }

    fn cells(&self) -> Vec<String> {
        vec![
            self.name.clone(),
            self.model.clone().unwrap_or_else(|| "unknown".to_string()),
            self.kernel.clone(),
            format!("{}, last {}", phrases::count(self.runs, "run"), day(self.last_unix_ns)),
            self.labels.join(", "),
        ]
    }
}

/// The boards of these runs, in the order of the run that came into the store last.
pub fn entries(all: &[RunGroup]) -> Vec<FleetEntry> {
    let machines: Vec<Machine> = all.iter().map(|seen| seen.machine.clone()).collect();
    of_machines(&machines).0.iter().map(|board| FleetEntry::from_board(board, all)).collect()
}

pub fn document(entries: &[FleetEntry]) -> Document {
    let mut out = Document::default();
    if entries.is_empty() {
        out.paragraph(
            "No runs are stored yet. To add a board, export a run there (bakeoff show last \
             --no-redact -o run.bundle) and import it here: bakeoff import run.bundle",
        );
        return out;
    }
    let columns = ["board", "model", "kernel", "runs", "labels"].map(words);
    out.table(Table::new(columns, entries.iter().map(FleetEntry::cells)));
    out.paragraph(phrases::count(entries.len(), "board"));
    let shared = |entry: &&FleetEntry| {
        let is_same =
            |other: &&FleetEntry| other.board_id.is_some() && other.board_id == entry.board_id;
        entry.role.is_some() && entries.iter().filter(is_same).count() > 1
    };
    let roles: Vec<&str> =
        entries.iter().filter(shared).filter_map(|entry| entry.role.as_deref()).collect();
    if !roles.is_empty() {
        out.paragraph(format!(
            "Several roles of the server sent runs with one board ID: {}. They are listed as \
             several boards, because a role can claim any ID.",
            roles.join(", ")
        ));
    }
    out
}

/// `bakeoff/fleet-list/1`.
pub fn json(entries: &[FleetEntry]) -> String {
    let document = serde_json::json!({"schema": "bakeoff/fleet-list/1", "boards": entries});
    format!("{document:#}\n")
}
