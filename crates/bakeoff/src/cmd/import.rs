//! `bakeoff import`: results of other tools out of any text, and bundles into the store.
//!
//! A file whose first line is a bundle's head is a bundle; everything else is a text. A directory
//! stands for all regular files below it. Texts are read in pieces and kept nowhere.

mod sources;

use std::io::{Cursor, ErrorKind, Read, Write};

use bakeoff_judge::import::{self, Finder, Imported as Found, run_of_events};
use bakeoff_model::json;
use bakeoff_model::path::{RawPath, unsteered};
use bakeoff_report as report;
use bakeoff_stats::phrases;
use bakeoff_tools::fio::as_plan;
use bakeoff_tools::fio::jobfile::{FILE_LIMIT_BYTES as JOB_FILE_LIMIT_BYTES, JobFile};
use serde_json::json;

use self::sources::Source;
use super::answer;
use super::{runs, stored};
use crate::cli::{Format, Global, Import};
use crate::fault::{Fault, Outcome};
use crate::store::import::{import, unreadable};
use crate::store::{ErrorClass, RunId, Sqlite, StoreError, StoredImport, place};
use crate::ui::{out, say};

/// How much of a file is looked at to see what it is: a bundle's head is far shorter.
const HEAD_BYTES: u64 = 16 << 10;
const PIECE_BYTES: usize = 256 << 10;

pub fn run(global: &Global, args: &Import) -> Result<Outcome, Fault> {
    let format = stored::format(global, "import")?;
    if args.as_plan {
        return print_plans(args);
    }
    let mut store = None;
    let mut failures = Vec::new();
    let mut outcome = Outcome::Done;
    for file in &args.files {
        let listed = sources::list(file);
        failures.extend(listed.failures.into_iter().map(|(path, e)| (path, unreadable(e))));
        let files = listed.sources.len();
        let mut has_any = false;
        for source in listed.sources {
            match one(global, args, &mut store, &source) {
                Ok(Done::Bundle(run, done)) => {
                    has_any = true;
                    say_bundle(format, &source, &run, done)?;
                }
                Ok(Done::Text(found)) => {
                    // A directory holds other files too; a file was named for what is in it.
                    let is_empty = found.results.is_empty() && found.unread.is_empty();
                    if is_empty && source.is_below_directory {
                        continue;
                    }
                    if found.results.is_empty() {
                        outcome = Outcome::Open;
                    }
                    has_any = true;
                    say_text(format, &source, &found)?;
                }
                Err(error) if error.class == ErrorClass::Refused => {
                    return Err(error.into());
                }
                Err(error) => {
                    has_any = true;
                    failures.push((source.name, error));
                }
            }
        }
        if !has_any {
            say::line(format_args!(
                "bakeoff: no results in {}: {} without output of a supported tool",
                RawPath::new(file),
                phrases::count(u32::try_from(files).unwrap_or(u32::MAX), "file")
            ));
            outcome = Outcome::Open;
        }
    }
    match failures.is_empty() {
        true => Ok(outcome),
        false => Err(fault(failures)),
    }
}

fn print_plans(args: &Import) -> Result<Outcome, Fault> {
    for file in &args.files {
        let shown = RawPath::new(file);
        let usage = |error: &dyn std::fmt::Display| Fault::usage(format!("{shown}: {error}"));
        let mut text = String::new();
        let input: Box<dyn Read> = match file == "-" {
            true => Box::new(std::io::stdin().lock()),
            false => Box::new(std::fs::File::open(file).map_err(|e| usage(&e))?),
        };
        let most = JOB_FILE_LIMIT_BYTES as u64 + 1;
        input.take(most).read_to_string(&mut text).map_err(|e| usage(&e))?;
        let jobs = JobFile::parse(&text).map_err(|e| usage(&e))?;
        let plan = as_plan::as_plan(&jobs, &shown.to_string()).map_err(|lines| {
            Fault::usage(format!("cannot convert any job of {shown} to a plan:\n{lines}"))
        })?;
        std::io::stdout().write_all(unsteered(&plan).as_bytes())?;
    }
    Ok(Outcome::Done)
}

