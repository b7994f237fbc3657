//! Finds the outputs of tools in any text: lines, what stands above them, and what was found.
//!
//! Which tools there are is not known here: each is a [`Tool`] with its [`Reader`]s, and
//! [`crate`] and `import` say which of them look at a text. Memory is bounded by
//! [`lines::LINE_LIMIT_BYTES`], [`RESULTS_LIMIT`] and the readers' own limits.

pub mod decimal;
pub mod finder;
pub mod grammar;
pub mod lines;
pub mod quantity;
pub mod result;
pub mod tool;
mod unclaimed;
mod utf16;

pub use finder::{Finder, Reader};
pub use result::{FoundMetric, Imported, ToolResult, Unread, Value};
pub use tool::ScannedTool;

/// Most results of one text; what comes after is counted in one unread entry.
pub const RESULTS_LIMIT: usize = 10_000;
