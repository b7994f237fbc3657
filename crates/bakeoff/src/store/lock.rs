//! Who has a run in hand: a lock that the kernel takes back when its holder dies.
//!
//! flock(2) on a small file beside the store, in `<store>.locks/`. Whoever measures, resumes or
//! cleans up holds the run's lock all the while; everyone else asks whether it is held.

use std::fs::File;
use std::io::{self, ErrorKind::NotFound, ErrorKind::PermissionDenied};
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::{RunId, StoreError, place};
use crate::files::{Entry, FileError, OtherUser};

const TRIES: u32 = 100;
/// How often a lock that someone has is tried again: [`is_held`] itself has it for an instant.
const PATIENCE: u32 = 5;
const PAUSE: Duration = Duration::from_millis(10);

/// A held lock; dropping it, or dying, gives it back.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
    entry: Entry,
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // Removed while it is still locked, so nobody else can hold this file; if it cannot be
        // removed it stays behind, unlocked and empty, which harms nothing.
        let _ = self.entry.remove();
    }
}

/// Takes the run in hand; `None` when another living process has it.
pub fn hold(store: &Path, run: &RunId) -> Result<Option<RunLock>, StoreError> {
    hold_name(store, run.as_str(), FlockOperation::NonBlockingLockExclusive)
}

pub(super) fn hold_layout(store: &Path) -> Result<Option<RunLock>, StoreError> {
    hold_name(store, "layout", FlockOperation::LockExclusive)
}

pub fn is_held(store: &Path, run: &RunId) -> Result<bool, StoreError> {
    let error = |e: FileError| StoreError::from_file(store, e);
    let open = || locks(store)?.directory()?.entry(run.as_str()).open();
    let lock = match open() {
        // Who may not look may not change the run either; it can still be shown.
        Err(FileError::Io(e)) if matches!(e.kind(), NotFound | PermissionDenied) => {
            return Ok(false);
        }
        other => other.map_err(error)?,
    };
    let Some((file, _)) = lock else { return Ok(false) };
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => Ok(false),
        Err(Errno::WOULDBLOCK) => Ok(true),
        Err(e) => Err(error(e.into())),
    }
}

fn locks(store: &Path) -> Result<Entry, FileError> {
    Ok(Entry::of(store)?.beside(".locks"))
}

fn hold_name(store: &Path, name: &str, how: FlockOperation) -> Result<Option<RunLock>, StoreError> {
    try_hold(store, name, how).map_err(|error| match error {
        FileError::Io(error) if error.kind() == io::ErrorKind::ResourceBusy => {
            StoreError::busy(&place::beside(store, ".locks").join(name))
        }
        error @ (FileError::Refused(_) | FileError::NotOurs | FileError::Io(_)) => {
            StoreError::from_file(store, error)
        }
    })
}

fn try_hold(store: &Path, name: &str, how: FlockOperation) -> Result<Option<RunLock>, FileError> {
    let user = OtherUser::behind_sudo();
    let locks = locks(store)?;
    let mut refused = 0;
    for _ in 0..TRIES {
        let entry = locks.make_directory((0o700, user.as_ref()))?.entry(name);
        let file = match entry.create(0o666, user.as_ref()) {
            Err(FileError::Io(e)) if e.kind() == io::ErrorKind::AlreadyExists => {
                entry.open()?.map(|(file, _)| file)
            }
            other => Some(other?),
        };
        // Its holder removed it just now.
        let Some(file) = file else { continue };
        match flock(&file, how) {
            Err(Errno::WOULDBLOCK) if refused == PATIENCE => return Ok(None),
            Err(Errno::WOULDBLOCK) => {
                refused += 1;
                thread::sleep(PAUSE);
                continue;
            }
            Err(Errno::INTR) => continue,
            other => other?,
        }
        // Its last holder may have removed it between our open and our lock.
        if entry.names(&file)? {
            return Ok(Some(RunLock { _file: file, entry }));
        }
    }
    Err(io::Error::from(io::ErrorKind::ResourceBusy).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn run() -> RunId {
        RunId::parse("0123456789abcdef").expect("16 digits")
    }

    #[test]
    fn one_holder_at_a_time_and_none_after() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let store = dir.path().join("s.db");
        assert!(!is_held(&store, &run()).expect("nothing there"));
        let held = hold(&store, &run()).expect("can lock").expect("free");
        assert!(is_held(&store, &run()).expect("readable"));
        assert!(hold(&store, &run()).expect("can try").is_none());
        drop(held);
        assert!(!is_held(&store, &run()).expect("gone"));
        assert!(hold(&store, &run()).expect("can lock").is_some());
    }

    /// A FIFO in place of a lock held the program up for ever.
    #[test]
    fn refuses_a_lock_that_is_a_fifo() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let store = dir.path().join("s.db");
        let locks = place::beside(&store, ".locks");
        fs::create_dir(&locks).expect("room");
        let path = locks.join(run().as_str());
        let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo");
        assert!(made.success());
        assert!(is_held(&store, &run()).is_err());
        assert!(hold(&store, &run()).is_err());
    }

    #[test]
    fn threads_that_race_for_it_never_hold_it_together() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let store = dir.path().join("s.db");
        let inside = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut mine = 0;
                    while mine < 25 {
                        let Some(held) = hold(&store, &run()).expect("can try") else { continue };
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        mine += 1;
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(held);
                    }
                });
            }
        });
    }
}
