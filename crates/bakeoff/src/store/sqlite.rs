//! The store in one SQLite file.
//!
//! Not here: what a run means (core), and how the file is opened and kept up to date ([`open`]).

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bakeoff_judge::history::facts::Facts;
use bakeoff_judge::history::filter::Filter;
use bakeoff_model::event::{Event, Header, Step, What};
use bakeoff_report::bundle::{Head, RUN_SCHEMA};
use bakeoff_report::runs::State;
use rusqlite::{Connection, OptionalExtension, Params, Transaction, TransactionBehavior, params};

#[cfg(feature = "dashboard")]
mod browse;
mod named;
mod owned;
#[cfg(feature = "postgres")]
pub mod pushed;
mod query;

use self::query::to_i64;
use super::error::read_event;
use super::import::ImportError;
use super::open::Opened;
use super::{
    Digest, ErrorClass, Imported, Machines, Records, RunId, Store, StoreError, Summary, listed,
    lock, open,
};

/// Version whose digests count: what another version made of a run may differ.
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    path: PathBuf,
    /// What was opened. SQLite goes on with a file that has no name any more.
    file: &'static File,
}

impl Sqlite {
    /// Opens the store, making it when there is none.
    pub fn open(path: &Path) -> Result<Sqlite, StoreError> {
        open::open(path).map(Sqlite::of)
    }

    /// Opens the store to read it; `None` when there is none yet. Works on a full drive and on a
    /// read-only filesystem, where changes fail later.
    pub fn open_existing(path: &Path) -> Result<Option<Sqlite>, StoreError> {
        Ok(open::open_existing(path)?.map(Sqlite::of))
    }

    fn of(opened: Opened) -> Sqlite {
        let Opened { connection, path, file } = opened;
        Sqlite { connection, path, file }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file that was opened, whatever has its name by now.
    pub fn file(&self) -> &'static File {
        self.file
    }

    /// Whether its path still leads to the file that was opened.
    fn is_there(&self) -> bool {
        let (named, opened) = (std::fs::symlink_metadata(&self.path), self.file.metadata());
        let is_it = |named: &Metadata, opened: &Metadata| {
            (named.dev(), named.ino()) == (opened.dev(), opened.ino())
        };
        named.is_ok_and(|named| opened.is_ok_and(|opened| is_it(&named, &opened)))
    }

    /// Whether a living process has the run in hand.
    pub fn is_held(&self, run: &RunId) -> Result<bool, StoreError> {
        lock::is_held(&self.path, run)
    }

    fn error(&self, error: &rusqlite::Error) -> StoreError {
        StoreError::from_sqlite(&self.path, error)
    }

    /// Does `work` in one transaction that takes the right to write at its beginning.
    fn write<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>, &Path) -> Result<T, E>,
    ) -> Result<T, E> {
        let path = &self.path;
        let error = |e: rusqlite::Error| StoreError::from_sqlite(path, &e);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(error)?;
        let done = work(&transaction, path)?;
        transaction.commit().map_err(error)?;
        match self.is_there() {
            true => Ok(done),
            false => Err(StoreError::gone(&self.path).into()),
        }
    }

    /// Changes the run's row in `runs`; an error when there is none.
    fn change(&mut self, run: &RunId, sql: &str, values: impl Params) -> Result<(), StoreError> {
        self.write(|t, path| {
            let changed = t.execute(sql, values).map_err(|e| StoreError::from_sqlite(path, &e))?;
            if changed == 0 { Err(not_found(run)) } else { Ok(()) }
        })
    }
}

impl Records for Sqlite {
    fn lines(&self, run: &RunId) -> Result<Vec<String>, StoreError> {
        let number = number_of(&self.connection, &self.path, run)?;
        read_lines(&self.connection, number, run, &self.path, 0)
    }

    fn first(&self, run: &RunId) -> Result<Event, StoreError> {
        let number = number_of(&self.connection, &self.path, run)?;
        let sql = "SELECT json FROM events WHERE run = ?1 AND seq = 0";
        let line: String = self
            .connection
            .query_row(sql, [number], |row| row.get(0))
            .map_err(|e| self.error(&e))?;
        read_event(run, 0, std::slice::from_ref(&line), &line)
    }

    fn search(&self, filter: &Filter) -> Result<Vec<Summary>, StoreError> {
        let all = (0, u32::MAX);
        query::search(&self.connection, filter, VERSION, all).map_err(|e| self.error(&e))
    }

    fn set_digests(&mut self, made: &[(RunId, Digest, Facts)]) -> Result<(), StoreError> {
        self.write(|t, path| {
            made.iter().try_for_each(|(run, digest, facts)| {
                let number = number_of(t, path, run)?;
                query::keep(t, number, (digest, VERSION), facts)
                    .map_err(|e| StoreError::from_sqlite(path, &e))
            })
        })
    }

    fn find(&self, name: &str) -> Result<RunId, StoreError> {
        self.named(name)
    }

    fn machines(&self) -> Result<Machines, StoreError> {
        self.seen()
    }

    fn short_digits(&self, runs: &[RunId]) -> Result<usize, StoreError> {
        self.digits(runs)
    }

