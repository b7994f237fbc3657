//! What is said when a run ends: the answer, the table, what to type, where the report is.

use std::io::IsTerminal;
use std::path::Path;

use bakeoff_judge::analyse::is_answered;
use bakeoff_model::event::StopReason;
use bakeoff_model::path::RawPath;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use bakeoff_report as report;
use bakeoff_report::{Document, TextOptions};

use super::stored;
use crate::cli::{Format, Global};
use crate::fault::{Fault, Outcome};
use crate::ui::out;

/// How text is laid out on this stdout: for its columns, or 80 where no terminal listens.
pub fn text_options() -> TextOptions {
    let has_color = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    TextOptions {
        width: out::width(),
        color: std::io::stdout().is_terminal() && has_color,
        plain: false,
    }
}

pub fn laid_out(document: &Document, format: Format) -> String {
    let options = text_options();
    if format == Format::Markdown {
        return document.markdown();
    }
    document.text(usize::from(options.width), options.color)
}

/// Prints a result: as JSON where that was asked for, else its document.
pub fn print_either(
    format: Format,
    json: impl FnOnce() -> String,
    document: impl FnOnce() -> Document,
) -> std::io::Result<()> {
    let text = if format == Format::Json { json() } else { laid_out(&document(), format) };
    out::print(Some(format), &text)
}

/// How much of an answer is printed as text.
pub enum AnswerDetail<'a> {
    Screen(Option<&'a Path>),
    Details,
}

/// Prints a run's answer in the format asked for.
pub fn print(
    global: &Global,
    run: &Run,
    analysis: &Analysis,
    extent: &AnswerDetail,
) -> Result<(), Fault> {
    let mut options = text_options();
    let text = match global.format {
        None | Some(Format::Text) => {
            // Asked for by name and not for a terminal: for a screen reader or a program that
            // reads on.
            options.plain = global.format.is_some() && !std::io::stdout().is_terminal();
            match extent {
                AnswerDetail::Details => report::text(run, analysis, &options),
                AnswerDetail::Screen(path) => {
                    let path = path.map(|path| RawPath::new(path).to_string());
                    report::screen(run, analysis, &options, path.as_deref())
                }
            }
        }
        Some(Format::Json) => report::json_text(run, analysis),
        Some(Format::Csv) => report::csv(run),
        Some(Format::Markdown) => report::markdown(run, analysis),
        Some(Format::Prometheus) => report::run_metrics(run, analysis),
    };
    let end = if text.ends_with('\n') { "" } else { "\n" };
    Ok(out::print(global.format, &(text + end))?)
}

pub fn write_page(run: &Run, analysis: &Analysis, path: &Path) -> Result<(), Fault> {
    let html = report::html(run, analysis, &crate::assets::report());
    stored::write_text(path, &html)
}

/// Whether the printed text names the report's path itself.
pub fn names_report(global: &Global, run: &Run) -> bool {
    matches!(global.format, None | Some(Format::Text)) && report::has_screen(run)
}

pub fn outcome(run: &Run, analysis: &Analysis) -> Result<Outcome, Fault> {
    if let Some((StopReason::Interrupted, _)) = run.stopped {
        return Err(Fault::interrupted(""));
    }
    Ok(if is_answered(run, analysis) { Outcome::Done } else { Outcome::Open })
}
