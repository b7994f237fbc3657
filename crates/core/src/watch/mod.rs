//! `watch`: what the disks and the machine do, one frame an interval.
//!
//! Figures of disks are those of iostat(1) with -x, under its names. The shell takes the looks;
//! here they become text of 80 columns, a line of JSON, or rows of CSV.

mod machine;
mod tables;
mod text;

#[cfg(test)]
mod tests;

pub use machine::Machine;
pub use tables::{csv, csv_header, json};
pub use text::text;

use crate::telemetry::rates::DeviceRates;

/// One interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Its end, nanoseconds since 1970.
    pub unix_ns: i64,
    /// Its end as a clock on the wall shows it.
    pub clock: String,
    /// How long it was.
    pub elapsed_ns: u64,
    /// The devices by kernel name, in the order of their numbers.
    pub devices: Vec<(String, DeviceRates)>,
    /// The rest of the machine.
    pub machine: Machine,
}
