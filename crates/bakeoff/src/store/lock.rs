//! Who has a run in hand: a lock that the kernel takes back when its holder dies.
//!
//! flock(2) on a small file beside the store, in `<store>.locks/`. Whoever measures, resumes or
//! cleans up holds the run's lock all the while; everyone else asks whether it is held.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;

use super::user::{self, User};
use super::{RunId, StoreError, place};

/// How often a lock is tried whose file is removed by its last holder at the same moment.
const TRIES: u32 = 100;
/// How often a lock that someone has is tried again: [`is_held`] itself has it for an instant.
const PATIENCE: u32 = 5;
/// Pause between these tries.
const PAUSE: Duration = Duration::from_millis(10);

/// A held lock; dropping it, or dying, gives it back.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
    path: PathBuf,
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // Removed while it is still locked, so nobody else can hold this file; if it cannot be
        // removed it stays behind, unlocked and empty, which harms nothing.
        let _ = fs::remove_file(&self.path);
    }
}

/// Takes the run in hand; `None` when another living process has it.
pub fn hold(store: &Path, run: &RunId) -> Result<Option<RunLock>, StoreError> {
    hold_name(store, run.as_str(), FlockOperation::NonBlockingLockExclusive)
}

/// Waits until nobody else changes the layout of the store.
pub(super) fn hold_layout(store: &Path) -> Result<Option<RunLock>, StoreError> {
    hold_name(store, "layout", FlockOperation::LockExclusive)
}

/// Whether a living process has the run in hand.
pub fn is_held(store: &Path, run: &RunId) -> Result<bool, StoreError> {
    let path = dir(store).join(run.as_str());
    let file = match open_lock(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        // Who may not look may not change the run either; it can still be shown.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(false),
        other => other.map_err(|source| StoreError::from_io(&path, &source))?,
    };
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => Ok(false),
        Err(Errno::WOULDBLOCK) => Ok(true),
        Err(error) => Err(StoreError::from_io(&path, &error.into())),
    }
}

/// The runs that living processes have in hand.
#[cfg(any(feature = "dashboard", feature = "tui"))]
pub fn held(store: &Path) -> Result<Vec<RunId>, StoreError> {
    let dir = dir(store);
    let entries = match fs::read_dir(&dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(|source| StoreError::from_io(&dir, &source))?,
    };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut runs = Vec::new();
    for run in names.filter_map(|name| RunId::parse(&name)) {
        if is_held(store, &run)? {
            runs.push(run);
        }
    }
    Ok(runs)
}

fn dir(store: &Path) -> PathBuf {
    place::beside(store, ".locks")
}

fn hold_name(store: &Path, name: &str, how: FlockOperation) -> Result<Option<RunLock>, StoreError> {
    let user = User::behind_sudo();
    let (dir, path) = (dir(store), dir(store).join(name));
    let error = |source: io::Error| StoreError::from_io(&path, &source);
    let mut refused = 0;
    for _ in 0..TRIES {
        user::create_dir_all(&dir, user.as_ref()).map_err(error)?;
        let file = match user::create_file(&path, user.as_ref()) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => match open_lock(&path) {
                // Its holder removed it just now.
                Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
                other => other.map_err(error)?,
            },
            other => other.map_err(error)?,
        };
        match flock(&file, how) {
            Err(Errno::WOULDBLOCK) if refused == PATIENCE => return Ok(None),
            Err(Errno::WOULDBLOCK) => {
                refused += 1;
                thread::sleep(PAUSE);
                continue;
            }
            Err(Errno::INTR) => continue,
            other => other.map_err(|e| error(e.into()))?,
        }
        if is_same(&file, &path).map_err(error)? {
            return Ok(Some(RunLock { _file: file, path }));
        }
    }
    Err(StoreError::Busy { path })
}

/// Opens a lock without waiting for anybody: who made a FIFO of its name does not hold us up.
fn open_lock(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("the lock is not a regular file. Remove it")),
    }
}

/// Whether the file is still the one of that name: its last holder may have removed it between
/// our open and our lock.
fn is_same(file: &File, path: &Path) -> io::Result<bool> {
    let ours = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (ours.dev(), ours.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let locks = super::dir(&store);
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
