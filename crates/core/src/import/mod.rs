//! Results of classic benchmark tools, found in any text: a log, a forum post, a saved page.
//!
//! Every line is offered to one reader a tool ([`crate::driver`]); a reader says which lines are
//! its own and gives a result when it has one. What it gives was printed: bytes and nanoseconds
//! from the tool's raw counts where it printed them, each with the tool's own text and its line.
//! Figures that contradict each other are listed as unread, never averaged or chosen from.
//!
//! Memory is bounded by [`lines::LINE_LIMIT_BYTES`], [`RESULTS_LIMIT`] and the readers' own
//! limits, whatever the size of the text.

mod cell;
pub mod columns;
pub mod decimal;
pub mod finder;
mod judge;
pub mod lines;
pub mod observe;
mod overlooked;
pub mod result;
mod rows;
mod stamp;
pub mod studies;
pub mod study;
pub mod table;

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod matrix;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod shuffled;
#[cfg(test)]
mod versions;

pub use finder::Finder;
pub use result::{Imported, Metric, ToolResult, Unread, Value};

/// Most results of one text; what comes after is counted in one unread entry.
pub const RESULTS_LIMIT: usize = 10_000;
