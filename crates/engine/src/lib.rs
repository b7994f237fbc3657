//! The load generator: does one [`Job`](bakeoff_model::job::Job) and says what it took.
//!
//! It knows nothing of candidates, filesystems or verdicts, prepares nothing and decides nothing.
//! [`measure`] does the work in this process; [`serve`] is the child process around it, so that no
//! other thread shares a process with a measurement. The only crate with `unsafe`: for I/O into
//! memory the kernel shares, and for what has no safe wrapper.
//!
//! From the outside in: `serve` reads a task, `measure` checks the job and starts lanes, a lane is
//! one thread's hot loop over an `engine`, `record` keeps what it saw, `report` adds it up. In
//! slices, `serve` reads requests, and a `crew` keeps the lanes alive in between.

// A new variant of an enum is looked at wherever the enum decides something.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod along;
mod buffer;
mod calibrate;
mod check;
mod clock;
mod companion;
mod counters;
mod cpu;
mod crew;
mod data;
mod end;
mod engine;
mod engine_choice;
mod error;
mod histogram;
mod hold;
mod lane;
mod lanes;
mod live;
pub mod loops;
mod measure;
mod offsets;
mod own_process;
mod pace;
mod profile;
mod record;
mod report;
pub mod residency;
mod serve;
#[cfg(test)]
#[path = "../../bakeoff/tests/support/skip.rs"]
mod skip;
mod smallfiles;
mod target;
mod used;
mod verify;
mod windows;

pub use companion::serve_companion;
pub use error::EngineError;
pub use measure::measure;
pub use own_process::{own_directories, own_mounts, size_limit_is_an_error};
pub use profile::{Database, DatabaseOptions, OpenDatabase, clear};
pub use serve::{do_task, serve, serve_slices};
