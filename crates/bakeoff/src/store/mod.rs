//! Where runs are kept: the journal of every run on this machine, and of those imported.
//!
//! A store keeps events, never results: what a run means is computed from them each time, by
//! whatever version reads. [`Store`] is the contract; [`sqlite::Sqlite`] keeps it in one file, and
//! `tests/suite.rs` is for any implementation. [`Records`] is the half of it that reads, which a
//! server that many boards push to has as well ([`server`]). The stored format is in
//! docs/format.md.

pub mod error;
pub mod folded;
pub mod id;
pub mod import;
pub mod listed;
pub mod lock;
pub mod open;
pub mod place;
pub mod server;
pub mod sqlite;
pub mod trust;
pub mod writes_file;

#[cfg(test)]
mod tests;

use bakeoff_judge::history::facts::Facts;
use bakeoff_model::event::Event;
use bakeoff_model::verb::Verb;
use bakeoff_report::bundle::Head;
use bakeoff_report::runs::State;

pub use error::{ErrorClass, StoreError};
pub use id::RunId;
pub use open::KNOWN as LAYOUT;
pub use sqlite::Sqlite;

pub trait Records {
    fn lines(&self, run: &RunId) -> Result<Vec<String>, StoreError>;

    /// Runs with that text in what is known of them, the latest to come into the store first; and
    /// those without a digest, whose facts only their events have.
    fn search(&self, text: Option<&str>) -> Result<Vec<Summary>, StoreError>;

    fn list(&self) -> Result<Vec<Summary>, StoreError> {
        self.search(None)
    }

    fn find(&self, name: &str) -> Result<RunId, StoreError>;

    fn load(&self, run: &RunId) -> Result<Vec<Event>, StoreError> {
        read_events(run, &self.lines(run)?)
    }

    fn short_digits(&self, runs: &[RunId]) -> Result<usize, StoreError>;

    fn state(&self, run: &RunId, is_stopped: bool) -> Result<State, StoreError>;

    fn is_imported(&self, run: &RunId) -> Result<bool, StoreError>;

    /// Keeps what a listing shows of each of these runs and what it is found by, for as long as no
    /// event follows. Only makes the next listing faster.
    fn set_digests(&mut self, made: &[(RunId, Digest, Facts)]) -> Result<(), StoreError>;
}

pub trait Store: Records {
    fn create(&mut self, first: &Event) -> Result<RunId, StoreError>;

    fn first(&self, run: &RunId) -> Result<Event, StoreError>;

    /// Adds events that follow the stored ones without a gap: all of them or none. Durable when it
    /// returns.
    fn append(&mut self, run: &RunId, events: &[Event]) -> Result<(), StoreError>;

    /// Runs measured here whose steps were not all undone: something of theirs may be left on the
    /// system, or they are under way. Cheap, whatever the number of events.
    fn unfinished(&self) -> Result<Vec<RunId>, StoreError>;

    fn remove(&mut self, run: &RunId) -> Result<(), StoreError>;

    /// Names the run for people; `None` takes the name away.
    fn set_label(&mut self, run: &RunId, label: Option<&str>) -> Result<(), StoreError>;

    /// Takes in the lines `next` gives, which were checked by a bundle's decoder. All or nothing;
    /// a run that is there already is compared and left as it is.
    fn import(
        &mut self,
        head: &Head,
        next: &mut dyn FnMut() -> Result<Option<String>, StoreError>,
    ) -> Result<StoredImport, StoreError>;
}

pub fn read_events(run: &RunId, lines: &[String]) -> Result<Vec<Event>, StoreError> {
    let numbered = lines.iter().enumerate();
    numbered.map(|(seq, line)| error::read_event(run, seq, lines, line)).collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    pub run: RunId,
    /// When it began, nanoseconds since 1970.
    pub created_unix_ns: i64,
    pub verb: Verb,
    pub title: String,
    pub label: Option<String>,
    /// Whether it was measured on another machine. Such a run is only ever read: neither resumed,
    /// nor are its steps undone here.
    pub is_imported: bool,
    pub events: u64,
    /// What was kept by [`Records::set_digests`], if it still holds.
    pub digest: Option<Digest>,
}

/// A run's result in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    pub events: u64,
    pub blocks: u32,
    pub cells: u64,
    pub verdict: String,
    pub is_stopped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredImport {
    New(u64),
    Already,
}
