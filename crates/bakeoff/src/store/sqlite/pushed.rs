//! What servers have acknowledged of the runs here.
//!
//! Only of runs that have ended: where a run was killed just after it was sent so far, a receipt
//! for that would say of an unfinished run that the server has it.

use rusqlite::{OptionalExtension, params};

use super::{RunId, Sqlite, StoreError, number_of, read_lines, to_i64};
use crate::host;
use crate::store::server::Content;

impl Sqlite {
    /// The events of the run from that one on, as the text they were stored as.
    pub fn lines_from(&self, run: &RunId, seq: u64) -> Result<Vec<String>, StoreError> {
        let number = number_of(&self.connection, &self.path, run)?;
        read_lines(&self.connection, number, run, &self.path, seq)
    }

    /// The name that its owner gave the run.
    pub fn label(&self, run: &RunId) -> Result<Option<String>, StoreError> {
        let sql = "SELECT label FROM runs WHERE id = ?1";
        let found = self.connection.query_row(sql, [run.as_str()], |row| row.get(0)).optional();
        Ok(found.map_err(|e| self.error(&e))?.flatten())
    }

    pub fn receipt(&self, run: &RunId, server: &str) -> Result<Option<Content>, StoreError> {
        let number = number_of(&self.connection, &self.path, run)?;
        let sql = "SELECT events, sha256 FROM pushed WHERE run = ?1 AND server = ?2";
        let read = |row: &rusqlite::Row<'_>| {
            let events = u64::try_from(row.get::<_, i64>(0)?).unwrap_or(0);
            Ok(Content { events, sha256: row.get(1)? })
        };
        let found = self.connection.query_row(sql, params![number, server], read).optional();
        found.map_err(|e| self.error(&e))
    }

    /// Keeps what that server acknowledged now.
    pub fn set_receipt(
        &mut self,
        run: &RunId,
        server: &str,
        content: &Content,
    ) -> Result<(), StoreError> {
        let unix_ns = host::unix_ns();
        self.write(|t, path| {
            let number = number_of(t, path, run)?;
            let sql = "INSERT OR REPLACE INTO pushed (run, server, events, sha256, unix_ns)
                       VALUES (?1, ?2, ?3, ?4, ?5)";
            let values = params![number, server, to_i64(content.events), content.sha256, unix_ns];
            t.execute(sql, values).map_err(|e| StoreError::from_sqlite(path, &e)).map(drop)
        })
    }
}
