//! Puts back what dead runs left on the system.
//!
//! Only runs whose lock nobody holds, and only by the undo that was recorded before each step:
//! paths and names that carry the run's id. Done by quick, demo, resume and clean; other commands
//! only say that there is something to do.
//!
//! The lock of a run says whether its owner is alive, but for one moment: a process that is killed
//! while it starts another one leaves its lock with that one, until it is at its own program
//! (flock(2): a lock belongs to the open file, which fork(2) shares and execve(2) closes).

use std::thread;
use std::time::Duration;

use bakeoff_model::event::Owner;

use super::journal::Journal;
use super::session;
use super::unwind;
use crate::fault::Fault;
use crate::host;
use crate::store::{RunId, Sqlite, StoreError, trust};

/// How often and how long the lock of a dead owner is waited for: five seconds, in which a program
/// is read from a busy drive.
const TRIES: u32 = 200;
const PAUSE: Duration = Duration::from_millis(25);

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
        if !is_in_hand(store, &run)? {
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

/// Whether a living process has it. Somebody else than the owner on record who has the lock for
/// longer, because he cleans up, is alive too.
///
/// # Errors
/// The lock or the record cannot be read.
pub fn is_in_hand(store: &Sqlite, run: &RunId) -> Result<bool, StoreError> {
    for _ in 0..TRIES {
        if !store.is_held(run)? {
            return Ok(false);
        }
        // One that has just begun is on record in a moment.
        if store.owner(run)?.is_none_or(|owner| lives(&owner)) {
            return Ok(true);
        }
        thread::sleep(PAUSE);
    }
    Ok(true)
}

/// Whether the process is the one on record: another one that got its number has another start.
pub fn lives(owner: &Owner) -> bool {
    host::process_start_ticks(owner.pid).is_ok_and(|ticks| ticks == owner.start_ticks)
        && host::boot_id().is_ok_and(|boot| boot == owner.boot_id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::lock;
    use bakeoff_model::event::{Event, What};

    fn owned_by(pid: u32) -> (tempfile::TempDir, Sqlite, RunId) {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Sqlite::open(&dir.path().join("store.db")).unwrap();
        let text = include_str!("../../../../fixtures/bundle/v0.1.0.jsonl");
        let started: Event = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
        let run = store.create(&started).unwrap();
        let start_ticks = host::process_start_ticks(pid).unwrap_or_default();
        let what =
            What::Owned(Owner { pid, start_ticks, boot_id: host::boot_id().unwrap(), view: None });
        store.append(&run, &[Event { seq: 1, unix_ns: 0, elapsed_ns: 0, what }]).unwrap();
        (dir, store, run)
    }

    /// `clean` right after a kill found nothing to clean up.
    #[test]
    fn the_lock_of_a_dead_owner_is_waited_for_and_that_of_a_living_one_is_not() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let (_dir, store, run) = owned_by(child.id());
        assert!(!is_in_hand(&store, &run).unwrap());
        let held = lock::hold(store.path(), &run).unwrap().unwrap();
        let waited = thread::spawn(move || {
            thread::sleep(4 * PAUSE);
            drop(held);
        });
        assert!(!is_in_hand(&store, &run).unwrap());
        waited.join().unwrap();
        let (_dir, store, run) = owned_by(std::process::id());
        let _held = lock::hold(store.path(), &run).unwrap().unwrap();
        assert!(is_in_hand(&store, &run).unwrap());
    }
}
