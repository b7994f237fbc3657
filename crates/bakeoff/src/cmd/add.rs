//! `bakeoff runs add`: runs that were exported as bundles, into the store of this machine.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufReader, Read};

use bakeoff_model::path::RawPath;

use crate::cli::Global;
use crate::cli::history::AddArgs;
use crate::fault::{Fault, Outcome};
use crate::store::import::{import, unreadable};
use crate::store::{RunId, Sqlite, StoreError, StoredImport, place};
use crate::ui::out;

pub fn run(global: &Global, args: &AddArgs) -> Result<Outcome, Fault> {
    let mut store = Sqlite::open(&place::path(global.store.as_deref())?)?;
    let mut failures = Vec::new();
    for file in &args.files {
        let name = RawPath::new(file);
        match add(&mut store, file) {
            Ok((run, done)) => say(&name, &run, done)?,
            Err(error) => failures.push(named(&name, error)),
        }
    }
    failures.into_iter().reduce(Fault::with).map_or(Ok(Outcome::Done), Err)
}

fn add(store: &mut Sqlite, file: &OsStr) -> Result<(RunId, StoredImport), StoreError> {
    let input: Box<dyn Read> = if file == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(File::open(file).map_err(unreadable)?)
    };
    import(store, BufReader::new(input))
}

fn say(name: &RawPath, run: &RunId, done: StoredImport) -> std::io::Result<()> {
    let text = match done {
        StoredImport::New(events) => format!(
            "added run {run} from {name}, {events} events. Show it with `bakeoff show {run}`\n"
        ),
        StoredImport::Already => {
            format!("run {run} from {name} is already in the store; nothing was changed\n")
        }
    };
    out::print(None, &text)
}

/// The error of a file, with its name.
pub fn named(file: &RawPath, error: StoreError) -> Fault {
    let text = format!("{file}: {error}");
    match Fault::from(error).code() {
        2 => Fault::usage(text),
        3 => Fault::refused(text),
        _ => Fault::environment(text),
    }
}
