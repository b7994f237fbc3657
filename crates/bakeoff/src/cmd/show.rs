//! `bakeoff show`: a stored run and its answer, computed from its events as if it had just ended:
//! on the screen, or with `-o` as a page, picture, table or whole run.

mod data;
mod page;

use std::io::Write;
use std::path::Path;

use bakeoff_judge::analyse::{analyse, is_answered};
use bakeoff_model::path::RawPath;
use bakeoff_model::run::Run;
use bakeoff_model::verb::Verb;
use bakeoff_model::verdict::Analysis;
use bakeoff_report as report;
use bakeoff_report::review_table::{WORKLOADS, review_table};
use bakeoff_report::runs::State;

use super::answer::{self, AnswerDetail};
use super::{figures, fit, pasted, stored};
use crate::cli::{Format, Global, PasteForm, Show, formats};
use crate::fault::{self, Fault, Outcome};
use crate::store::folded;
use crate::ui::{out, say};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutputKind {
    Format(Format),
    Png,
    Svg,
}

/// Kinds by the end of a file's name; a longer one before the shorter one in it.
const ENDINGS: [(&str, OutputKind); 10] = [
    (".html", OutputKind::Format(Format::Html)),
    (".md", OutputKind::Format(Format::Markdown)),
    (".fio.json", OutputKind::Format(Format::FioJson)),
    (".json", OutputKind::Format(Format::Json)),
    (".jsonl", OutputKind::Format(Format::Jsonl)),
    (".csv", OutputKind::Format(Format::Csv)),
    (".gp", OutputKind::Format(Format::Gnuplot)),
    (".bundle", OutputKind::Format(Format::Bundle)),
    (".png", OutputKind::Png),
    (".svg", OutputKind::Svg),
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
    if let Some(form) = args.paste {
        return paste(global, args, form);
    }
    if args.output.is_empty() {
        return match global.format {
            Some(format) if is_written_only(format) => {
                write(global, args, OutputKind::Format(format), None)?;
                Ok(Outcome::Done)
            }
            _ => screen(global, args),
        };
    }
    let kinds = args.output.iter().map(|path| Ok((kind(global.format, path)?, path.as_path())));
    for (kind, path) in kinds.collect::<Result<Vec<_>, Fault>>()? {
        let path = Some(path).filter(|path| *path != Path::new("-"));
        write(global, args, kind, path)?;
        if let Some(path) = path {
            writeln!(std::io::stdout(), "{}", RawPath::new(path))?;
        }
    }
    Ok(Outcome::Done)
}

pub fn answered_for(mut run: Run, args: &Show) -> Run {
    let protocol = &mut run.header.protocol;
    protocol.drive_use = args.drive_use.unwrap_or(protocol.drive_use);
    run
}

fn paste(global: &Global, args: &Show, form: PasteForm) -> Result<Outcome, Fault> {
    let (store, id) = stored::find(global, &args.run)?;
    let run = answered_for(folded::read(&*store, &id)?, args);
    stored::say_state(store.state(&id, run.stopped.is_some())?, &*store, &id)?;
    let block = match form {
        PasteForm::Block => report::paste::paste(&run, analyse),
        PasteForm::SbcReviews => review_table(&run, analyse).map(|table| {
            if table.measured < WORKLOADS.len() {
                let missing = WORKLOADS.len() - table.measured;
                let all = WORKLOADS.join(",");
                say::line(format_args!(
                    "bakeoff: {missing} of {} rows were not measured. Measure all with: bakeoff \
                     quick DIR --workload {all}",
                    WORKLOADS.len()
                ));
            }
            table.text
        }),
    };
    let block = block.ok_or_else(|| {
        Fault::failed("the run has no figures to paste. Show it with `bakeoff show RUN`")
    })?;
    out::print(None, &block)?;
    Ok(Outcome::Done)
}

/// The analysis of such a run, ranked as asked for.
pub fn analysed_for(run: &Run, args: &Show) -> Analysis {
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

fn is_written_only(format: Format) -> bool {
    use Format::{Bundle, FioJson, Gnuplot, Html, Jsonl};
    matches!(format, Bundle | FioJson | Gnuplot | Html | Jsonl)
}

/// Whether a file is a page, by its name.
pub fn is_page(path: &Path) -> bool {
    by_name(path) == Some(OutputKind::Format(Format::Html))
}

pub fn check_ending(path: &Path) -> Result<(), Fault> {
    by_name(path).map(drop).ok_or_else(|| unknown_ending(path, ""))
}

/// Writes a run that ended to a file, in the format of its ending.
pub fn write_file(global: &Global, run: &Run, path: &Path) -> Result<(), Fault> {
    let global = Global { format: None, ..global.clone() };
    let args = Show { run: run.header.run.clone(), ..Show::default() };
    write(&global, &args, kind(None, path)?, Some(path))
}

fn by_name(path: &Path) -> Option<OutputKind> {
    let name = path.to_string_lossy().to_ascii_lowercase();
    ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, kind)| *kind)
}

fn kind(format: Option<Format>, path: &Path) -> Result<OutputKind, Fault> {
    let kind = format.map(OutputKind::Format).or(by_name(path));
    kind.ok_or_else(|| unknown_ending(path, ", or add --format"))
}

fn unknown_ending(path: &Path, or: &str) -> Fault {
    let endings: Vec<&str> = ENDINGS.iter().map(|(ending, _)| *ending).collect();
    Fault::usage(format!(
        "cannot tell the format of {} from its name. Use one of the endings {}{or}",
        RawPath::new(path),
        endings.join(", ")
    ))
}

fn as_format(kind: OutputKind) -> Option<Format> {
    match kind {
        OutputKind::Format(format) => Some(format),
        OutputKind::Png | OutputKind::Svg => None,
    }
}

fn write(global: &Global, args: &Show, kind: OutputKind, path: Option<&Path>) -> Result<(), Fault> {
    match kind {
        OutputKind::Format(Format::Bundle | Format::Jsonl) => {}
        _ => {
            let (store, id) = stored::find(global, &args.run)?;
            let run = folded::read(&*store, &id)?;
            if run.header.verb == Verb::Fit {
                return fit::write(&run, as_format(kind), path);
            }
        }
    }
    match kind {
        OutputKind::Png | OutputKind::Svg => {
            page::card(global, args, path, kind == OutputKind::Svg)
        }
        OutputKind::Format(Format::Html | Format::Markdown) => {
            page::write(global, args, path, kind == OutputKind::Format(Format::Html))
        }
        OutputKind::Format(format) => data::write(global, args, format, path),
    }
}