    fn state(&self, run: &RunId, is_stopped: bool) -> Result<State, StoreError> {
        Ok(listed::state(self.is_held(run)?, is_stopped))
    }

    fn is_imported(&self, run: &RunId) -> Result<bool, StoreError> {
        let sql = "SELECT is_imported FROM runs WHERE id = ?1";
        let found = self.connection.query_row(sql, [run.as_str()], |row| row.get(0)).optional();
        found.map_err(|e| self.error(&e))?.ok_or_else(|| not_found(run))
    }
}

impl Store for Sqlite {
    fn create(&mut self, first: &Event) -> Result<RunId, StoreError> {
        let json = encode(first)?;
        let (run, _) = header_of(first)?;
        self.write(|t, path| {
            let number = insert_run(t, path, first, Origin::Measured)?;
            insert_event(t, path, number, 0, &json)
        })?;
        Ok(run)
    }

    fn append(&mut self, run: &RunId, events: &[Event]) -> Result<(), StoreError> {
        self.write(|t, path| {
            let number = number_of(t, path, run)?;
            let next = count(t, path, number)?;
            for (expected, event) in (next..).zip(events) {
                if event.seq != expected {
                    return Err(StoreError::gap(run, expected, event.seq));
                }
                insert_event(t, path, number, expected, &encode(event)?)?;
            }
            Ok(())
        })
    }

    fn unfinished(&self) -> Result<Vec<RunId>, StoreError> {
        let sql = "SELECT r.id, e.json FROM events e JOIN runs r ON r.number = e.run
             WHERE e.kind IN ('step_planned', 'step_undone') AND r.is_imported = 0
             ORDER BY r.number DESC, e.seq";
        let read = || {
            let mut query = self.connection.prepare(sql)?;
            let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<Result<Vec<(String, String)>, _>>()
        };
        let rows = read().map_err(|e| self.error(&e))?;
        let mut runs = Vec::new();
        for steps in rows.chunk_by(|a, b| a.0 == b.0) {
            if leaves_something(steps.iter().map(|(_, json)| json.as_str())) {
                runs.extend(RunId::parse(&steps[0].0));
            }
        }
        Ok(runs)
    }

    fn remove(&mut self, run: &RunId) -> Result<(), StoreError> {
        self.change(run, "DELETE FROM runs WHERE id = ?1", [run.as_str()])?;
        // The pragma frees one page a step.
        let free = || {
            let mut pragma = self.connection.prepare("PRAGMA incremental_vacuum")?;
            let mut rows = pragma.query([])?;
            while rows.next()?.is_some() {}
            Ok(())
        };
        free().map_err(|e| self.error(&e))
    }

    fn set_label(&mut self, run: &RunId, label: Option<&str>) -> Result<(), StoreError> {
        let values = params![run.as_str(), label];
        self.change(run, "UPDATE runs SET label = ?2 WHERE id = ?1", values)
    }

    fn import(
        &mut self,
        head: &Head,
        next: &mut dyn FnMut() -> Result<Option<String>, ImportError>,
    ) -> Result<Imported, ImportError> {
        let run = RunId::parse(&head.run).ok_or_else(StoreError::no_header)?;
        self.write(|t, path| match number_of(t, path, &run) {
            Ok(number) => {
                let stored = read_lines(t, number, &run, path, 0)?;
                compare(&run, &stored, next)
            }
            Err(error) if error.class == ErrorClass::NoSuchRun => {
                insert_all(t, path, &run, head, next)
            }
            Err(error) => Err(error.into()),
        })
    }
}

fn compare(
    run: &RunId,
    stored: &[String],
    next: &mut dyn FnMut() -> Result<Option<String>, ImportError>,
) -> Result<Imported, ImportError> {
    // Read to the end before judging: what is damaged is not called different.
    let (mut seq, mut differs) = (0, None);
    while let Some(line) = next()? {
        if differs.is_none() && stored.get(seq) != Some(&line) {
            differs = Some(seq);
        }
        seq += 1;
    }
    if let Some(at) = differs.or((seq < stored.len()).then_some(seq)) {
        return Err(ImportError::Differs { run: run.clone(), seq: at as u64 });
    }
    Ok(Imported::Already)
}

fn insert_all(
    t: &Transaction<'_>,
    path: &Path,
    run: &RunId,
    head: &Head,
    next: &mut dyn FnMut() -> Result<Option<String>, ImportError>,
) -> Result<Imported, ImportError> {
    let first = next()?.ok_or_else(StoreError::no_header)?;
    let event = read_event(run, 0, std::slice::from_ref(&first), &first)?;
    let number = insert_run(t, path, &event, Origin::Imported { label: head.label.as_deref() })?;
    insert_event(t, path, number, 0, &first)?;
    let mut seq = 1;
    while let Some(line) = next()? {
        insert_event(t, path, number, seq, &line)?;
        seq += 1;
    }
    Ok(Imported::New(seq))
}

