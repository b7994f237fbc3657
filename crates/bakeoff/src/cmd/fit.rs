//! `bakeoff fit [APP]... [DIR]`: is this directory fast enough for applications?

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use bakeoff_judge::applications::{self, ALL, AppError, AppTable};
use bakeoff_judge::fit_changes::FitChange;
use bakeoff_judge::plan::{self, TEXT_MAX_BYTES};
use bakeoff_judge::ratings::{self, AppRating};
use bakeoff_machine::prepare::space;
use bakeoff_model::candidate::Candidate;
use bakeoff_model::event::{Header, StopReason};
use bakeoff_model::fit::FitVerdict;
use bakeoff_model::host::Place;
use bakeoff_model::path::RawPath;
use bakeoff_model::protocol::{Mode, Protocol};
use bakeoff_model::run::Run;
use bakeoff_model::verb::Verb;
use bakeoff_model::workload::Workload;
use bakeoff_report as report;

use super::lifecycle::{self, Remains};
use super::show::FileKind;
use super::{answer, fit_earlier, stored};
use crate::cli::{Fit, Format, Global};
use crate::fault::{Fault, Outcome, after_printing};
use crate::measuring::fitting::{self, FitTime};
use crate::planning::{self, new_run};
use crate::signals::Cancel;
use crate::steps::journal::Journal;
use crate::steps::session::Session;
use crate::store::Sqlite;
use crate::ui::out;
use crate::ui::progress::Progress;

const SECOND_NS: u64 = 1_000_000_000;
/// Time for each workload, and the least and most of all together.
const EACH_NS: u64 = 10 * SECOND_NS;
const LEAST_NS: u64 = 20 * SECOND_NS;
const MOST_NS: u64 = 120 * SECOND_NS;
/// Without --time, what is too close to call is measured for so long where that may tell.
const EXTENDED_NS: u64 = 80 * SECOND_NS;

pub fn run(global: &Global, args: &Fit) -> Result<Outcome, Fault> {
    let format = stored::format(global, "fit")?;
    let mut table = applications::built_in();
    let mut own = Vec::new();
    if let Some(file) = &args.app {
        let read = read(file)?;
        own.extend(read.applications.iter().map(|of| of.name.clone()));
        table.add(read);
    }
    let (mut names, dir) = apart(&table, &args.words)?;
    if names.is_empty() {
        names = own;
    }
    if names.is_empty() {
        return match dir {
            None => list(format, &table),
            Some(dir) => Err(Fault::usage(format!(
                "for which application? Name one, or all of them: bakeoff fit {ALL} {}",
                RawPath::new(dir)
            ))),
        };
    }
    let chosen = table.choose(&names).map_err(Fault::usage)?;
    let remains = lifecycle::recover(global)?;
    let run = measured(global, args, chosen, dir.unwrap_or_else(|| PathBuf::from(".")))?;
    let changes = fit_earlier::changes(global, &run)?;
    answered(format, &run, &changes, remains)
}

fn read(file: &Path) -> Result<AppTable, Fault> {
    let shown = RawPath::new(file).to_string();
    let failed = |error: std::io::Error| Fault::usage(format!("cannot read {shown}: {error}"));
    let mut text = String::new();
    let opened = std::fs::File::open(file).map_err(failed)?;
    // One byte more than is allowed, so that the parser sees that it is too long.
    opened.take(TEXT_MAX_BYTES as u64 + 1).read_to_string(&mut text).map_err(failed)?;
    applications::parse(&text, &shown).map_err(Fault::usage)
}

/// Applications first; what comes last and is none is the directory.
fn apart(table: &AppTable, words: &[OsString]) -> Result<(Vec<String>, Option<PathBuf>), Fault> {
    let is_app = |word: &OsString| {
        word.to_str().is_some_and(|w| w == ALL || table.applications.iter().any(|a| a.name == w))
    };
    let named = words.iter().take_while(|word| is_app(word)).count();
    let names = words[..named].iter().map(|word| word.to_string_lossy().into_owned()).collect();
    match &words[named..] {
        [] => Ok((names, None)),
        [dir] if Path::new(dir).exists() || dir.to_string_lossy().contains('/') => {
            Ok((names, Some(PathBuf::from(dir))))
        }
        [word, ..] => {
            let word = word.to_string_lossy().into_owned();
            match table.choose(std::slice::from_ref(&word)) {
                Err(error @ AppError::Unknown { .. }) if !Path::new(&word).is_dir() => {
                    Err(Fault::usage(error))
                }
                _ => Err(Fault::usage(
                    "the directory comes after the applications, and there is one: \
                     bakeoff fit APP... DIR",
                )),
            }
        }
    }
}

