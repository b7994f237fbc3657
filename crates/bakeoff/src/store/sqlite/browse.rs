//! What a history is looked through by: small queries that never read all events of a run.

use bakeoff_judge::history::facts::Facts;
use bakeoff_judge::history::filter::Filter;
use bakeoff_model::event::What;
use rusqlite::OptionalExtension;

use super::{RunId, Sqlite, StoreError, VERSION, number_of, query};
use crate::store::ErrorClass;
use crate::store::{Records, Summary};

impl Sqlite {
    pub fn stored(&self) -> Result<u64, StoreError> {
        let count = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
        let read = self.connection.query_row("SELECT count(*) FROM runs", [], count);
        Ok(u64::try_from(read.map_err(|e| self.error(&e))?).unwrap_or(0))
    }

    /// How many runs may be those wanted.
    pub fn found(&self, filter: &Filter) -> Result<u64, StoreError> {
        query::found(&self.connection, filter, VERSION).map_err(|e| self.error(&e))
    }

    /// Some of the runs that [`Records::search`] finds, in the same order: `most` of them, behind
    /// the first `skip`.
    pub fn page(&self, filter: &Filter, skip: u32, most: u32) -> Result<Vec<Summary>, StoreError> {
        query::search(&self.connection, filter, VERSION, (skip, most)).map_err(|e| self.error(&e))
    }

    /// Name of the machine of a run, and its drives: as they were kept, else as its first event
    /// has them. One that cannot be read has none.
    pub fn machine_and_drives(&self, run: &RunId) -> Result<(String, Vec<String>), StoreError> {
        let number = number_of(&self.connection, &self.path, run)?;
        let Ok(What::Started(header)) = self.first(run).map(|event| event.what) else {
            return Ok(Default::default());
        };
        let kept = query::drives(&self.connection, number).map_err(|e| self.error(&e))?;
        let drives = kept.unwrap_or_else(|| Facts::from_header(&header).drives);
        Ok((header.host.hostname.clone(), drives))
    }

    /// The last run of each drive, of the latest drives `most`, the latest first.
    pub fn last_of_drives(&self, most: u32) -> Result<Vec<RunId>, StoreError> {
        let sql = "SELECT DISTINCT r.id, r.number FROM (
                 SELECT max(run) AS run FROM facts WHERE kind = 'drive' GROUP BY text) f
             JOIN runs r ON r.number = f.run ORDER BY r.number DESC LIMIT ?1";
        let read = || {
            let mut query = self.connection.prepare_cached(sql)?;
            let rows = query.query_map([most], |row| row.get::<_, String>(0))?;
            rows.collect::<Result<Vec<String>, _>>()
        };
        let ids = read().map_err(|e| self.error(&e))?;
        Ok(ids.iter().filter_map(|id| RunId::parse(id)).collect())
    }

    pub fn latest(&self) -> Result<Option<RunId>, StoreError> {
        let sql = "SELECT id FROM runs ORDER BY number DESC LIMIT 1";
        let read = || self.connection.query_row(sql, [], |row| row.get::<_, String>(0)).optional();
        Ok(read().map_err(|e| self.error(&e))?.and_then(|id| RunId::parse(&id)))
    }

    /// The one of these runs that came into the store last; `None` where none is stored.
    pub fn latest_of(&self, runs: &[RunId]) -> Result<Option<RunId>, StoreError> {
        let mut latest = None;
        for run in runs {
            match number_of(&self.connection, &self.path, run) {
                Ok(number) => latest = latest.max(Some((number, run))),
                Err(error) if error.class == ErrorClass::NoSuchRun => {}
                Err(error) => return Err(error),
            }
        }
        Ok(latest.map(|(_, run)| run.clone()))
    }
}
