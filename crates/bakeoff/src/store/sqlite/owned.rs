//! Who has a run in hand, and how far it is: what a view asks again and again.

use bakeoff_model::event::{Event, Owner, What};
use rusqlite::{OptionalExtension, params};

use super::{RunId, Sqlite, StoreError, number_of};

impl Sqlite {
    /// The process that has the run in hand, or had it last.
    pub fn owner(&self, run: &RunId) -> Result<Option<Owner>, StoreError> {
        let number = number_of(&self.connection, &self.path, run)?;
        let sql = "SELECT json FROM events WHERE run = ?1 AND kind = 'owned'
                   ORDER BY seq DESC LIMIT 1";
        let values = params![number];
        let read =
            || self.connection.query_row(sql, values, |row| row.get::<_, String>(0)).optional();
        let json = read().map_err(|e| self.error(&e))?;
        let event = json.and_then(|json| serde_json::from_str::<Event>(&json).ok());
        let Some(What::Owned(owner)) = event.map(|event| event.what) else { return Ok(None) };
        Ok(Some(owner))
    }

    #[cfg(any(feature = "dashboard", feature = "tui"))]
    pub fn events(&self, run: &RunId) -> Result<u64, StoreError> {
        let number = number_of(&self.connection, &self.path, run)?;
        super::count(&self.connection, &self.path, number)
    }
}
