//! What the commands about stored runs share: finding one, reading it, saying how it stands.

use std::io::ErrorKind;
use std::path::Path;

use bakeoff_judge::analyse::analyse;
use bakeoff_model::path::RawPath;
use bakeoff_model::path::unsteered;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::Analysis;
use bakeoff_report::runs::State;

use crate::cli::{Format, Global, formats};
use crate::fault::Fault;
use crate::files::{FileError, output};
use crate::store::server::Server;
use crate::store::{Records, RunId, Sqlite, StoreError, folded, place};
use crate::ui::say;

/// Opens the store to read it, a file or a server; `None` when nothing was ever stored.
pub fn open(global: &Global) -> Result<Option<Box<dyn Records>>, Fault> {
    match global.store.as_deref().filter(|option| place::is_address(option)) {
        Some(address) => Ok(Some(Box::new(Server::open(address)?))),
        None => Ok(open_file(global)?.map(|store| Box::new(store) as Box<dyn Records>)),
    }
}

/// Opens the store of this machine; `None` when nothing was ever stored.
pub fn open_file(global: &Global) -> Result<Option<Sqlite>, Fault> {
    Ok(Sqlite::open_existing(&place::path(global.store.as_deref())?)?)
}

pub fn find(global: &Global, name: &str) -> Result<(Box<dyn Records>, RunId), Fault> {
    let store = open(global)?.ok_or_else(|| none(name))?;
    let run = store.find(name)?;
    Ok((store, run))
}

pub fn find_file(global: &Global, name: &str) -> Result<(Sqlite, RunId), Fault> {
    let store = open_file(global)?.ok_or_else(|| none(name))?;
    let run = store.find(name)?;
    Ok((store, run))
}

pub fn none(name: &str) -> StoreError {
    StoreError::not_found(name, &[])
}

/// The run of that name, or all runs with that label, the first to be stored first.
pub fn named(store: &dyn Records, name: &str) -> Result<Vec<RunId>, StoreError> {
    let error = match store.find(name) {
        Ok(run) => return Ok(vec![run]),
        Err(error) => error,
    };
    let mut all = store.list()?;
    all.retain(|summary| summary.label.as_deref() == Some(name));
    if all.is_empty() {
        Err(error)
    } else {
        Ok(all.into_iter().rev().map(|summary| summary.run).collect())
    }
}

/// These runs; says of each that is not over how it stands.
pub fn analysed(store: &dyn Records, ids: &[RunId]) -> Result<Vec<(Run, Analysis)>, Fault> {
    let mut runs = Vec::new();
    for id in ids {
        let run = folded::read(store, id)?;
        say_state(store.state(id, run.stopped.is_some())?, store, id)?;
        let analysis = analyse(&run);
        runs.push((run, analysis));
    }
    Ok(runs)
}

/// Says that a run is not over; on stderr, because it is true now and no part of the run.
pub fn say_state(state: State, store: &dyn Records, id: &RunId) -> Result<(), Fault> {
    let text = match state {
        State::Stopped | State::Unreadable => return Ok(()),
        State::Running => format!("run {id} is in progress; this is the answer so far"),
        State::Dead => {
            let advice = if store.is_imported(id)? {
                "resume it on the machine it was exported from".to_string()
            } else {
                format!("continue with `bakeoff resume {id}`")
            };
            format!("run {id} was interrupted; this is the answer so far, {advice}")
        }
    };
    say::line(format_args!("bakeoff: {text}"));
    Ok(())
}

/// The format that was asked for, text where none was; one that the command does not have is an
/// error.
pub fn format(global: &Global, command: &str) -> Result<Format, Fault> {
    format_among(global, command, formats::of_command(command))
}

pub fn format_among(global: &Global, command: &str, has: &[Format]) -> Result<Format, Fault> {
    let format = global.format.unwrap_or(Format::Text);
    if has.contains(&format) {
        return Ok(format);
    }
    let names: Vec<String> = has.iter().map(|format| formats::name(*format)).collect();
    let (last, first) = names.split_last().map_or(("none", &[][..]), |(l, f)| (l.as_str(), f));
    Err(no_format(format, command, &format!("{} or {last}", first.join(", "))))
}

pub fn no_format(format: Format, command: &str, has: &str) -> Fault {
    let name = formats::name(format);
    Fault::usage(format!(
        "`bakeoff {command}` does not support the format {name}. Supported: {has}"
    ))
}

pub fn write_text(path: &Path, text: &str) -> Result<(), Fault> {
    let written = output::write(path, |out| out.write_all(unsteered(text).as_bytes()));
    written.map_err(|error| unwritten(path, error))
}

pub fn check_output(path: &Path) -> Result<(), Fault> {
    output::check(path).map_err(|error| unwritten(path, error))
}

fn unwritten(path: &Path, error: FileError) -> Fault {
    let shown = RawPath::new(path);
    let error = match error {
        FileError::Refused(why) => {
            return Fault::refused(format!("Refusing to write to {shown}: {why}"));
        }
        FileError::NotOurs => {
            return Fault::refused(format!("Refusing to overwrite {shown}: {error}"));
        }
        FileError::Io(error) => error,
    };
    match error.kind() {
        ErrorKind::IsADirectory => {
            Fault::usage(format!("{shown} is a directory. Specify a file in it"))
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Fault::environment(format!(
            "no space left to write {shown}. Nothing was written there. Free some space, or \
             specify a file on another drive"
        )),
        _ => Fault::environment(format!("cannot write {shown}: {error}")),
    }
}
