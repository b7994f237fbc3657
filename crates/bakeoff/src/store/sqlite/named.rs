//! Which run a name means, and of which machines the runs are: without reading what is in them.

use bakeoff_model::machine::Machine;
use bakeoff_report::fleet::run_group::{Last, RunGroup};
use rusqlite::{Params, Row};

use super::{RunId, Sqlite, StoreError};
use crate::store::machines::Unknown;
use crate::store::{Machines, id};

impl Sqlite {
    pub(super) fn named(&self, name: &str) -> Result<RunId, StoreError> {
        if name == "last" {
            let last = self.ids("SELECT id FROM runs ORDER BY number DESC LIMIT 1", [])?;
            return id::resolve(name, &last);
        }
        if let Some((start, end)) = id::range(name) {
            let sql =
                "SELECT id FROM runs WHERE id >= ?1 AND id < ?2 ORDER BY number DESC LIMIT ?3";
            let found = self.ids(sql, (start, end, id::NAMED))?;
            if !found.is_empty() {
                return id::resolve(name, &found);
            }
        }
        // The message names near ones.
        id::resolve(name, &self.ids("SELECT id FROM runs ORDER BY number DESC", [])?)
    }

    fn ids(&self, sql: &str, values: impl Params) -> Result<Vec<RunId>, StoreError> {
        let read = || {
            let mut query = self.connection.prepare_cached(sql)?;
            let rows = query.query_map(values, |row| row.get::<_, String>(0))?;
            rows.collect::<Result<Vec<String>, _>>()
        };
        let ids = read().map_err(|e| self.error(&e))?;
        Ok(ids.iter().filter_map(|id| RunId::parse(id)).collect())
    }

    /// Digits that tell each of these runs from its neighbours in the order of ids.
    pub(super) fn digits(&self, runs: &[RunId]) -> Result<usize, StoreError> {
        let sql = "SELECT (SELECT max(id) FROM runs WHERE id < ?1),
                       (SELECT min(id) FROM runs WHERE id > ?1)";
        let read = || {
            let mut query = self.connection.prepare_cached(sql)?;
            let mut most = id::FEWEST_DIGITS;
            for run in runs {
                let neighbours: [Option<String>; 2] =
                    query.query_row([run.as_str()], |row| Ok([row.get(0)?, row.get(1)?]))?;
                most = most.max(id::digits(run, neighbours.iter().flatten()));
            }
            Ok(most)
        };
        read().map_err(|e| self.error(&e))
    }

    pub(super) fn seen(&self) -> Result<Machines, StoreError> {
        let sql = "SELECT r.id, r.number, r.label, r.created_unix_ns, d.hostname, d.board_id,
                d.model, d.cpu, d.cpus, d.arch, d.kernel
             FROM runs r LEFT JOIN digests d ON d.run = r.number ORDER BY r.number DESC";
        let read = || {
            let mut query = self.connection.prepare_cached(sql)?;
            let (mut known, mut unknown) = (Vec::new(), Vec::new());
            let mut rows = query.query([])?;
            while let Some(row) = rows.next()? {
                match one(row)? {
                    Some(Listed::Known(seen)) => known.push(seen),
                    Some(Listed::Unknown(run)) => unknown.push(run),
                    None => {}
                }
            }
            Ok((known, unknown))
        };
        let (known, unknown) = read().map_err(|e| self.error(&e))?;
        Machines::of(self, known, unknown)
    }
}

enum Listed {
    Known(RunGroup),
    Unknown(Unknown),
}

/// The run of a row; `None` where its id is none.
fn one(row: &Row<'_>) -> rusqlite::Result<Option<Listed>> {
    let (run, arrived, label): (String, i64, Option<String>) =
        (row.get(0)?, row.get(1)?, row.get(2)?);
    let Some(hostname) = row.get(4)? else {
        let unknown = |run| Listed::Unknown(Unknown { run, label, arrived, role: None });
        return Ok(RunId::parse(&run).map(unknown));
    };
    let machine = Machine {
        hostname,
        board_id: row.get(5)?,
        model: row.get(6)?,
        cpu: row.get(7)?,
        cpus: row.get(8)?,
        arch: row.get(9)?,
        role: None,
    };
    let last = Last { run, unix_ns: row.get(3)?, arrived, kernel: row.get(10)? };
    Ok(Some(Listed::Known(RunGroup::one(machine, label, last))))
}
