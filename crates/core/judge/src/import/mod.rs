//! Results of classic benchmark tools, found in any text: a log, a forum post, a saved page.
//!
//! Every line is offered to one reader a tool ([`bakeoff_tools`]); a reader says which lines are
//! its own and gives a result when it has one. What it gives was printed: bytes and nanoseconds
//! from the tool's raw counts where it printed them, each with the tool's own text and its line.
//! Figures that contradict each other are listed as unread, never averaged or chosen from.
//!
//! Memory is bounded whatever the size of the text ([`bakeoff_tools::scan`]).

pub mod pasted;

#[cfg(test)]
mod tests;

use crate::rules;
use bakeoff_tools::TOOLS;
use bakeoff_tools::scan::Reader;
pub use bakeoff_tools::scan::{
    Finder, FoundMetric, Imported, RESULTS_LIMIT, ToolResult, Unread, Value,
};
use pasted::PastedLines;

/// Every tool's readers, and that of lines that bakeoff made to be pasted, whose runs [`pasted`]
/// gives.
pub fn finder() -> Finder {
    let pasted: Box<dyn Reader> = Box::new(PastedLines::default());
    let of_tools = TOOLS.iter().flat_map(|tool| (tool.readers)());
    Finder::with(&TOOLS, of_tools.chain([pasted]).collect()).judged_by(rules::result)
}

pub fn all(text: &[u8]) -> Imported {
    finder().all_of(text)
}
