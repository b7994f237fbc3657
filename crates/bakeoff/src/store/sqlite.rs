//! The store in one SQLite file.
//!
//! Not here: what a run means (core), and how the file is opened and kept up to date ([`open`]).

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bakeoff_model::event::{Event, Header, Owner, Step, What};
use bakeoff_report::bundle::{Head, RUN_SCHEMA};
use bakeoff_report::runs::State;
use rusqlite::{Connection, Params, Row, TransactionBehavior, params};

use super::db::{Db, to_i64, to_u64};
use super::error::read_event;
use super::{Digest, Records, RunId, StoreError, StoredImport, Summary, id, listed, lock, open};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const LIST: &str = "WITH counted AS (
         SELECT r.*, (SELECT coalesce(max(seq) + 1, 0) FROM events e
                      WHERE e.run = r.number) AS n
         FROM runs r)
     SELECT r.id, r.created_unix_ns, r.verb, r.title, r.label, r.is_imported, r.n, d.json
     FROM counted r LEFT JOIN digests d
         ON d.run = r.number AND d.version = ?1 AND d.events = r.n
     ORDER BY r.number DESC";

#[derive(Debug)]
pub struct Sqlite {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    pub(super) file: &'static File,
}

impl Sqlite {
    pub fn open(path: &Path) -> Result<Sqlite, StoreError> {
        open::open(path)
    }

    /// Opens the store to read it; `None` when there is none yet. Works on a full drive and on a
    /// read-only filesystem, where changes fail later.
    pub fn open_existing(path: &Path) -> Result<Option<Sqlite>, StoreError> {
        open::open_existing(path)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn file(&self) -> &'static File {
        self.file
    }

    fn is_there(&self) -> bool {
        let (named, opened) = (std::fs::symlink_metadata(&self.path), self.file.metadata());
        let is_it = |named: &Metadata, opened: &Metadata| {
            (named.dev(), named.ino()) == (opened.dev(), opened.ino())
        };
        named.is_ok_and(|named| opened.is_ok_and(|opened| is_it(&named, &opened)))
    }

    pub fn is_held(&self, run: &RunId) -> Result<bool, StoreError> {
        lock::is_held(&self.path, run)
    }

    pub fn owner(&self, run: &RunId) -> Result<Option<Owner>, StoreError> {
        let sql = "SELECT json FROM events WHERE run = ?1 AND kind = 'owned'
                   ORDER BY seq DESC LIMIT 1";
        let json: Option<String> = self.db().value(sql, [self.db().number_of(run)?])?;
        let event = json.and_then(|json| serde_json::from_str::<Event>(&json).ok());
        let Some(What::Owned(owner)) = event.map(|event| event.what) else { return Ok(None) };
        Ok(Some(owner))
    }

    pub fn events(&self, run: &RunId) -> Result<u64, StoreError> {
        self.db().count(self.db().number_of(run)?)
    }

    fn db(&self) -> Db<'_> {
        Db { connection: &self.connection, path: &self.path }
    }

    /// Does `work` in one transaction that takes the right to write at its beginning.
    fn write<T>(
        &mut self,
        work: impl FnOnce(Db<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let path = &self.path;
        let error = |e: rusqlite::Error| StoreError::from_sqlite(path, &e);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(error)?;
        let done = work(Db { connection: &transaction, path })?;
        transaction.commit().map_err(error)?;
        if self.is_there() { Ok(done) } else { Err(StoreError::gone(&self.path)) }
    }

    /// Changes the run's row in `runs`; an error when there is none.
    fn change(&mut self, run: &RunId, sql: &str, values: impl Params) -> Result<(), StoreError> {
        self.write(|db| match db.change(sql, values)? {
            0 => Err(not_found(run)),
            _ => Ok(()),
        })
    }
}

impl Records for Sqlite {
    fn lines(&self, run: &RunId) -> Result<Vec<String>, StoreError> {
        self.db().lines(self.db().number_of(run)?, run)
    }

    fn list(&self) -> Result<Vec<Summary>, StoreError> {
        self.db().rows(LIST, [VERSION], summary_of)
    }

