//! Where runs are kept: the journal of every run on this machine, and of those imported.
//!
//! A store keeps events, never results: what a run means is computed from them each time, by
//! whatever version reads. [`sqlite::Sqlite`] keeps them in one file; a [`server`] keeps those that
//! boards push to it. [`Records`] is what can be read of both. The stored format is in
//! docs/format.md.

mod db;
pub mod error;
pub mod folded;
pub mod id;
pub mod import;
pub mod kept_file;
pub mod listed;
pub mod lock;
pub mod open;
pub mod place;
pub mod server;
pub mod sqlite;
pub mod trust;

#[cfg(test)]
mod tests;

use bakeoff_model::event::Event;
use bakeoff_model::verb::Verb;
use bakeoff_report::runs::State;
use serde::{Deserialize, Serialize};

pub use error::{ErrorClass, StoreError};
pub use id::RunId;
pub use sqlite::Sqlite;

pub trait Records {
    fn lines(&self, run: &RunId) -> Result<Vec<String>, StoreError>;

    /// The latest to come into the store first.
    fn list(&self) -> Result<Vec<Summary>, StoreError>;

    fn find(&self, name: &str) -> Result<RunId, StoreError>;

    fn load(&self, run: &RunId) -> Result<Vec<Event>, StoreError> {
        read_events(run, &self.lines(run)?)
    }

    fn state(&self, run: &RunId, is_stopped: bool) -> Result<State, StoreError>;

    fn is_imported(&self, run: &RunId) -> Result<bool, StoreError>;

    /// Keeps the digests of runs. They only make the next list faster.
    fn set_digests(&mut self, made: &[(RunId, Digest)]) -> Result<(), StoreError>;
}

pub fn read_events(run: &RunId, lines: &[String]) -> Result<Vec<Event>, StoreError> {
    let numbered = lines.iter().enumerate();
    numbered.map(|(seq, line)| error::read_event(run, seq, lines, line)).collect()
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub run: RunId,
    /// When it began, nanoseconds since 1970.
    pub created_unix_ns: i64,
    pub verb: Verb,
    pub title: String,
    pub label: Option<String>,
    /// Whether it was measured on another machine. Such a run is only ever read: neither resumed,
    /// nor are its steps undone here.
    #[serde(skip)]
    pub is_imported: bool,
    pub events: u64,
    /// What was kept by [`Records::set_digests`], if no event came after it.
    pub digest: Option<Digest>,
}

/// A run's result in a few words, and what it is found by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    pub events: u64,
    pub blocks: u32,
    pub verdict: String,
    pub is_stopped: bool,
    /// Its host, plan and drives, in the words people know them by.
    pub found_by: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredImport {
    New(u64),
    Already,
}