fn list(format: Format, table: &AppTable) -> Result<Outcome, Fault> {
    if format == Format::Prometheus {
        return Err(stored::no_format(format, "fit", "text, json or markdown for the list"));
    }
    let json = || report::fit::list_json(&table.applications) + "\n";
    answer::print_either(format, json, || report::fit::list(&table.applications))?;
    Ok(Outcome::Done)
}

fn measured(global: &Global, args: &Fit, chosen: AppTable, dir: PathBuf) -> Result<Run, Fault> {
    let workloads = with_companion(chosen.workloads, args.beside.as_deref())?;
    let candidates = planning::directories::candidates(&[dir])?;
    let places: Vec<&Place> = candidates.iter().filter_map(Candidate::place).collect();
    let budget = space::quick_write_budget_of(&places);
    let usual_ns = (workloads.len() as u64 * EACH_NS).clamp(LEAST_NS, MOST_NS);
    let time_ns = args.time.unwrap_or(usual_ns);
    if time_ns == 0 {
        return Err(Fault::usage("--time 0 leaves no time to measure. Try --time 20s"));
    }
    let protocol = Protocol {
        time_ns: Some(time_ns),
        max_write_bytes: budget,
        ..Protocol::for_mode(Mode::Quick, 1)
    };
    let apps: Vec<&str> = chosen.applications.iter().map(|of| of.name.as_str()).collect();
    let title = format!("fit: {} in {}", apps.join(", "), candidates[0].name);
    let header = Header {
        candidates,
        workloads,
        applications: chosen.applications,
        ..new_run::header(global, Verb::Fit, title, protocol)
    };
    let mut store = Sqlite::open(&crate::store::place::path(global.store.as_deref())?)?;
    let cancel = Cancel::listen().map_err(Fault::environment)?;
    let journal = Journal::begin(&mut store, header)?;
    let mut session = Session::new(journal, None, cancel, Progress::new(global.quiet));
    let most_ns = args.time.unwrap_or(usual_ns.max(EXTENDED_NS));
    match fitting::measure(&mut session, FitTime { usual_ns: time_ns, most_ns }) {
        Ok((reason, note)) => session.finish(reason, note)?,
        Err(fault) => return Err(session.abandon(fault)),
    }
    Ok(session.journal.run().clone())
}

/// Each workload alone, then each beside the companion.
fn with_companion(workloads: Vec<Workload>, name: Option<&str>) -> Result<Vec<Workload>, Fault> {
    let Some(name) = name else { return Ok(workloads) };
    let companion =
        plan::companion(name).map_err(|why| Fault::usage(format!("--beside: {why}")))?;
    let beside = |workload: &Workload| Workload {
        name: format!("{} beside {}", workload.name, companion.name),
        beside: Some(Box::new(companion.clone())),
        ..workload.clone()
    };
    let all: Vec<Workload> = workloads.iter().map(beside).collect();
    Ok([workloads, all].concat())
}

fn answered(
    format: Format,
    run: &Run,
    changes: &[FitChange],
    remains: Remains,
) -> Result<Outcome, Fault> {
    let printed = print(format, run, changes);
    let ended = match run.stopped {
        Some((StopReason::Interrupted, _)) => Err(Fault::interrupted("")),
        _ => Ok(outcome(run)),
    };
    remains.end(after_printing(printed, ended))
}

/// Prints the ratings of a `fit` run, and what changed since earlier ones.
pub fn print(format: Format, run: &Run, changes: &[FitChange]) -> Result<(), Fault> {
    Ok(out::print(Some(format), &text(format, run, changes))?)
}

pub fn text(format: Format, run: &Run, changes: &[FitChange]) -> String {
    let ratings = ratings::ratings(run);
    match format {
        Format::Prometheus => report::fit::metrics(run, &ratings, changes),
        Format::Json => report::fit::json(run, &ratings, changes) + "\n",
        _ => answer::laid_out(&report::fit::document(run, &ratings, changes), format),
    }
}

/// Writes the ratings of a `fit` run to a file.
pub fn write(run: &Run, kind: FileKind, path: &Path) -> Result<(), Fault> {
    let format = match kind {
        FileKind::Markdown => Format::Markdown,
        FileKind::Json => Format::Json,
        _ => {
            return Err(Fault::usage(
                "the answer of a fit run is text: write it as .md or .json, or the run as .bundle",
            ));
        }
    };
    stored::write_text(path, &text(format, run, &[]))
}

/// How a `fit` run ends its command: its worst verdict.
pub fn outcome(run: &Run) -> Outcome {
    let ratings: Vec<AppRating> = ratings::ratings(run);
    match ratings::worst(ratings.iter().map(|of| of.verdict)) {
        FitVerdict::Yes => Outcome::Done,
        FitVerdict::TooClose { .. } => Outcome::Open,
        FitVerdict::No => Outcome::CertainNo,
    }
}
