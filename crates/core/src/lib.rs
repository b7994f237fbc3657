//! The pure half of bakeoff: no files, processes, clocks or threads.
//!
//! Data flows one way: plan, prepare, (run, record: the shell), analyse, report. Everything here
//! is a function from value to value, gives the same bytes on every architecture, and is tested
//! without touching the system. `clippy.toml` beside this crate's manifest enforces that.

#![forbid(unsafe_code)]
// The impure calls that clippy.toml lists; tests beside the code may do as they like.
#![cfg_attr(
    not(test),
    forbid(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)
)]

pub mod analyse;
pub mod boards;
pub mod bundle;
pub mod cold_reads;
pub mod compare;
pub mod decide;
pub mod diagnose;
mod distinct;
pub mod evidence;
pub mod fitness;
pub mod fleet;
pub mod guard;
pub mod history;
pub mod import;
pub mod model;
pub mod phrases;
pub mod plan;
pub mod prepare;
pub mod prng;
pub mod probe;
pub mod profiles;
pub mod redact;
pub mod report;
pub mod rules;
pub mod scan;
pub mod setup;
pub mod simulate;
pub mod stats;
pub mod sysinfo;
pub mod tables;
pub mod telemetry;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod tools;
pub mod units;
pub mod usual;
pub mod watch;
pub mod workloads;
