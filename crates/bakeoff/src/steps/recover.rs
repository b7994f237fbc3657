//! Puts back what dead runs left on the system.
//!
//! Only runs whose lock nobody holds, and only by the undo that was recorded before each step:
//! paths and names that carry the run's id. Done by quick, demo, resume and clean; other commands
//! only say that there is something to do.

use super::in_hand;
use super::journal::Journal;
use super::session;
use super::unwind;
use crate::fault::Fault;
use crate::store::{RunId, Sqlite, Store, trust};

#[derive(Debug, Default)]
pub struct Recovered {
    pub runs: Vec<(RunId, Vec<String>)>,
    pub failures: Vec<String>,
    pub set_aside: Vec<(RunId, String)>,
}

/// Runs of this machine that left something on the system and have no living owner.
pub fn dead_runs(store: &Sqlite) -> Result<Vec<RunId>, Fault> {
    let mut dead = Vec::new();
    for run in store.unfinished()? {
        if !in_hand::is_in_hand(store, &run)? {
            dead.push(run);
        }
    }
    Ok(dead)
}

/// Puts back what every dead run left.
///
/// # Errors
/// Refused to root where another user can write the store. A run whose record is damaged keeps no
/// other from being recovered.
pub fn recover(store: &mut Sqlite) -> Result<Recovered, Fault> {
    let mut recovered = Recovered::default();
    let dead = dead_runs(store)?;
    if !dead.is_empty() {
        trust::check(store)?;
    }
    for id in dead {
        let mut journal = match Journal::try_take(store, &id) {
            Ok(Some(journal)) => journal,
            Ok(None) => continue,
            Err(damage) => {
                recovered.set_aside.push((id, damage.to_string()));
                continue;
            }
        };
        let undone: Vec<String> =
            journal.run().steps_to_undo().map(|step| step.why.clone()).collect();
        session::supersede_open(&mut journal)?;
        let failures = unwind::undo_all(&mut journal)?;
        let is_unkept = journal.run().header.verb.is_unkept();
        drop(journal);
        if !failures.is_empty() {
            recovered.failures.extend(failures);
            continue;
        }
        // Its record is only there for its way back.
        if is_unkept {
            store.remove(&id)?;
        }
        recovered.runs.push((id, undone));
    }
    Ok(recovered)
}
