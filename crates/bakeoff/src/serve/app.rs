//! What all requests share: the store's path, the messages, what was made last.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bakeoff_machine::prepare::device::System;
use bakeoff_report::devices::Devices;
use bakeoff_report::now::Now;
use bakeoff_report::runs::State;
use tokio::sync::Semaphore;

use super::crowd::Crowd;
use super::gate::Names;
use super::hub::Hub;
use super::problem::Problem;
use super::view;
use crate::exec::internal::VIEW;
use crate::exec::{Finished, Spec};
use crate::host;
use crate::signals::Cancel;
use crate::store::{RunId, Sqlite, StoreError, lock};

const VIEW_LIMIT: Duration = Duration::from_secs(120);
const VIEW_BYTES: usize = 24 << 20;
/// A run that changes is analysed again after this, or longer where that takes long.
const LEAST_PAUSE: Duration = Duration::from_secs(2);
/// Share of one processor that analysing may take: one in this many seconds.
const PAUSE_FACTOR: u32 = 50;
const AT_ONCE: usize = 2;
/// Event streams at one time, in all and of one address; pages have the other connections.
const STREAMS: usize = 64;
const STREAMS_OF_ONE: usize = 32;
const DRIVES_AGE: Duration = Duration::from_secs(15);

/// What was analysed for a scrape before: the run, and the document with its events.
pub type Analysed = BTreeMap<RunId, Arc<Now>>;

/// A run, as it was when it was last analysed.
#[derive(Debug)]
pub struct Current {
    pub run: RunId,
    pub now: Now,
    /// `bakeoff/now/1`.
    pub json: String,
    pub html: String,
}

#[derive(Default)]
struct Kept {
    current: Option<Arc<Current>>,
    due: Option<Instant>,
}

pub struct App {
    pub store: PathBuf,
    pub names: Names,
    pub hub: Arc<Hub>,
    pub streams: Arc<Crowd>,
    pub cancel: Cancel,
    pub slots: Arc<Semaphore>,
    pub analysed: Mutex<Analysed>,
    /// Whether a process reads the results of runs that were never listed.
    pub reads_results: AtomicBool,
    kept: Mutex<Kept>,
    drives: Mutex<Option<(Instant, Arc<Devices>)>>,
}

impl App {
    pub fn new(store: PathBuf, names: Names, boot: String, cancel: Cancel) -> App {
        App {
            store,
            names,
            hub: Arc::new(Hub::new(boot)),
            streams: Crowd::new(STREAMS, STREAMS_OF_ONE),
            cancel,
            slots: Arc::new(Semaphore::new(AT_ONCE)),
            analysed: Mutex::default(),
            reads_results: AtomicBool::new(false),
            kept: Mutex::default(),
            drives: Mutex::default(),
        }
    }

    /// The store, opened to read; `None` while there is none.
    pub fn open(&self) -> Result<Option<Sqlite>, StoreError> {
        Sqlite::open_existing(&self.store)
    }

    fn stand(&self) -> Result<Option<(RunId, u64, bool)>, Problem> {
        let Some(store) = self.open()? else { return Ok(None) };
        let held = lock::held(&self.store)?;
        // Of several the one that began last; a held run that is not stored is about to be.
        let known = store.latest_of(&held)?;
        let is_held = known.is_some();
        let Some(run) = known.map_or_else(|| store.latest(), |run| Ok(Some(run)))? else {
            return Ok(None);
        };
        let events = store.events(&run)?;
        Ok(Some((run, events, is_held)))
    }

    /// The run that is measured, or the last one; analysed again when it changed and enough time
    /// has passed. Blocks, once for all who ask.
    pub fn current(&self) -> Result<Option<Arc<Current>>, Problem> {
        let mut kept = locked(&self.kept);
        let Some((run, events, is_held)) = self.stand()? else { return Ok(None) };
        if let Some(current) = kept.current.as_ref().filter(|current| current.run == run) {
            let is_same_state = is_held == (current.now.state == State::Running);
            let is_early = kept.due.is_some_and(|due| Instant::now() < due);
            if is_same_state && (current.now.events == events || is_early) {
                return Ok(Some(Arc::clone(current)));
            }
        }
        let began = Instant::now();
        let current = Arc::new(self.view_now(&run)?);
        let pause = LEAST_PAUSE.max(began.elapsed().saturating_mul(PAUSE_FACTOR));
        kept.due = Some(Instant::now() + pause);
        kept.current = Some(Arc::clone(&current));
        Ok(Some(current))
    }

    pub fn view_now(&self, run: &RunId) -> Result<Current, Problem> {
        let output = self.view(view::NOW, run.as_str())?;
        let text = String::from_utf8(output).map_err(Problem::broken)?;
        let (json, html) = text.split_once('\n').ok_or_else(|| Problem::broken("no document"))?;
        let now = serde_json::from_str(json).map_err(Problem::broken)?;
        let (json, html) = (json.to_string(), html.to_string());
        Ok(Current { run: run.clone(), now, json, html })
    }

    pub fn view(&self, what: &str, of: &str) -> Result<Vec<u8>, Problem> {
        let words = [VIEW.into(), what.into(), self.store.clone().into(), of.into()];
        let finished = finished(&words, &self.cancel)?;
        match finished.status.code() {
            Some(0) => Ok(finished.stdout),
            code => Err(Problem::of_exit(code, &finished.stderr)),
        }
    }

    pub fn command(&self, args: &[&str]) -> Result<Finished, Problem> {
        let mut words: Vec<OsString> = args.iter().map(OsString::from).collect();
        words.splice(0..0, ["--store".into(), self.store.clone().into(), "--quiet".into()]);
        finished(&words, &self.cancel)
    }

    /// The drives of this machine, by what the kernel says; nothing is read from them.
    pub fn devices(&self) -> Result<Arc<Devices>, Problem> {
        let mut kept = locked(&self.drives);
        if let Some((_, devices)) = kept.as_ref().filter(|(at, _)| at.elapsed() < DRIVES_AGE) {
            return Ok(Arc::clone(devices));
        }
        let system: System = host::system().map_err(Problem::busy)?;
        let devices = Arc::new(Devices::new(&system, &crate::cmd::devices::asker()));
        *kept = Some((Instant::now(), Arc::clone(&devices)));
        Ok(devices)
    }
}

/// What another process of ours says, which ends when `cancel` is set.
fn finished(words: &[OsString], cancel: &Cancel) -> Result<Finished, Problem> {
    let finished = Spec::reader(words, VIEW_LIMIT).keep(VIEW_BYTES).run(cancel)?;
    match finished.stdout.len() < VIEW_BYTES {
        true => Ok(finished),
        false => Err(Problem::broken("The report of this run is too large to show here.")),
    }
}

/// A panic elsewhere leaves what is behind these locks as good as it was.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub async fn blocking<T: Send + 'static>(
    app: &Arc<App>,
    work: impl FnOnce(&App) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let app = Arc::clone(app);
    let done = tokio::task::spawn_blocking(move || work(&app)).await;
    done.unwrap_or_else(|error| Err(Problem::broken(error)))
}

/// The same for what starts another process; few at a time.
pub async fn slowly<T: Send + 'static>(
    app: &Arc<App>,
    work: impl FnOnce(&App) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let slot = Arc::clone(&app.slots).acquire_owned().await.map_err(Problem::broken)?;
    let done = blocking(app, work).await;
    drop(slot);
    done
}
