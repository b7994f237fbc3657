//! sqlite: commits of one small row, by the real library.
//!
//! Source: sqlite.org, "SQLite Frequently Asked Questions", (19) "INSERT is really slow", and
//! "Write-Ahead Logging".

use super::{PartSpec, Spec};
use crate::model::job::{Job, Rw};
use crate::model::workload::Metric::TransactionsPerSecond as Transactions;

/// Rows of 100 bytes, `synchronous=FULL`.
pub const SPEC: Spec = Spec {
    summary: "SQLite: transactions of one small row",
    lays_out: false,
    parts: &[
        PartSpec::new("rollback", "SQLite commits, rollback journal", Transactions, Rw::RandWrite)
            .timed(0),
        PartSpec::new("wal", "SQLite commits, write-ahead log", Transactions, Rw::RandWrite)
            .timed(0),
    ],
    job,
};

fn job() -> Job {
    Job::new(Rw::RandWrite, 100, 64 << 20)
}
