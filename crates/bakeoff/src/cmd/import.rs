//! `bakeoff import`: bundles from elsewhere into the store.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{BufReader, ErrorKind, Write};

use bakeoff_core::model::path::RawPath;
use serde_json::json;

use super::stored;
use crate::cli::{Format, Global, Import};
use crate::fault::{Fault, Outcome};
use crate::store::import::{ImportError, import};
use crate::store::{Imported, RunId, Sqlite, place};

/// Runs the command. Each file comes in whole or not at all, whatever becomes of the others.
pub fn run(global: &Global, args: &Import) -> Result<Outcome, Fault> {
    let format = global.format.unwrap_or(Format::Text);
    if !matches!(format, Format::Text | Format::Json) {
        return Err(stored::no_format(format, "import", "text or json"));
    }
    let mut store = Sqlite::open(&place::path(global.store.as_deref())?)?;
    let mut failures = Vec::new();
    for file in &args.files {
        match one(&mut store, file) {
            Ok((run, done)) => say(format, file, &run, done)?,
            Err(error) => failures.push((RawPath::new(file), error)),
        }
    }
    match failures.is_empty() {
        true => Ok(Outcome::Done),
        false => Err(fault(&failures)),
    }
}

fn one(store: &mut Sqlite, file: &OsStr) -> Result<(RunId, Imported), ImportError> {
    if file == "-" {
        return import(store, std::io::stdin().lock());
    }
    import(store, BufReader::new(File::open(file)?))
}

fn say(format: Format, file: &OsString, run: &RunId, done: Imported) -> std::io::Result<()> {
    let source = RawPath::new(file);
    let mut out = std::io::stdout().lock();
    if format == Format::Json {
        let (is_new, events) = match done {
            Imported::New(events) => (true, Some(events)),
            Imported::Already => (false, None),
        };
        let result = json!({
            "schema": "bakeoff/import/1", "source": source, "run": run.as_str(), "new": is_new,
            "events": events, "results": [], "unread": [],
        });
        return writeln!(out, "{result}");
    }
    match done {
        Imported::New(events) => writeln!(
            out,
            "imported run {run} from {source}, {events} events; `bakeoff show {run}` shows it"
        ),
        Imported::Already => {
            writeln!(out, "run {run} from {source} is in the store already; nothing changed")
        }
    }
}

/// All failures in one message, with the exit code of the worst.
fn fault(failures: &[(RawPath, ImportError)]) -> Fault {
    let text: Vec<_> = failures.iter().map(|(file, error)| format!("{file}: {error}")).collect();
    let text = text.join("\nbakeoff: ");
    let any = |is: fn(&ImportError) -> bool| failures.iter().any(|(_, error)| is(error));
    if any(is_environment) {
        Fault::environment(text)
    } else if any(|e| matches!(e, ImportError::Differs { .. })) {
        Fault::refused(text)
    } else {
        Fault::usage(text)
    }
}

/// Whether the machine is at fault, not the file that was named.
fn is_environment(error: &ImportError) -> bool {
    match error {
        ImportError::Store(_) => true,
        ImportError::Read(error) => {
            !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::IsADirectory)
        }
        ImportError::Bundle(_) | ImportError::Differs { .. } => false,
    }
}
