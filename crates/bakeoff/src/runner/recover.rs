//! Puts back what dead runs left on the system.
//!
//! Only runs whose lock nobody holds, and only by the undo that was recorded before each step:
//! paths and names that carry the run's id. Done by quick, demo, resume and clean; other commands
//! only say that there is something to do.

use super::journal::Journal;
use super::session;
use super::stepper;
use crate::fault::Fault;
use crate::store::{RunId, Sqlite, Store, lock};

/// What was found and done.
#[derive(Debug, Default)]
pub struct Recovered {
    /// Runs with everything put back, each with what was undone.
    pub runs: Vec<(RunId, Vec<String>)>,
    /// What could not be put back.
    pub failures: Vec<String>,
}

/// Runs of this machine that left something on the system and have no living owner.
pub fn dead_runs(store: &Sqlite) -> Result<Vec<RunId>, Fault> {
    let mut dead = Vec::new();
    for run in store.unfinished()? {
        if !lock::is_held(store.path(), &run)? {
            dead.push(run);
        }
    }
    Ok(dead)
}

/// Puts back what every dead run left.
pub fn recover(store: &mut Sqlite) -> Result<Recovered, Fault> {
    let mut recovered = Recovered::default();
    for id in dead_runs(store)? {
        let Some(mut journal) = Journal::try_take(store, &id)? else { continue };
        let undone: Vec<String> =
            journal.run().steps_to_undo().map(|step| step.why.clone()).collect();
        session::supersede_open(&mut journal)?;
        let failures = stepper::undo_all(&mut journal)?;
        let is_bench = journal.run().header.verb == "bench";
        drop(journal);
        if !failures.is_empty() {
            recovered.failures.extend(failures);
            continue;
        }
        // A bench's record is only there for its way back.
        if is_bench {
            store.remove(&id)?;
        }
        recovered.runs.push((id, undone));
    }
    Ok(recovered)
}
