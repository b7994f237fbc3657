//! Statements on the SQLite file, with errors that name it.

use std::path::Path;

use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};

use crate::store::{RunId, StoreError};

/// A connection or a transaction on it, and the path that messages name.
#[derive(Clone, Copy)]
pub(super) struct Db<'a> {
    pub connection: &'a Connection,
    pub path: &'a Path,
}

impl Db<'_> {
    pub fn error(&self, error: &rusqlite::Error) -> StoreError {
        StoreError::from_sqlite(self.path, error)
    }

    pub fn rows<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let all = || -> rusqlite::Result<Vec<T>> {
            self.connection.prepare_cached(sql)?.query_map(values, read)?.collect()
        };
        all().map_err(|e| self.error(&e))
    }

    /// The first column of the first row; `None` without a row.
    pub fn value<T: FromSql>(
        &self,
        sql: &str,
        values: impl Params,
    ) -> Result<Option<T>, StoreError> {
        let mut prepared = self.connection.prepare_cached(sql).map_err(|e| self.error(&e))?;
        prepared.query_row(values, |row| row.get(0)).optional().map_err(|e| self.error(&e))
    }

    pub fn ids(&self, sql: &str, values: impl Params) -> Result<Vec<RunId>, StoreError> {
        let ids = self.rows(sql, values, |row| row.get::<_, String>(0))?;
        Ok(ids.iter().filter_map(|id| RunId::parse(id)).collect())
    }

    pub fn change(&self, sql: &str, values: impl Params) -> Result<usize, StoreError> {
        let changed = self.connection.prepare_cached(sql).and_then(|mut s| s.execute(values));
        changed.map_err(|e| self.error(&e))
    }

    /// The run's number in the tables; `None` for one that is not stored.
    pub fn find_number(&self, run: &RunId) -> Result<Option<i64>, StoreError> {
        self.value("SELECT number FROM runs WHERE id = ?1", [run.as_str()])
    }

    pub fn number_of(&self, run: &RunId) -> Result<i64, StoreError> {
        self.find_number(run)?.ok_or_else(|| StoreError::not_found(run.as_str(), &[]))
    }

    pub fn count(&self, number: i64) -> Result<u64, StoreError> {
        let sql = "SELECT coalesce(max(seq) + 1, 0) FROM events WHERE run = ?1";
        Ok(to_u64(self.value(sql, [number])?.unwrap_or(0)))
    }

    pub fn lines(&self, number: i64, run: &RunId) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT seq, json FROM events WHERE run = ?1 ORDER BY seq";
        let rows = self.rows(sql, params![number], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let in_order = |(expected, (found, json)): (u64, (i64, String))| match found {
            found if found == to_i64(expected) => Ok(json),
            found => Err(StoreError::gap(run, expected, to_u64(found))),
        };
        (0..).zip(rows).map(in_order).collect()
    }
}

/// Sequence numbers stay far below 2^63: a run has at most 2^20 events.
pub(super) fn to_i64(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

pub(super) fn to_u64(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}
