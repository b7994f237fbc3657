//! What servers have acknowledged of the runs here.
//!
//! Only of runs that have ended: where a run was killed just after it was sent so far, a receipt
//! for that would say of an unfinished run that the server has it.

use rusqlite::params;

use super::query::{to_i64, to_u64};
use super::{RunId, Sqlite, StoreError};
use crate::host;
use crate::store::server::PackedEvents;

impl Sqlite {
    pub fn label(&self, run: &RunId) -> Result<Option<String>, StoreError> {
        let label = self.db().value("SELECT label FROM runs WHERE id = ?1", [run.as_str()])?;
        Ok(label.flatten())
    }

    pub fn receipt(&self, run: &RunId, server: &str) -> Result<Option<PackedEvents>, StoreError> {
        let sql = "SELECT events, sha256 FROM pushed WHERE run = ?1 AND server = ?2";
        let values = params![self.db().number_of(run)?, server];
        let found = self.db().rows(sql, values, |row| {
            Ok(PackedEvents { events: to_u64(row.get(0)?), sha256: row.get(1)? })
        })?;
        Ok(found.into_iter().next())
    }

    pub fn set_receipt(
        &mut self,
        run: &RunId,
        server: &str,
        content: &PackedEvents,
    ) -> Result<(), StoreError> {
        let (events, unix_ns) = (to_i64(content.events), host::unix_ns());
        self.write(|db| {
            let sql = "INSERT OR REPLACE INTO pushed (run, server, events, sha256, unix_ns)
                       VALUES (?1, ?2, ?3, ?4, ?5)";
            let number = db.number_of(run)?;
            db.change(sql, params![number, server, events, content.sha256, unix_ns]).map(drop)
        })
    }
}