fn header_of(event: &Event) -> Result<(RunId, &Header), StoreError> {
    let What::Started(header) = &event.what else { return Err(StoreError::no_header()) };
    if header.schema != RUN_SCHEMA || event.seq != 0 {
        return Err(StoreError::no_header());
    }
    let run = RunId::parse(&header.run).ok_or_else(StoreError::no_header)?;
    Ok((run, header))
}

#[derive(Clone, Copy)]
enum Origin<'a> {
    Measured,
    Imported { label: Option<&'a str> },
}

fn insert_run(
    t: &Transaction<'_>,
    path: &Path,
    first: &Event,
    origin: Origin<'_>,
) -> Result<i64, StoreError> {
    let (_, header) = header_of(first)?;
    let (is_imported, label) = match origin {
        Origin::Measured => (false, None),
        Origin::Imported { label } => (true, label),
    };
    let sql = "INSERT INTO runs (id, created_unix_ns, verb, title, is_imported, label)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)
               ON CONFLICT (id) DO NOTHING";
    let (run, verb, title) = (&header.run, header.verb.word(), &header.title);
    let values = params![run, first.unix_ns, verb, title, is_imported, label];
    let inserted = t.execute(sql, values).map_err(|e| StoreError::from_sqlite(path, &e))?;
    match RunId::parse(&header.run) {
        Some(run) if inserted == 0 => Err(StoreError::exists(&run)),
        _ => Ok(t.last_insert_rowid()),
    }
}

fn insert_event(
    t: &Transaction<'_>,
    path: &Path,
    number: i64,
    seq: u64,
    json: &str,
) -> Result<(), StoreError> {
    let kind = kind_of(json).map_err(|e| StoreError::unstorable(seq, &e))?;
    t.prepare_cached("INSERT INTO events (run, seq, kind, json) VALUES (?1, ?2, ?3, ?4)")
        .and_then(|mut insert| insert.execute(params![number, to_i64(seq), kind, json]))
        .map_err(|e| StoreError::from_sqlite(path, &e))?;
    Ok(())
}

fn read_lines(
    connection: &Connection,
    number: i64,
    run: &RunId,
    path: &Path,
    from: u64,
) -> Result<Vec<String>, StoreError> {
    let read = || {
        let sql = "SELECT seq, json FROM events WHERE run = ?1 AND seq >= ?2 ORDER BY seq";
        let mut query = connection.prepare(sql)?;
        let values = params![number, to_i64(from)];
        let rows = query.query_map(values, |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))?;
        rows.collect::<Result<Vec<(i64, String)>, _>>()
    };
    let rows = read().map_err(|e| StoreError::from_sqlite(path, &e))?;
    let mut lines = Vec::with_capacity(rows.len());
    for (expected, (found, json)) in (from..).zip(rows) {
        if to_i64(expected) != found {
            let found = u64::try_from(found).unwrap_or(0);
            return Err(StoreError::gap(run, expected, found));
        }
        lines.push(json);
    }
    Ok(lines)
}

fn number_of(connection: &Connection, path: &Path, run: &RunId) -> Result<i64, StoreError> {
    connection
        .query_row("SELECT number FROM runs WHERE id = ?1", [run.as_str()], |row| row.get(0))
        .optional()
        .map_err(|e| StoreError::from_sqlite(path, &e))?
        .ok_or_else(|| not_found(run))
}

fn count(connection: &Connection, path: &Path, number: i64) -> Result<u64, StoreError> {
    let sql = "SELECT coalesce(max(seq) + 1, 0) FROM events WHERE run = ?1";
    let next: i64 = connection
        .query_row(sql, [number], |row| row.get(0))
        .map_err(|e| StoreError::from_sqlite(path, &e))?;
    Ok(u64::try_from(next).unwrap_or(0))
}

fn not_found(run: &RunId) -> StoreError {
    StoreError::not_found(run.as_str(), &[])
}

/// Whether some step that can be undone was not; one that cannot be read may be such.
fn leaves_something<'a>(steps: impl Iterator<Item = &'a str>) -> bool {
    let mut open = BTreeSet::new();
    for json in steps {
        match serde_json::from_str::<Event>(json).map(|event| event.what) {
            Ok(What::StepPlanned(Step { step, undo: Some(_), .. })) => open.insert(step),
            Ok(What::StepUndone { step }) => open.remove(&step),
            Ok(_) => false,
            Err(_) => return true,
        };
    }
    !open.is_empty()
}

/// The name of the event's variant, without reading what is in it.
fn kind_of(json: &str) -> Result<String, serde_json::Error> {
    #[derive(serde::Deserialize)]
    struct Peek {
        what: BTreeMap<String, serde::de::IgnoredAny>,
    }
    let peek: Peek = serde_json::from_str(json)?;
    peek.what.into_keys().next().ok_or_else(|| serde::de::Error::custom("an event without a kind"))
}

/// The event as it is stored from here on. What could not be read back is not stored: JSON has no
/// word for a number that is none.
fn encode(event: &Event) -> Result<String, StoreError> {
    let error = |error: serde_json::Error| StoreError::unstorable(event.seq, &error);
    let json = serde_json::to_string(event).map_err(error)?;
    serde_json::from_str::<Event>(&json).map_err(error)?;
    Ok(json)
}
