//! The record of a run that goes on, read from the store itself. A look takes a millisecond; one by
//! a program takes a second on a busy machine, in which the run is somewhere else.

// Each test file uses its part of this.
#![allow(dead_code)]
// A helper of tests may panic: that is how a test fails.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use serde_json::Value;

/// Events of the run that was begun last.
const LAST: &str = "FROM events WHERE run = (SELECT max(number) FROM runs)";

/// The record of the run that was begun last.
pub struct Record<'c>(&'c Connection);

impl Record<'_> {
    /// How many events there are of a kind.
    pub fn count_of(&self, kind: &str) -> u64 {
        self.number(&format!("SELECT count(*) {LAST} AND kind = '{kind}'"))
    }

    /// How many events there are.
    pub fn count(&self) -> u64 {
        self.number(&format!("SELECT count(*) {LAST}"))
    }

    /// The kind of the last event.
    pub fn last_kind(&self) -> String {
        let last = format!("SELECT kind {LAST} ORDER BY seq DESC LIMIT 1");
        self.0.query_row(&last, [], |row| row.get(0)).unwrap()
    }

    /// Events from that number on, as they are stored.
    pub fn from(&self, seq: u64) -> Vec<String> {
        let all = format!("SELECT json {LAST} AND seq >= {seq} ORDER BY seq");
        let mut all = self.0.prepare(&all).unwrap();
        all.query_map([], |row| row.get(0)).unwrap().map(|line| line.unwrap()).collect()
    }

    /// What all events of a kind say.
    pub fn all_of(&self, kind: &str) -> Vec<Value> {
        let events = self.from(0).into_iter();
        let events = events.map(|line| serde_json::from_str::<Value>(&line).unwrap());
        events.filter_map(|event| event["what"].get(kind).cloned()).collect()
    }

    fn number(&self, sql: &str) -> u64 {
        self.0.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap().unsigned_abs()
    }
}

/// A store that is open beside the program.
pub struct OpenStore(pub Connection);

impl OpenStore {
    /// The store, once a run has begun in it; whoever is in the way of its making ends it.
    pub fn open(path: &Path) -> Option<OpenStore> {
        let reader = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
        let begun = "SELECT 1 FROM events LIMIT 1";
        reader.query_row(begun, [], |_| Ok(())).ok()?;
        let store = Connection::open(path).unwrap();
        // Tries again at once, so that hardly anything is recorded that was not looked at.
        store.busy_handler(Some(|_| true)).unwrap();
        Some(OpenStore(store))
    }

    /// Looks at the record as it is.
    pub fn look<T>(&self, look: impl FnOnce(&Record) -> T) -> T {
        look(&Record(&self.0))
    }

    /// Looks at the record while nobody can add to it: whoever records waits.
    pub fn held<T>(&mut self, look: impl FnOnce(&Record) -> T) -> T {
        let held = self.0.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
        look(&Record(&held))
    }
}
