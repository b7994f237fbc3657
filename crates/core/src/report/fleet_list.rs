//! The boards in a store. Schema `bakeoff/fleet-list/1`, documented in docs/format.md.

use serde::Serialize;

use super::document::{Document, Table, words};
use super::view::{day, plural};
use crate::fleet::board::Board;
use crate::model::path::sanitize;
use crate::model::run::Run;

/// Most labels of a board that are listed.
const LABELS: usize = 8;

/// A board of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Host name; with digits of the id where another board has that name too.
    pub name: String,
    /// Digest of its serial number or machine id, where it was recorded.
    pub board_id: Option<String>,
    /// What the firmware calls it.
    pub model: Option<String>,
    /// Kernel of its latest run.
    pub kernel: String,
    /// Stored runs.
    pub runs: usize,
    /// Its latest run.
    pub last_run: String,
    /// When that one began, nanoseconds since 1970.
    pub last_unix_ns: i64,
    /// Labels of its runs, each once.
    pub labels: Vec<String>,
}

impl Entry {
    /// The entry of a board of these runs, whose labels are in the same order.
    pub fn of(board: &Board, runs: &[&Run], labels: &[Option<String>]) -> Entry {
        let last = board.runs.last().and_then(|at| runs.get(*at));
        let mut found: Vec<String> = Vec::new();
        for label in board.runs.iter().filter_map(|at| labels.get(*at)?.as_deref()) {
            let label = sanitize(label);
            if !found.contains(&label) && found.len() < LABELS {
                found.push(label);
            }
        }
        Entry {
            name: board.name.clone(),
            board_id: board.board_id.clone(),
            model: board.model.clone(),
            kernel: last.map_or(String::new(), |run| sanitize(&run.header.host.kernel)),
            runs: board.runs.len(),
            last_run: last.map_or(String::new(), |run| sanitize(&run.header.run)),
            last_unix_ns: last.map_or(0, |run| run.started_unix_ns),
            labels: found,
        }
    }

    fn cells(&self) -> Vec<String> {
        vec![
            self.name.clone(),
            self.model.clone().unwrap_or_else(|| "unknown".to_string()),
            self.kernel.clone(),
            format!("{}, last {}", plural(self.runs as u64, "run"), day(self.last_unix_ns)),
            self.labels.join(", "),
        ]
    }
}

/// For people.
pub fn document(entries: &[Entry]) -> Document {
    let mut out = Document::default();
    if entries.is_empty() {
        out.paragraph(
            "No runs are stored yet. To add a board, export a run there (bakeoff export last \
             --format bundle --no-redact -o FILE) and import it here: bakeoff import FILE",
        );
        return out;
    }
    let columns = ["board", "model", "kernel", "runs", "labels"].map(words);
    out.table(Table::new(columns, entries.iter().map(Entry::cells)));
    out.paragraph(plural(entries.len() as u64, "board"));
    out
}

/// `bakeoff/fleet-list/1`.
pub fn json(entries: &[Entry]) -> String {
    let document = serde_json::json!({"schema": "bakeoff/fleet-list/1", "boards": entries});
    format!("{document:#}\n")
}