    fn set_digests(&mut self, made: &[(RunId, Digest)]) -> Result<(), StoreError> {
        self.write(|db| {
            made.iter().try_for_each(|(run, digest)| {
                let json = serde_json::to_string(digest)
                    .map_err(|e| StoreError::unstorable(digest.events, &e))?;
                let sql = "INSERT OR REPLACE INTO digests (run, events, version, json)
                           VALUES (?1, ?2, ?3, ?4)";
                let values = params![db.number_of(run)?, to_i64(digest.events), VERSION, json];
                db.change(sql, values).map(drop)
            })
        })
    }

    fn find(&self, name: &str) -> Result<RunId, StoreError> {
        id::resolve(name, &self.db().ids("SELECT id FROM runs ORDER BY number DESC", [])?)
    }

    fn state(&self, run: &RunId, is_stopped: bool) -> Result<State, StoreError> {
        Ok(listed::state(self.is_held(run)?, is_stopped))
    }

    fn is_imported(&self, run: &RunId) -> Result<bool, StoreError> {
        let found = self.db().value("SELECT is_imported FROM runs WHERE id = ?1", [run.as_str()]);
        found?.ok_or_else(|| not_found(run))
    }
}

impl Sqlite {
    pub fn create(&mut self, first: &Event) -> Result<RunId, StoreError> {
        let json = encode(first)?;
        let (run, _) = header_of(first)?;
        self.write(|db| {
            let number = insert_run(db, first, false)?;
            insert_event(db, number, 0, &json)
        })?;
        Ok(run)
    }

    pub fn first(&self, run: &RunId) -> Result<Event, StoreError> {
        let sql = "SELECT e.json FROM events e JOIN runs r ON r.number = e.run
                   WHERE r.id = ?1 AND e.seq = 0";
        let line: Option<String> = self.db().value(sql, [run.as_str()])?;
        let line = line.ok_or_else(|| not_found(run))?;
        read_event(run, 0, std::slice::from_ref(&line), &line)
    }

    /// Adds events that follow the stored ones without a gap: all of them or none. Durable when it
    /// returns.
    pub fn append(&mut self, run: &RunId, events: &[Event]) -> Result<(), StoreError> {
        self.write(|db| {
            let number = db.number_of(run)?;
            for (expected, event) in (db.count(number)?..).zip(events) {
                if event.seq != expected {
                    return Err(StoreError::gap(run, expected, event.seq));
                }
                insert_event(db, number, expected, &encode(event)?)?;
            }
            Ok(())
        })
    }

    /// Runs measured here whose steps were not all undone: something of theirs may be left on the
    /// system, or they are under way. Cheap, whatever the number of events.
    pub fn unfinished(&self) -> Result<Vec<RunId>, StoreError> {
        let sql = "SELECT r.id, e.json FROM events e JOIN runs r ON r.number = e.run
             WHERE e.kind IN ('step_planned', 'step_undone') AND r.is_imported = 0
             ORDER BY r.number DESC, e.seq";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get(1)?));
        let rows: Vec<(String, String)> = self.db().rows(sql, [], read)?;
        let mut runs = Vec::new();
        for steps in rows.chunk_by(|a, b| a.0 == b.0) {
            if leaves_something(steps.iter().map(|(_, json)| json.as_str())) {
                runs.extend(RunId::parse(&steps[0].0));
            }
        }
        Ok(runs)
    }

    pub fn remove(&mut self, run: &RunId) -> Result<(), StoreError> {
        self.change(run, "DELETE FROM runs WHERE id = ?1", [run.as_str()])?;
        // The pragma frees one page a step.
        self.db().rows("PRAGMA incremental_vacuum", [], |_| Ok(())).map(drop)
    }

    /// Names the run for people; `None` takes the name away.
    pub fn set_label(&mut self, run: &RunId, label: Option<&str>) -> Result<(), StoreError> {
        let values = params![run.as_str(), label];
        self.change(run, "UPDATE runs SET label = ?2 WHERE id = ?1", values)
    }

