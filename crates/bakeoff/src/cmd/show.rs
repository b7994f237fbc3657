//! `bakeoff show`: a stored run and its answer, computed from its events as if it had just ended:
//! on the screen, or with `-o` as a page, picture, table or whole run.

use std::io::Write;
use std::path::Path;

use bakeoff_judge::analyse::{analyse, is_answered};
use bakeoff_model::path::RawPath;
use bakeoff_model::run::Run;
use bakeoff_model::verb::Verb;
use bakeoff_model::verdict::Analysis;
use bakeoff_report as report;
use bakeoff_report::bundle;
use bakeoff_report::runs::State;

use super::answer::{self, AnswerDetail};
use super::{figures, fit, pasted, stored};
use crate::assets;
use crate::cli::{Global, Show, formats};
use crate::fault::{self, Fault, Outcome};
use crate::store::folded;
use crate::ui::out;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Html,
    Svg,
    Markdown,
    Json,
    Csv,
    Gnuplot,
    Bundle,
}

/// Kinds by the end of a file's name.
const ENDINGS: [(&str, FileKind); 7] = [
    (".html", FileKind::Html),
    (".svg", FileKind::Svg),
    (".md", FileKind::Markdown),
    (".json", FileKind::Json),
    (".csv", FileKind::Csv),
    (".gp", FileKind::Gnuplot),
    (".bundle", FileKind::Bundle),
];

pub fn run(global: &Global, args: &Show) -> Result<Outcome, Fault> {
    stored::format(global, "show")?;
    if figures::is_file(&args.run) {
        return figures::run(global, args);
    }
    if !args.more.is_empty() {
        let advice = "To compare runs: bakeoff compare RUN RUN";
        return Err(Fault::usage(format!("show prints one run, or files. {advice}")));
    }
    if let Some(runs) = pasted::named(&args.run)? {
        let json = || report::paste::pasted_json(&runs) + "\n";
        let format = figures::format(global, args)?;
        answer::print_either(format, json, || report::paste::pasted_document(&runs))?;
        return Ok(Outcome::Done);
    }
    if args.paste {
        return paste(global, args);
    }
    if args.output.is_empty() {
        return screen(global, args);
    }
    if global.format.is_some() {
        return Err(Fault::usage("the ending of FILE is its format. Omit --format"));
    }
    let kinds = args.output.iter().map(|path| Ok((kind(path)?, path.as_path())));
    for (kind, path) in kinds.collect::<Result<Vec<_>, Fault>>()? {
        write(global, args, kind, path)?;
        writeln!(std::io::stdout(), "{}", RawPath::new(path))?;
    }
    Ok(Outcome::Done)
}

fn answered_for(mut run: Run, args: &Show) -> Run {
    let protocol = &mut run.header.protocol;
    protocol.drive_use = args.drive_use.unwrap_or(protocol.drive_use);
    run
}

fn paste(global: &Global, args: &Show) -> Result<Outcome, Fault> {
    let (store, id) = stored::find(global, &args.run)?;
    let run = answered_for(folded::read(&*store, &id)?, args);
    stored::say_state(store.state(&id, run.stopped.is_some())?, &*store, &id)?;
    let block = report::paste::paste(&run, analyse).ok_or_else(|| {
        Fault::failed("the run has no figures to paste. Show it with `bakeoff show RUN`")
    })?;
    out::print(None, &block)?;
    Ok(Outcome::Done)
}

/// The analysis of such a run, ranked as asked for.
fn analysed_for(run: &Run, args: &Show) -> Analysis {
    Analysis { by: args.by.unwrap_or_default(), ..analyse(run) }
}

fn screen(global: &Global, args: &Show) -> Result<Outcome, Fault> {
    let (store, id) = stored::find(global, &args.run)?;
    let run = answered_for(folded::read(&*store, &id)?, args);
    let state = store.state(&id, run.stopped.is_some())?;
    stored::say_state(state, &*store, &id)?;
    if run.header.verb == Verb::Fit {
        let format = stored::format_among(global, "show", formats::of_command("fit"))?;
        return fault::after_printing(fit::print(format, &run, &[]), Ok(fit::outcome(&run)));
    }
    let analysis = analysed_for(&run, args);
    let extent = if args.details { AnswerDetail::Details } else { AnswerDetail::Screen(None) };
    let printed = answer::print(global, &run, &analysis, &extent);
    let is_answered = state == State::Stopped && is_answered(&run, &analysis);
    fault::after_printing(printed, Ok(if is_answered { Outcome::Done } else { Outcome::Open }))
}

/// Whether a file is a page, by its name.
pub fn is_page(path: &Path) -> bool {
    kind(path).is_ok_and(|kind| kind == FileKind::Html)
}

pub fn check_ending(path: &Path) -> Result<(), Fault> {
    kind(path).map(drop)
}

/// Writes a run that ended to a file, in the format of its ending.
pub fn write_file(global: &Global, run: &Run, path: &Path) -> Result<(), Fault> {
    let args = Show { run: run.header.run.clone(), ..Show::default() };
    write(global, &args, kind(path)?, path)
}

fn kind(path: &Path) -> Result<FileKind, Fault> {
    let name = path.to_string_lossy().to_ascii_lowercase();
    let by_name = ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, kind)| *kind);
    by_name.ok_or_else(|| {
        Fault::usage(format!(
            "cannot tell the format of {} from its name. Use one of the endings {}",
            RawPath::new(path),
            ENDINGS.map(|(ending, _)| ending).join(", ")
        ))
    })
}

fn write(global: &Global, args: &Show, kind: FileKind, path: &Path) -> Result<(), Fault> {
    let (store, id) = stored::find(global, &args.run)?;
    let run = folded::read(&*store, &id)?;
    if run.header.verb == Verb::Fit && kind != FileKind::Bundle {
        return fit::write(&run, kind, path);
    }
    stored::say_state(store.state(&id, run.stopped.is_some())?, &*store, &id)?;
    let run = answered_for(run, args);
    let analysis = analysed_for(&run, args);
    let text = match kind {
        FileKind::Html => report::html(&run, &analysis, &assets::report()),
        FileKind::Svg => report::card(&run, &analysis),
        FileKind::Markdown => format!("{}\n", report::markdown(&run, &analysis).trim_end()),
        FileKind::Json => report::json_text(&run, &analysis),
        FileKind::Csv => report::csv(&run),
        FileKind::Gnuplot => report::gnuplot(&run),
        FileKind::Bundle => {
            let version = env!("CARGO_PKG_VERSION").to_string();
            let schema = bundle::SCHEMA.to_string();
            let head = bundle::Head { schema, run: id.to_string(), version };
            let lines = bundle::public(&store.lines(&id)?).map_err(Fault::bug)?;
            bundle::encode(&head, &lines).map_err(Fault::bug)?
        }
    };
    stored::write_text(path, &text)
}
