//! `bakeoff clean`: undo what dead runs left behind.

use super::begin;
use crate::cli::Global;
use crate::fault::{Fault, Outcome};
use crate::runner::recover;
use crate::store::Sqlite;
use crate::ui::say;

/// Runs the command.
pub fn run(global: &Global) -> Result<Outcome, Fault> {
    let path = crate::store::place::path(global.store.as_deref())?;
    let Some(mut store) = Sqlite::open_existing(&path)? else {
        say::note(global.quiet, format_args!("Nothing to put back: there is no store yet."));
        return Ok(Outcome::Done);
    };
    let recovered = recover::recover(&mut store)?;
    begin::say_recovered(&recovered, global.quiet);
    if !recovered.failures.is_empty() {
        return Err(Fault::environment(
            "some changes could not be put back; see above, then run `sudo bakeoff clean` again",
        ));
    }
    if recovered.runs.is_empty() {
        say::note(global.quiet, format_args!("Nothing to put back."));
    }
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
            "bakeoff: run {} died and left something on this system; `bakeoff resume {}` goes on, \
             `bakeoff clean` puts it back",
            ids.join(", "),
            ids[0]
        ));
    }
}