    /// Takes in the lines `next` gives, which were checked by a bundle's decoder. All or nothing;
    /// a run that is there already is compared and left as it is.
    pub fn import(
        &mut self,
        head: &Head,
        next: &mut dyn FnMut() -> Result<Option<String>, StoreError>,
    ) -> Result<StoredImport, StoreError> {
        let run = RunId::parse(&head.run).ok_or_else(StoreError::no_header)?;
        self.write(|db| match db.find_number(&run)? {
            Some(number) => compare(&run, &db.lines(number, &run)?, next),
            None => insert_all(db, &run, next),
        })
    }
}

fn summary_of(row: &Row<'_>) -> rusqlite::Result<Summary> {
    let id: String = row.get(0)?;
    let run = RunId::parse(&id).ok_or(rusqlite::Error::InvalidColumnName(id))?;
    let digest = row.get::<_, Option<String>>(7)?;
    Ok(Summary {
        run,
        created_unix_ns: row.get(1)?,
        verb: row.get::<_, String>(2)?.into(),
        title: row.get(3)?,
        label: row.get(4)?,
        is_imported: row.get(5)?,
        events: row.get(6).map(to_u64)?,
        // One that cannot be read is made again.
        digest: digest.and_then(|json| serde_json::from_str(&json).ok()),
    })
}

fn compare(
    run: &RunId,
    stored: &[String],
    next: &mut dyn FnMut() -> Result<Option<String>, StoreError>,
) -> Result<StoredImport, StoreError> {
    // Read to the end before judging: what is damaged is not called different.
    let (mut seq, mut differs) = (0, None);
    while let Some(line) = next()? {
        if differs.is_none() && stored.get(seq) != Some(&line) {
            differs = Some(seq);
        }
        seq += 1;
    }
    match differs.or((seq < stored.len()).then_some(seq)) {
        Some(at) => Err(StoreError::differs(run, at)),
        None => Ok(StoredImport::Already),
    }
}

fn insert_all(
    db: Db<'_>,
    run: &RunId,
    next: &mut dyn FnMut() -> Result<Option<String>, StoreError>,
) -> Result<StoredImport, StoreError> {
    let first = next()?.ok_or_else(StoreError::no_header)?;
    let event = read_event(run, 0, std::slice::from_ref(&first), &first)?;
    let number = insert_run(db, &event, true)?;
    insert_event(db, number, 0, &first)?;
    let mut seq = 1;
    while let Some(line) = next()? {
        insert_event(db, number, seq, &line)?;
        seq += 1;
    }
    Ok(StoredImport::New(seq))
}

fn header_of(event: &Event) -> Result<(RunId, &Header), StoreError> {
    let What::Started(header) = &event.what else { return Err(StoreError::no_header()) };
    if header.schema != RUN_SCHEMA || event.seq != 0 {
        return Err(StoreError::no_header());
    }
    let run = RunId::parse(&header.run).ok_or_else(StoreError::no_header)?;
    Ok((run, header))
}

fn insert_run(db: Db<'_>, first: &Event, is_imported: bool) -> Result<i64, StoreError> {
    let (run, header) = header_of(first)?;
    let sql = "INSERT INTO runs (id, created_unix_ns, verb, title, is_imported)
               VALUES (?1, ?2, ?3, ?4, ?5)
               ON CONFLICT (id) DO NOTHING";
    let (verb, title) = (header.verb.word(), &header.title);
    let values = params![run.as_str(), first.unix_ns, verb, title, is_imported];
    match db.change(sql, values)? {
        0 => Err(StoreError::exists(&run)),
        _ => Ok(db.connection.last_insert_rowid()),
    }
}

fn insert_event(db: Db<'_>, number: i64, seq: u64, json: &str) -> Result<(), StoreError> {
    let kind = kind_of(json).map_err(|e| StoreError::unstorable(seq, &e))?;
    let sql = "INSERT INTO events (run, seq, kind, json) VALUES (?1, ?2, ?3, ?4)";
    db.change(sql, params![number, to_i64(seq), kind, json]).map(drop)
}

fn not_found(run: &RunId) -> StoreError {
    StoreError::not_found(run.as_str(), &[])
}

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
