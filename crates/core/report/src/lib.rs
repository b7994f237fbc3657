//! What people and programs are shown: a run and its analysis as text, Markdown, CSV, JSON, HTML.
//!
//! Data flows one way: (run, analysis) becomes a [`RunDocument`], in which everything is already
//! ordered, rounded and worded; terminal, Markdown, HTML and card only lay it out. JSON and CSV
//! skip it, because programs want the numbers as they were measured. Nothing here decides
//! anything: verdicts, sentences and findings come from the analysis.

#![forbid(unsafe_code)]
// The impure calls that clippy.toml lists; tests beside the code may do as they like.
#![cfg_attr(
    not(test),
    forbid(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)
)]

mod alone;
pub mod answer;
mod bench;
mod beside;
pub mod bottleneck;
pub mod bundle;
mod compare;
pub mod contents;
mod csv;
pub mod devices;
pub mod document;
mod exposition;
mod figures;
pub mod fit;
mod gate;
pub(crate) mod glossary;
mod gnuplot;
mod html;
mod json;
pub mod layout;
pub mod left_out;
mod mark;
mod metrics;
pub mod paste;
pub mod plan;
pub mod plans;
pub mod prepared;
mod probe;
mod recipe;
mod round;
mod rounds;
mod run_document;
pub mod runs;
pub mod said;
pub mod settling;
mod side_by_side;
pub mod watch;
pub mod writes;

pub use answer::live;
pub use bench::{Benched, bench_document, bench_json};
pub use compare::across::Across;
pub use compare::{ComparisonParts, compare_document, compare_json};
pub use csv::{COLUMNS as CSV_COLUMNS, csv};
pub use document::Document;
pub use figures::{figures_document, figures_json};
pub use gnuplot::gnuplot;
pub use html::{Assets, RELOAD_S, card, html, html_so_far, runs_page};
pub use json::{json, json_text};
pub use layout::{cut, wrap};
pub use metrics::run_metrics;
pub use probe::{probe_document, probe_json};
pub use recipe::make as recipe_commands;

use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use run_document::RunDocument;

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

/// The largest share of a cell's time that the generator itself took; `None` where no cell was
/// measured by it.
fn tool_share_max(run: &Run) -> Option<f64> {
    let own = run.complete_cells().map(|cell| &cell.measurement).filter(|m| m.tool.is_none());
    own.map(|m| m.tool_ns as f64 / m.elapsed_ns.max(1) as f64).max_by(f64::total_cmp)
}

/// Whether a run's answer fits one screen, and [`screen`] shows it so.
pub fn has_screen(run: &Run) -> bool {
    answer::applies(run)
}

/// The answer on one screen: what a run prints when it ends. `report` is the path of the HTML
/// report, where one was written. Runs in rounds are shown in full.
pub fn screen(
    run: &Run,
    analysis: &Analysis,
    options: &TextOptions,
    report: Option<&str>,
) -> String {
    if !answer::applies(run) {
        return text(run, analysis, options);
    }
    let answer = answer::Answer::new(run, analysis);
    let report = report.map(sanitize);
    let report = report.as_deref();
    let said = if options.plain {
        answer::spoken(&answer, report)
    } else {
        answer::screen(&answer, options, report)
    };
    let width = if options.plain { usize::MAX } else { usize::from(options.width.max(40)) };
    let fit = fit::of_quick(run).map_or(String::new(), |fit| layout::wrap(&fit, width, "", "  "));
    said + &fit
}

/// Everything in text: for `--details`, and the only form for runs in rounds.
pub fn text(run: &Run, analysis: &Analysis, options: &TextOptions) -> String {
    let document = RunDocument::new(run, analysis).details();
    if options.plain {
        document.plain()
    } else {
        document.text(usize::from(options.width.max(40)), options.color)
    }
}

pub fn markdown(run: &Run, analysis: &Analysis) -> String {
    RunDocument::new(run, analysis).details().markdown()
}

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
