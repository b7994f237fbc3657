//! SQLite as the profiles of applications use it: one table, small rows, one transaction after the
//! other. bakeoff's own store is another matter and lives in `store`.

use std::io;
use std::path::Path;

use bakeoff_engine::{Database, DatabaseOptions};
use bakeoff_stats::prng::SplitMix64;
use rusqlite::{Connection, Error, ErrorCode, params};

pub fn open(path: &Path, options: DatabaseOptions) -> io::Result<Box<dyn Database>> {
    let connection = Connection::open(path).map_err(explain)?;
    let journal = if options.wal { "WAL" } else { "DELETE" };
    let synchronous = if options.full { "FULL" } else { "NORMAL" };
    let got: String = connection
        .pragma_update_and_check(None, "journal_mode", journal, |row| row.get(0))
        .map_err(explain)?;
    if !got.eq_ignore_ascii_case(journal) {
        return Err(io::Error::other(format!(
            "the SQLite journal mode is {got} instead of \
                                             {journal}"
        )));
    }
    connection.pragma_update(None, "synchronous", synchronous).map_err(explain)?;
    let index = if options.indexed {
        "CREATE INDEX states_by_entity ON states (entity, changed);"
    } else {
        ""
    };
    let table = "CREATE TABLE states (id INTEGER PRIMARY KEY, entity INTEGER NOT NULL, changed \
                 INTEGER NOT NULL, content BLOB NOT NULL);";
    connection.execute_batch(&format!("{table}{index}")).map_err(explain)?;
    Ok(Box::new(States { connection, random: SplitMix64::new(1), row: Vec::new(), rows: 0 }))
}

struct States {
    connection: Connection,
    random: SplitMix64,
    row: Vec<u8>,
    rows: i64,
}

impl Database for States {
    fn commit(&mut self, rows: u32, row_bytes: u32) -> io::Result<()> {
        self.row.resize(row_bytes as usize, 0);
        let transaction = self.connection.transaction().map_err(explain)?;
        {
            let insert = "INSERT INTO states (entity, changed, content) VALUES (?1, ?2, ?3)";
            let mut insert = transaction.prepare_cached(insert).map_err(explain)?;
            for _ in 0..rows {
                for bytes in self.row.chunks_mut(8) {
                    bytes.copy_from_slice(&self.random.next_u64().to_le_bytes()[..bytes.len()]);
                }
                self.rows += 1;
                // A few hundred entities, as a house has.
                insert.execute(params![self.rows % 300, self.rows, self.row]).map_err(explain)?;
            }
        }
        transaction.commit().map_err(explain)
    }

    fn settle(&mut self) -> io::Result<()> {
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        let busy: i64 =
            self.connection.query_row(checkpoint, [], |row| row.get(0)).map_err(explain)?;
        if busy != 0 {
            return Err(io::Error::other("the database is locked by another process"));
        }
        Ok(())
    }
}

/// The system's error behind SQLite's, where it has one that the user can do something about.
fn explain(error: Error) -> io::Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => io::Error::from(rustix::io::Errno::NOSPC),
        Some(ErrorCode::ReadOnly) => io::Error::from(rustix::io::Errno::ROFS),
        Some(ErrorCode::PermissionDenied) => io::Error::from(rustix::io::Errno::ACCESS),
        _ => io::Error::other(error),
    }
}
