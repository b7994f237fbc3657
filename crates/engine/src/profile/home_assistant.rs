//! home-assistant: the recorder's database and the log of a home automation server.
//!
//! Source: home-assistant.io, "Recorder" (`commit_interval`: 5 s) and the recorder's own settings
//! of SQLite: write-ahead log, `synchronous=NORMAL`. A house of twenty changes of state a second
//! gives a hundred rows a transaction. Here interval follows interval without waiting, so the
//! figure says how many intervals a second the place could take; it takes 0.2. Between transactions
//! two lines are appended to the log, which nobody flushes. At the end the log of the database is
//! brought into it and both are flushed, inside the measured time.

use rustix::fs::OFlags;

use super::Context;
use super::block::{self, Block};
use super::sqlite::{self, DatabaseOptions, failed};
use crate::error::EngineError;
use crate::record::Kind;

const ROWS: u32 = 100;
const LOG_LINES: u32 = 2;
const LOG_LINE_BYTES: usize = 150;
const FEWEST: u64 = 100;

pub fn run(context: &mut Context<'_>) -> Result<(), EngineError> {
    let kinds = [Kind::Commit, Kind::Write, Kind::Flush];
    let mut meter = context.meter(0, &kinds, |job| job.end_fsync = true);
    let row_bytes = context.job.bs as u32;
    let options = DatabaseOptions { wal: true, full: false, indexed: true };
    let mut database = context.database("home-assistant_v2.db", options)?;
    let log = context.workdir.create("home-assistant.log", OFlags::WRONLY | OFlags::APPEND)?;
    let mut line = Block::new(context.job, LOG_LINE_BYTES as u64, 0)?;
    meter.resume();
    for interval in 1.. {
        database.commit(ROWS, row_bytes).map_err(failed)?;
        meter.op(Kind::Commit, u64::from(ROWS) * u64::from(row_bytes));
        for _ in 0..LOG_LINES {
            block::write(&log, line.fresh(&mut meter, interval, LOG_LINE_BYTES))?;
            meter.op(Kind::Write, LOG_LINE_BYTES as u64);
        }
        let had_enough = meter.job.runtime_ns.is_some() || interval >= FEWEST;
        if meter.ends_unit() && had_enough || meter.is_cut_off() {
            break;
        }
    }
    database.settle().map_err(failed)?;
    meter.flush();
    block::flush(&log, &mut meter)?;
    sqlite::end(context, meter, database)
}
