//! sqlite: transactions of one small row, each on the drive before the next begins.
//!
//! By the real library, with `synchronous=FULL`: first with the rollback journal, SQLite's default,
//! then with the write-ahead log. Source: sqlite.org, "Atomic Commit In SQLite" and "Write-Ahead
//! Logging". The library is not linked into this crate; whoever starts the engine hands over how to
//! open a database. What lies in the log at the end is brought into the database inside the
//! measured time.

use std::io;
use std::path::Path;

use super::Context;
use super::meter::Meter;
use crate::error::EngineError;
use crate::record::Kind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatabaseOptions {
    /// `journal_mode=WAL`; else the rollback journal (`DELETE`).
    pub wal: bool,
    /// `synchronous=FULL`; else `NORMAL`.
    pub full: bool,
    /// An index beside the table's own, as most applications have.
    pub indexed: bool,
}

pub trait Database {
    fn commit(&mut self, rows: u32, row_bytes: u32) -> io::Result<()>;

    /// Brings everything into the database file and flushes it.
    fn settle(&mut self) -> io::Result<()>;
}

pub type OpenDatabase = fn(&Path, DatabaseOptions) -> io::Result<Box<dyn Database>>;

/// Transactions of a pass where no time is given.
const FEWEST: u64 = 1000;

pub fn run(context: &mut Context<'_>) -> Result<(), EngineError> {
    for (part, wal) in [(0, false), (1, true)] {
        if context.wants(part) {
            commits(context, part, wal)?;
        }
    }
    Ok(())
}

fn commits(context: &mut Context<'_>, part: u16, wal: bool) -> Result<(), EngineError> {
    let kinds = [Kind::Commit, Kind::Flush];
    let mut meter = context.meter(part, &kinds, |job| (job.fsync, job.end_fsync) = (1, true));
    // A row is at most 1 GiB.
    let row_bytes = context.job.bs as u32;
    let mut database =
        context.database("sqlite.db", DatabaseOptions { wal, full: true, indexed: false })?;
    meter.resume();
    loop {
        database.commit(1, row_bytes).map_err(failed)?;
        meter.op(Kind::Commit, row_bytes.into());
        let had_enough = meter.job.runtime_ns.is_some() || meter.ios() >= FEWEST;
        if meter.ends_unit() && had_enough || meter.is_cut_off() {
            break;
        }
    }
    database.settle().map_err(failed)?;
    meter.flush();
    end(context, meter, database)
}

/// Removes a database that is settled, and tells what was measured.
pub fn end<'a>(
    context: &mut Context<'a>,
    mut meter: Meter<'a>,
    database: Box<dyn Database>,
) -> Result<(), EngineError> {
    meter.pause();
    drop(database);
    context.workdir.clear()?;
    context.push(meter.finish(Vec::new()));
    Ok(())
}

/// What the library says, sorted by what can be done about it.
pub fn failed(error: io::Error) -> EngineError {
    EngineError::io("committing to a database", error)
}
