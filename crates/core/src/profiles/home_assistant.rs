//! home-assistant: the recorder's database and the log of a home automation server.
//!
//! Source: home-assistant.io, "Recorder"; homeassistant/components/recorder/util.py, which sets up
//! the connection to SQLite.

use super::{PartSpec, Spec};
use crate::model::job::{Job, Rw};
use crate::model::workload::Metric::TransactionsPerSecond as Transactions;

/// A hundred changes of state a transaction.
pub const SPEC: Spec = Spec {
    summary: "Home Assistant: its recorder and its log",
    lays_out: false,
    parts: &[PartSpec::new(
        "",
        "Home Assistant: intervals of 100 changes, recorded and logged",
        Transactions,
        Rw::RandWrite,
    )
    .timed(0)],
    job,
};

/// A row of the states with its attributes.
fn job() -> Job {
    Job::new(Rw::RandWrite, 200, 64 << 20)
}
