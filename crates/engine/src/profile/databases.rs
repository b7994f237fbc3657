//! Databases of applications: sqlite and home-assistant.
//!
//! By the real library, which is not linked into this crate; whoever starts the engine hands over
//! how to open a database. What lies in the log at the end is brought into the database inside the
//! measured time. Source: sqlite.org, "Atomic Commit In SQLite" and "Write-Ahead Logging".
//!
//! sqlite: transactions of one small row, each on the drive before the next begins
//! (`synchronous=FULL`): first with the rollback journal, SQLite's default, then with the
//! write-ahead log.
//!
//! home-assistant: the recorder's database and the log of a home automation server. Source:
//! home-assistant.io, "Recorder" (`commit_interval`: 5 s) and the recorder's own settings of
//! SQLite: write-ahead log, `synchronous=NORMAL`. A house of twenty changes of state a second gives
//! a hundred rows a transaction. Here interval follows interval without waiting, so the figure says
//! how many intervals a second the place could take; it takes 0.2. Between transactions two lines
//! are appended to the log, which nobody flushes before the end.

use std::io;
use std::path::Path;

use bakeoff_model::profile::Profile;
use rustix::fs::OFlags;

use super::Context;
use super::block::{self, BlockBuffer};
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

    fn settle(&mut self) -> io::Result<()>;
}

pub type OpenDatabase = fn(&Path, DatabaseOptions) -> io::Result<Box<dyn Database>>;

struct Use {
    file: &'static str,
    options: DatabaseOptions,
    rows: u32,
    fewest: u64,
    log: Option<(&'static str, u32)>,
}

const LOG_LINE_BYTES: usize = 150;

const fn sqlite(wal: bool) -> Use {
    let options = DatabaseOptions { wal, full: true, indexed: false };
    Use { file: "sqlite.db", options, rows: 1, fewest: 1000, log: None }
}

const SQLITE: [Use; 2] = [sqlite(false), sqlite(true)];
const HOME_ASSISTANT: [Use; 1] = [Use {
    file: "home-assistant_v2.db",
    options: DatabaseOptions { wal: true, full: false, indexed: true },
    rows: 100,
    fewest: 100,
    log: Some(("home-assistant.log", 2)),
}];

pub fn run(context: &mut Context<'_>) -> Result<(), EngineError> {
    let is_sqlite = context.profile == Profile::Sqlite;
    let uses: &[Use] = if is_sqlite { &SQLITE } else { &HOME_ASSISTANT };
    for (part, how) in (0..).zip(uses) {
        if context.wants(part) {
            commits(context, part, how)?;
        }
    }
    Ok(())
}

fn commits(context: &mut Context<'_>, part: u16, how: &Use) -> Result<(), EngineError> {
    let kinds = [Kind::Commit, Kind::Write, Kind::Flush];
    let mut meter = context.meter(part, &kinds, |job| {
        (job.fsync, job.end_fsync) = (if how.options.full { 1 } else { job.fsync }, true);
    });
    // A row is at most 1 GiB.
    let row_bytes = context.job.bs as u32;
    let mut database = context.database(how.file, how.options)?;
    let flags = OFlags::WRONLY | OFlags::APPEND;
    let log = match how.log {
        Some((name, lines)) => Some((context.workdir.create(name, flags)?, lines)),
        None => None,
    };
    let mut line = BlockBuffer::new(context.job, LOG_LINE_BYTES as u64, 0)?;
    let failed = |error| EngineError::io("committing to a database", error);
    meter.resume();
    for transaction in 1.. {
        database.commit(how.rows, row_bytes).map_err(failed)?;
        meter.op(Kind::Commit, u64::from(how.rows) * u64::from(row_bytes));
        if let Some((log, lines)) = &log {
            for _ in 0..*lines {
                block::write(log, line.fresh(&mut meter, transaction, LOG_LINE_BYTES))?;
                meter.op(Kind::Write, LOG_LINE_BYTES as u64);
            }
        }
        let had_enough = meter.job.runtime_ns.is_some() || transaction >= how.fewest;
        if meter.ends_unit() && had_enough || meter.is_cut_off() {
            break;
        }
    }
    database.settle().map_err(failed)?;
    meter.flush();
    if let Some((log, _)) = log {
        block::flush(&log, &mut meter)?;
    }
    meter.pause();
    drop(database);
    context.workdir.clear()?;
    context.push(meter.finish());
    Ok(())
}
