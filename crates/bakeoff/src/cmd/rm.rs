//! `bakeoff runs rm`: remove a stored run.

use bakeoff_model::path::sanitize;

use super::stored;
use crate::cli::Global;
use crate::cli::history::OneRun;
use crate::fault::{Fault, Outcome};
use crate::store::{Records, lock};
use crate::ui::{out, say};

pub fn run(global: &Global, args: &OneRun) -> Result<Outcome, Fault> {
    let (mut store, id) = stored::find_file(global, &args.run)?;
    // Held to the end, so that nobody resumes the run while it goes.
    let Some(_held) = lock::hold(store.path(), &id)? else {
        return Err(Fault::refused(format!(
            "run {id} is still in progress. Stop that process first (Ctrl-C cleans up)"
        )));
    };
    if store.unfinished()?.contains(&id) {
        return Err(Fault::refused(format!(
            "Refusing to remove run {id}: it left changes on this system, and its record is needed \
             to undo them. Run {} first (`bakeoff clean --force {id}` if its record is damaged)",
            say::typed("`sudo bakeoff clean`")
        )));
    }
    let summary = store.list()?.into_iter().find(|summary| summary.run == id);
    store.remove(&id)?;
    let (title, events) = summary.map_or((String::new(), 0), |s| (s.title, s.events));
    out::print(None, &format!("removed run {id} ({}), {events} events\n", sanitize(&title)))?;
    Ok(Outcome::Done)
}
