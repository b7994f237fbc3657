//! What a history is looked through by: small queries that never read all events of a run.

use bakeoff_judge::history::facts::Facts;
use bakeoff_judge::history::filter::Filter;
use bakeoff_model::event::What;

use super::query::to_u64;
use super::{RunId, Sqlite, StoreError, VERSION, query};
use crate::store::{Store, Summary};

impl Sqlite {
    pub fn stored(&self) -> Result<u64, StoreError> {
        Ok(to_u64(self.db().value("SELECT count(*) FROM runs", [])?.unwrap_or(0)))
    }

    pub fn found(&self, filter: &Filter) -> Result<u64, StoreError> {
        query::found(self.db(), filter, VERSION)
    }

    /// Some of the runs that [`Records::search`] finds, in the same order: `most` of them, behind
    /// the first `skip`.
    pub fn page(&self, filter: &Filter, skip: u32, most: u32) -> Result<Vec<Summary>, StoreError> {
        query::search(self.db(), filter, VERSION, (skip, most))
    }

    /// Name of the machine of a run, and its drives: as they were kept, else as its first event
    /// has them. One that cannot be read has none.
    pub fn machine_and_drives(&self, run: &RunId) -> Result<(String, Vec<String>), StoreError> {
        let number = self.db().number_of(run)?;
        let Ok(What::Started(header)) = self.first(run).map(|event| event.what) else {
            return Ok(Default::default());
        };
        let kept = query::drives(self.db(), number)?;
        let drives = kept.unwrap_or_else(|| Facts::from_header(&header).drives);
        Ok((header.host.hostname.clone(), drives))
    }

    /// The last run of each drive, of the latest drives `most`, the latest first.
    pub fn last_of_drives(&self, most: u32) -> Result<Vec<RunId>, StoreError> {
        let sql = "SELECT DISTINCT r.id, r.number FROM (
                 SELECT max(run) AS run FROM facts WHERE kind = 'drive' GROUP BY text) f
             JOIN runs r ON r.number = f.run ORDER BY r.number DESC LIMIT ?1";
        self.db().ids(sql, [most])
    }

    pub fn latest(&self) -> Result<Option<RunId>, StoreError> {
        let ids = self.db().ids("SELECT id FROM runs ORDER BY number DESC LIMIT 1", [])?;
        Ok(ids.into_iter().next())
    }

    /// The one of these runs that came into the store last; `None` where none is stored.
    pub fn latest_of(&self, runs: &[RunId]) -> Result<Option<RunId>, StoreError> {
        let mut latest = None;
        for run in runs {
            latest = latest.max(self.db().find_number(run)?.map(|number| (number, run)));
        }
        Ok(latest.map(|(_, run)| run.clone()))
    }
}
