//! Reads the run that is shown, again whenever it changed, in a thread that yields to everything
//! else.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use bakeoff_judge::analyse::analyse;
use bakeoff_model::run::Run;
use bakeoff_report::now::Now;
use bakeoff_report::runs::State;

use crate::store::{Records, RunId, Sqlite, StoreError, lock};

const LOOK: Duration = Duration::from_millis(500);
/// Least time between two analyses, and the share of it that one may take: a fiftieth.
const LEAST_PAUSE: Duration = Duration::from_secs(2);
const PAUSE_FACTOR: u32 = 50;

pub struct Follow(Receiver<Box<Now>>);

impl Follow {
    /// Starts to look for the run of a process, or of anybody.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn start(store: PathBuf, process: Option<u32>) -> io::Result<Follow> {
        // One that nobody has looked at yet is replaced by waiting for the reader.
        let (send, receive) = sync_channel(1);
        thread::Builder::new().spawn(move || {
            // Where it cannot yield it looks as rarely.
            let _ = rustix::process::nice(19);
            follow(&store, process, &send);
        })?;
        Ok(Follow(receive))
    }

    pub fn latest(&self) -> Option<Box<Now>> {
        self.0.try_iter().last()
    }
}

fn follow(store: &Path, process: Option<u32>, send: &SyncSender<Box<Now>>) {
    let mut shown: Option<(RunId, u64, bool)> = None;
    let mut due = Instant::now();
    loop {
        thread::sleep(LOOK);
        // What cannot be read now may be at the next look.
        let Ok(Some(found)) = stand(store, process, shown.as_ref()) else { continue };
        let is_early = Instant::now() < due;
        let is_new = shown.as_ref().is_none_or(|s| (&s.0, s.2) != (&found.0, found.2));
        if shown.as_ref() == Some(&found) || (is_early && !is_new) {
            continue;
        }
        let began = Instant::now();
        let Ok(Some(now)) = read(store, &found.0) else { continue };
        due = Instant::now() + LEAST_PAUSE.max(began.elapsed().saturating_mul(PAUSE_FACTOR));
        shown = Some(found);
        if let Err(TrySendError::Disconnected(_)) = send.try_send(Box::new(now)) {
            return;
        }
    }
}

fn stand(
    path: &Path,
    process: Option<u32>,
    shown: Option<&(RunId, u64, bool)>,
) -> Result<Option<(RunId, u64, bool)>, StoreError> {
    let Some(store) = Sqlite::open_existing(path)? else { return Ok(None) };
    for run in lock::held(path)? {
        let owner = store.owner(&run)?;
        if process.is_none_or(|pid| owner.is_some_and(|owner| owner.pid == pid)) {
            let events = store.events(&run)?;
            return Ok(Some((run, events, true)));
        }
    }
    // One that was shown and has ended stays.
    let Some((run, ..)) = shown else { return Ok(None) };
    Ok(Some((run.clone(), store.events(run)?, false)))
}

/// The document of a run; `None` where its record cannot be read.
fn read(path: &Path, id: &RunId) -> Result<Option<Now>, StoreError> {
    let Some(store) = Sqlite::open_existing(path)? else { return Ok(None) };
    let Ok(run) = Run::fold(&store.load(id)?) else { return Ok(None) };
    let state = match (lock::is_held(path, id)?, &run.stopped) {
        (true, _) => State::Running,
        (false, None) => State::Dead,
        (false, Some(_)) => State::Stopped,
    };
    Ok(Some(Now::new(&run, &analyse(&run), state)))
}
