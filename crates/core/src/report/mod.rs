//! What people and programs are shown: a run and its analysis as text, Markdown, CSV, JSON, HTML.
//!
//! Data flows one way: (run, analysis) becomes a [`view::View`], in which everything is already
//! ordered, rounded and worded; the writers only lay it out. JSON and CSV skip the view, because
//! programs want the numbers as they were measured. Nothing here decides anything: verdicts,
//! sentences and findings come from the analysis.

mod bench;
mod csv;
pub mod devices;
mod html;
mod import;
mod json;
mod layout;
mod markdown;
mod plain;
mod recipe;
mod round;
pub mod runs;
mod text;
pub mod view;

pub use bench::{bench_json, bench_text};
pub use csv::{COLUMNS as CSV_COLUMNS, csv};
pub use html::{Assets, html};
pub use import::{import_json, import_text};
pub use json::{json, json_text};
pub use layout::wrap;
pub use markdown::markdown;
pub use recipe::recipe;

use crate::model::run::Run;
use crate::model::verdict::Analysis;

/// How the terminal report is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// Columns of the terminal; less than 40 is taken as 40.
    pub width: u16,
    /// Whether colour may be used (a terminal, and no `NO_COLOR`).
    pub color: bool,
    /// For a screen reader or a pipe: no tables, one fact a line.
    pub plain: bool,
}

impl Default for TextOptions {
    fn default() -> TextOptions {
        TextOptions { width: 80, color: false, plain: false }
    }
}

/// The report for a terminal.
pub fn text(run: &Run, analysis: &Analysis, options: &TextOptions) -> String {
    let view = view::View::new(run, analysis);
    if options.plain { plain::write(&view) } else { text::write(&view, options) }
}

#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;
