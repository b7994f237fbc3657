//! The record of a run while it happens: every event goes into the store before anything acts on
//! it, and into the fold that everything else reads.

use std::path::Path;
use std::time::Instant;

use bakeoff_model::event::{Event, Header, Owner, What};
use bakeoff_model::run::Run;

use super::recover;
use crate::fault::Fault;
use crate::host;
use crate::load::scratch::Scratch;
use crate::store::lock::{self, RunLock};
use crate::store::{Records, RunId, Sqlite};

pub struct Journal<'s> {
    store: &'s mut Sqlite,
    id: RunId,
    run: Run,
    before_ns: u64,
    since: Instant,
    made: Vec<(u32, Scratch)>,
    _held: RunLock,
}

impl<'s> Journal<'s> {
    pub fn begin(store: &'s mut Sqlite, header: Header) -> Result<Journal<'s>, Fault> {
        let event = Event {
            seq: 0,
            unix_ns: host::unix_ns(),
            elapsed_ns: 0,
            what: What::Started(Box::new(header)),
        };
        let run = Run::begin(&event).map_err(Fault::bug)?;
        let id = store.create(&event)?;
        let held = lock::hold(store.path(), &id)?.ok_or_else(|| busy(&id))?;
        let since = Instant::now();
        let mut journal =
            Journal { store, id, run, before_ns: 0, since, made: Vec::new(), _held: held };
        journal.own()?;
        Ok(journal)
    }

    /// Takes a stored run in hand again; `None` when somebody alive has it.
    pub fn try_take(store: &'s mut Sqlite, id: &RunId) -> Result<Option<Journal<'s>>, Fault> {
        if recover::is_in_hand(store, id)? {
            return Ok(None);
        }
        let Some(held) = lock::hold(store.path(), id)? else { return Ok(None) };
        let run = Run::fold(&store.load(id)?).map_err(|error| {
            Fault::environment(format!(
                "run {id} is damaged: {error}. Remove it: bakeoff clean --force {id}"
            ))
        })?;
        let before_ns = run.elapsed_ns;
        let since = Instant::now();
        let (id, made) = (id.clone(), Vec::new());
        Ok(Some(Journal { store, id, run, before_ns, since, made, _held: held }))
    }

    /// Takes a stored run in hand again; fails when somebody alive has it.
    pub fn take(store: &'s mut Sqlite, id: &RunId) -> Result<Journal<'s>, Fault> {
        Journal::try_take(store, id)?.ok_or_else(|| busy(id))
    }

    pub fn own(&mut self) -> Result<(), Fault> {
        self.record(What::Owned(owner()?))
    }

    pub fn keep(&mut self, step: u32, made: Scratch) {
        self.made.push((step, made));
    }

    pub fn release(&mut self, step: u32) -> Option<Scratch> {
        let at = self.made.iter().position(|(made_by, _)| *made_by == step)?;
        Some(self.made.swap_remove(at).1)
    }

    pub fn run(&self) -> &Run {
        &self.run
    }

    pub fn store_path(&self) -> &Path {
        self.store.path()
    }

    pub fn elapsed_ns(&self) -> u64 {
        let since = u64::try_from(self.since.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.before_ns.saturating_add(since)
    }

    pub fn record(&mut self, what: What) -> Result<(), Fault> {
        let event = Event {
            seq: self.run.next_seq,
            unix_ns: host::unix_ns(),
            elapsed_ns: self.elapsed_ns(),
            what,
        };
        self.store.append(&self.id, std::slice::from_ref(&event))?;
        self.run.apply(&event).map_err(Fault::bug)
    }
}

fn busy(id: &RunId) -> Fault {
    Fault::refused(format!(
        "run {id} is in use by another bakeoff process. Wait until that process ends"
    ))
}

fn owner() -> Result<Owner, Fault> {
    let pid = std::process::id();
    let unreadable = |error| Fault::environment(format!("cannot read /proc: {error}; mount it"));
    Ok(Owner {
        pid,
        start_ticks: host::process_start_ticks(pid).map_err(unreadable)?,
        boot_id: host::boot_id().map_err(unreadable)?,
        view: host::view().ok(),
    })
}
