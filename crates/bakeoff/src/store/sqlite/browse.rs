//! What a history is looked through by: small queries that never read all events of a run.

use bakeoff_core::model::event::{Event, Owner, What};
use rusqlite::{OptionalExtension, params};

use super::{RunId, Sqlite, StoreError, Summary, VERSION};
use crate::store::query::summary_of;

/// A run as far as a search needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// In the order the runs came into the store.
    pub number: i64,
    /// Its id.
    pub run: RunId,
    /// The name its owner gave it.
    pub label: Option<String>,
}

impl Sqlite {
    /// Every run by number, the latest first; labels change and runs are removed, so that this is
    /// what a cache is compared with.
    pub fn known(&self) -> Result<Vec<Known>, StoreError> {
        let sql = "SELECT number, id, label FROM runs ORDER BY number DESC";
        let read = || {
            let mut query = self.connection.prepare_cached(sql)?;
            let rows = query.query_map([], |row| {
                let id: String = row.get(1)?;
                let run = RunId::parse(&id).ok_or(rusqlite::Error::InvalidColumnName(id))?;
                Ok(Known { number: row.get(0)?, run, label: row.get(2)? })
            })?;
            rows.collect::<Result<Vec<_>, _>>()
        };
        read().map_err(|e| self.error(&e))
    }

    /// The first events of at most `most` runs after `number`, in their order: number and text.
    pub fn headers_after(&self, number: i64, most: u32) -> Result<Vec<(i64, String)>, StoreError> {
        let sql = "SELECT run, json FROM events WHERE run > ?1 AND seq = 0 ORDER BY run LIMIT ?2";
        let read = || {
            let mut query = self.connection.prepare_cached(sql)?;
            let rows =
                query.query_map(params![number, most], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<Result<Vec<(i64, String)>, _>>()
        };
        read().map_err(|e| self.error(&e))
    }

    /// What a listing knows about one run.
    pub fn summary(&self, number: i64) -> Result<Option<Summary>, StoreError> {
        let sql = "WITH counted AS (
                 SELECT r.*, (SELECT coalesce(max(seq) + 1, 0) FROM events e
                              WHERE e.run = r.number) AS n
                 FROM runs r WHERE r.number = ?2)
             SELECT r.id, r.created_unix_ns, r.verb, r.title, r.label, r.is_imported, r.n,
                 d.blocks, d.verdict, d.is_stopped, d.cells
             FROM counted r LEFT JOIN digests d
                 ON d.run = r.number AND d.version = ?1 AND d.events = r.n";
        let read = || {
            let mut query = self.connection.prepare_cached(sql)?;
            let mut rows = query.query_map(params![VERSION, number], summary_of)?;
            rows.next().transpose()
        };
        read().map_err(|e| self.error(&e))
    }

    /// The run that came into the store last.
    pub fn latest(&self) -> Result<Option<RunId>, StoreError> {
        let sql = "SELECT id FROM runs ORDER BY number DESC LIMIT 1";
        let read = || {
            let mut query = self.connection.prepare_cached(sql)?;
            let mut rows = query.query_map([], |row| row.get::<_, String>(0))?;
            rows.next().transpose()
        };
        Ok(read().map_err(|e| self.error(&e))?.and_then(|id| RunId::parse(&id)))
    }

    /// The process that has the run in hand, or had it last.
    pub fn owner(&self, run: &RunId) -> Result<Option<Owner>, StoreError> {
        let number = super::number_of(&self.connection, &self.path, run)?;
        let sql = "SELECT json FROM events WHERE run = ?1 AND kind = 'owned'
                   ORDER BY seq DESC LIMIT 1";
        let read =
            || self.connection.query_row(sql, [number], |row| row.get::<_, String>(0)).optional();
        let json = read().map_err(|e| self.error(&e))?;
        let event = json.and_then(|json| serde_json::from_str::<Event>(&json).ok());
        Ok(event.and_then(|event| match event.what {
            What::Owned(owner) => Some(owner),
            _ => None,
        }))
    }

    /// How many events a run has.
    pub fn events(&self, run: &RunId) -> Result<u64, StoreError> {
        let number = super::number_of(&self.connection, &self.path, run)?;
        super::count(&self.connection, &self.path, number)
    }
}