enum Done {
    Bundle(RunId, StoredImport),
    Text(Box<Found>),
}

fn one(
    global: &Global,
    args: &Import,
    store: &mut Option<Sqlite>,
    source: &Source,
) -> Result<Done, StoreError> {
    let mut input = source.open().map_err(unreadable)?;
    let mut head = Vec::new();
    input.by_ref().take(HEAD_BYTES).read_to_end(&mut head).map_err(unreadable)?;
    if let Some(columns) = &args.columns {
        let finder = import::of_columns(columns.clone());
        return Ok(Done::Text(Box::new(text(finder, &head, &mut input).map_err(unreadable)?)));
    }
    let text_of_head = String::from_utf8_lossy(&head);
    if let Some(run) = run_of_events(&text_of_head).and_then(RunId::parse) {
        return Err(StoreError::usage(format!(
            "these are the events of run {run} (show --format jsonl), without the checksum that \
             shows that they are complete. Import a bundle instead. Create it where the run is \
             stored: bakeoff show {run} --no-redact -o run.bundle"
        )));
    }
    if !is_bundle(&head) {
        let finder = if args.guess { import::guessing() } else { import::finder() };
        return Ok(Done::Text(Box::new(text(finder, &head, &mut input).map_err(unreadable)?)));
    }
    let store = match store {
        Some(store) => store,
        None => {
            let path = place::path(global.store.as_deref())?;
            store.insert(Sqlite::open(&path)?)
        }
    };
    let whole = std::io::BufReader::new(Cursor::new(head).chain(input));
    let (run, done) = import(store, whole)?;
    if matches!(done, StoredImport::New(_)) {
        runs::keep_digest(store, &run);
    }
    Ok(Done::Bundle(run, done))
}

fn is_bundle(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let value: Result<serde_json::Value, _> = json::read(line);
    let schema = value.ok().and_then(|value| value["schema"].as_str().map(str::to_string));
    schema.is_some_and(|schema| schema.starts_with("bakeoff/bundle/"))
}

fn text(mut finder: Finder, head: &[u8], input: &mut impl Read) -> std::io::Result<Found> {
    finder.push(head);
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match input.read(&mut piece) {
            Ok(0) => return Ok(finder.finish()),
            Ok(count) => finder.push(&piece[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn say_text(format: Format, source: &Source, found: &Found) -> std::io::Result<()> {
    let name = source.name.to_string();
    if format == Format::Json {
        return out::print(Some(format), &format!("{}\n", report::import_json(&name, found)));
    }
    out::print(None, &answer::laid_out(&report::import_document(&name, found), Format::Text))
}

fn say_bundle(
    format: Format,
    source: &Source,
    run: &RunId,
    done: StoredImport,
) -> std::io::Result<()> {
    let name = &source.name;
    if format == Format::Json {
        let (is_new, events) = match done {
            StoredImport::New(events) => (true, Some(events)),
            StoredImport::Already => (false, None),
        };
        let result = json!({
            "schema": "bakeoff/import/1", "source": name, "run": run.as_str(), "new": is_new,
            "events": events, "results": [], "unread": [],
        });
        return out::print(Some(format), &format!("{result}\n"));
    }
    match done {
        StoredImport::New(events) => out::print(
            None,
            &format!(
                "imported run {run} from {name}, {events} events. Show it with `bakeoff show \
                 {run}`\n"
            ),
        ),
        StoredImport::Already => {
            let known = "is already in the store; nothing was changed";
            out::print(None, &format!("run {run} from {name} {known}\n"))
        }
    }
}

fn fault(failures: Vec<(RawPath, StoreError)>) -> Fault {
    let named = |(file, error): (RawPath, StoreError)| {
        let text = format!("{file}: {error}");
        match Fault::from(error).code() {
            2 => Fault::usage(text),
            3 => Fault::refused(text),
            _ => Fault::environment(text),
        }
    };
    let all = failures.into_iter().map(named);
    all.reduce(Fault::with).unwrap_or_else(|| Fault::bug("nothing failed"))
}
