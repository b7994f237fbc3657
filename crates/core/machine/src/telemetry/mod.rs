//! From samples of counters to the series of a cell: pure arithmetic, no clock and no file.
//!
//! The sampler in the shell fills rows of plain numbers ([`layout`]) into bounded rings
//! ([`ring`]); here they become the differences that are stored with a cell ([`slice`]) and the
//! figures that `watch` prints ([`rates`]).

pub mod cell_telemetry;
pub mod layout;
pub mod rates;
pub mod ring;

pub const NONE: u64 = u64::MAX;
