//! `bakeoff clean`: undo what dead runs left behind.

use bakeoff_machine::prepare::steps;
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;

use super::lifecycle;
use crate::cli::{Clean, Global};
use crate::fault::{Fault, Outcome};
use crate::steps::recover;
use crate::store::{Records, Sqlite, lock, trust};
use crate::ui::say;

pub fn run(global: &Global, args: &Clean) -> Result<Outcome, Fault> {
    let path = crate::store::place::path(global.store.as_deref())?;
    let Some(mut store) = Sqlite::open_existing(&path)? else {
        say::note(global.quiet, format_args!("Nothing to clean up: there is no store yet."));
        return Ok(Outcome::Done);
    };
    if let Some(run) = &args.force {
        return forget(global, store, run);
    }
    let recovered = recover::recover(&mut store)?;
    lifecycle::say_recovered(&recovered, global.quiet);
    if !recovered.set_aside.is_empty() {
        return Err(Fault::environment(
            "damaged runs were skipped. Remove one with `bakeoff clean --force RUN`",
        ));
    }
    if !recovered.failures.is_empty() {
        return Err(Fault::environment(say::typed(
            "cannot undo some changes (see above). Run `sudo bakeoff clean` again",
        )));
    }
    if recovered.runs.is_empty() {
        say::note(global.quiet, format_args!("Nothing to clean up."));
    }
    Ok(Outcome::Done)
}

fn forget(global: &Global, mut store: Sqlite, run: &str) -> Result<Outcome, Fault> {
    trust::check(&store)?;
    let id = store.find(run)?;
    let Some(held) = lock::hold(store.path(), &id)? else {
        return Err(Fault::refused(format!(
            "run {id} is still in progress. Wait until it ends, or \
                                           stop it with Ctrl-C"
        )));
    };
    let known = store.list()?.into_iter().find(|summary| summary.run == id);
    let title = known.map(|summary| sanitize(&summary.title)).unwrap_or_default();
    say::line(format_args!("Run {id} ({title}). Recorded changes that were not undone:"));
    match store.load(&id).ok().and_then(|events| Run::fold(&events).ok()) {
        Some(run) => run.steps_to_undo().for_each(|step| {
            let undo = step
                .undo
                .as_ref()
                .map(|undo| sanitize(&steps::describe_undo(undo, &run.header.run, step.step)));
            let (why, undo) = (sanitize(&step.why), undo.unwrap_or_default());
            say::line(format_args!("  {why}; to undo it: {undo}"));
        }),
        None => say::line(format_args!(
            "  cannot read its record. Check for {} in /run/bakeoff, /dev/mapper and `losetup \
             --list`",
            id.as_str()
        )),
    }
    store.remove(&id)?;
    drop(held);
    say::note(
        global.quiet,
        format_args!("Removed the record. Nothing was changed on this system."),
    );
    Ok(Outcome::Done)
}

/// For commands that only read: says that something is left to put back, and how.
pub fn hint(global: &Global) {
    // A store that cannot be opened is the command's own affair to report.
    let Ok(path) = crate::store::place::path(global.store.as_deref()) else { return };
    let Ok(Some(store)) = Sqlite::open_existing(&path) else { return };
    let Ok(dead) = recover::dead_runs(&store) else { return };
    if !dead.is_empty() && !global.quiet {
        let ids: Vec<&str> = dead.iter().map(|id| &id.as_str()[..8]).collect();
        say::line(format_args!(
            "bakeoff: run {} ended unexpectedly and left changes on this system. Continue with \
             `bakeoff resume {}`, or undo them with `bakeoff clean`",
            ids.join(", "),
            ids[0]
        ));
    }
}
