//! Whether a living process has a run in hand.
//!
//! The lock of a run says so, but for one moment: a process that is killed while it starts another
//! one leaves its lock with that one, until it is at its own program (flock(2): a lock belongs to
//! the open file, which fork(2) shares and execve(2) closes).

use std::thread;
use std::time::Duration;

use bakeoff_model::event::Owner;

use crate::host;
use crate::store::{RunId, Sqlite, StoreError};

/// How often and how long the lock of a dead owner is waited for: five seconds, in which a program
/// is read from a busy drive.
const TRIES: u32 = 200;
const PAUSE: Duration = Duration::from_millis(25);

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
    use crate::store::{Store, lock};
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
