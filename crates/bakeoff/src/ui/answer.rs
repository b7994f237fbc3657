//! What is said when a run ends: the answer, the table, what to type, where the report is.

use std::io::{IsTerminal, Write};
use std::path::Path;

use bakeoff_core::analyse::is_answered;
use bakeoff_core::model::event::StopReason;
use bakeoff_core::model::path::RawPath;
use bakeoff_core::model::run::Run;
use bakeoff_core::model::verdict::Analysis;
use bakeoff_core::report::{self, TextOptions};

use super::say;
use crate::cli::{Format, Global};
use crate::fault::{Fault, Outcome};
use crate::store::file;

/// How text is laid out on this stdout: 80 columns at least, plain where no terminal listens.
pub fn text_options() -> TextOptions {
    let terminal = std::io::stdout().is_terminal();
    let width = rustix::termios::tcgetwinsize(std::io::stdout()).map_or(80, |size| size.ws_col);
    TextOptions {
        width: if terminal { width.clamp(80, 120) } else { 80 },
        color: terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        plain: false,
    }
}

/// Prints a run's answer in the format asked for.
pub fn print(global: &Global, run: &Run, analysis: &Analysis) -> Result<(), Fault> {
    let mut options = text_options();
    let text = match global.format {
        None => report::text(run, analysis, &options),
        // Asked for by name and not for a terminal: for a screen reader or a program that reads on.
        Some(Format::Text) => {
            options.plain = !std::io::stdout().is_terminal();
            report::text(run, analysis, &options)
        }
        Some(Format::Json) => report::json_text(run, analysis),
        Some(Format::Csv) => report::csv(run),
        Some(Format::Markdown) => report::markdown(run, analysis),
        Some(Format::Jsonl | Format::Bundle | Format::FioJson | Format::Gnuplot) => {
            return Err(Fault::usage("jsonl and bundle are formats of `bakeoff export`"));
        }
    };
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// After the answer, for people: a block to paste.
pub fn print_extras(global: &Global, run: &Run, analysis: &Analysis) -> Result<(), Fault> {
    if global.format.is_some() {
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "\nTo paste:\n")?;
    writeln!(out, "{}", report::markdown(run, analysis))?;
    Ok(out.flush()?)
}

/// Writes the HTML report; gives its path.
pub fn write_report(run: &Run, analysis: &Analysis, path: &Path, quiet: bool) -> Result<(), Fault> {
    let html = report::html(&[(run.clone(), analysis.clone())], &crate::assets::REPORT);
    file::write_atomically(path, html.as_bytes()).map_err(|error| {
        Fault::environment(format!("cannot write {}: {error}", RawPath::new(path)))
    })?;
    say::note(quiet, format_args!("Report: {}", RawPath::new(path)));
    Ok(())
}

/// The exit code a finished run deserves.
pub fn outcome(run: &Run, analysis: &Analysis) -> Result<Outcome, Fault> {
    if let Some((StopReason::Interrupted, _)) = run.stopped {
        return Err(Fault::interrupted(""));
    }
    Ok(if is_answered(run, analysis) { Outcome::Done } else { Outcome::Open })
}
