//! Results of classic benchmark tools, found in any text: a log, a forum post, a saved page.
//!
//! Every line is offered to one reader a tool ([`bakeoff_tools`]); a reader says which lines are
//! its own and gives a result when it has one. What it gives was printed: bytes and nanoseconds
//! from the tool's raw counts where it printed them, each with the tool's own text and its line.
//! Figures that contradict each other are listed as unread, never averaged or chosen from.
//!
//! Tables that people made are found by their titles ([`tables`]), or read by a list of columns.
//!
//! Memory is bounded whatever the size of the text ([`bakeoff_tools::scan`]).

mod cell;
mod cells;
pub mod columns;
pub mod observe;
mod own;
pub mod pasted;
mod rows;
mod screen;
pub mod table;
mod tables;

#[cfg(test)]
mod tests;

use crate::rules;
use bakeoff_tools::TOOLS;
use bakeoff_tools::iozone;
pub use bakeoff_tools::scan::{
    Finder, FoundMetric, Imported, RESULTS_LIMIT, ToolResult, Unread, Value,
};
use bakeoff_tools::scan::{Reader, ScannedTool};
use columns::Columns;
pub use own::run_of_events;
use tables::{Asked, Tables};

pub fn finder() -> Finder {
    of_tools(Asked::Propose)
}

pub fn guessing() -> Finder {
    of_tools(Asked::Read)
}

pub fn of_columns(columns: Columns) -> Finder {
    let rows: [Box<dyn Reader>; 2] =
        [Box::new(rows::Rows::new(columns)), Box::new(Tables::new(Asked::Propose))];
    Finder::with(&TOOLS, rows.into_iter().collect()).of_rows().judged_by(rules::result)
}

pub fn all(text: &[u8]) -> Imported {
    finder().all_of(text)
}

/// Every tool's readers, those of our own result table, and what finds tables of people's.
fn of_tools(asked: Asked) -> Finder {
    let others: [Box<dyn Reader>; 3] = [
        Box::new(table::ResultTable::default()),
        Box::new(own::Own::default()),
        Box::new(Tables::new(asked)),
    ];
    let of_tool = |tool: &&ScannedTool| match (tool.name, asked) {
        ("iozone", Asked::Read) => iozone::readers(true),
        _ => (tool.readers)(),
    };
    let readers = TOOLS.iter().flat_map(of_tool).chain(others).collect();
    Finder::with(&TOOLS, readers).judged_by(rules::result)
}
