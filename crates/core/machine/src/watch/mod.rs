//! `watch`: what the drives and the machine do, one frame an interval.
//!
//! Figures of drives are those of iostat(1) with -x. The shell takes the looks.

mod machine;

pub use machine::Machine;

use crate::telemetry::rates::DeviceRates;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Its end, nanoseconds since 1970.
    pub unix_ns: i64,
    /// Its end as a clock on the wall shows it.
    pub clock: String,
    pub elapsed_ns: u64,
    /// The devices by kernel name, in the order of their numbers.
    pub devices: Vec<(String, DeviceRates)>,
    pub machine: Machine,
}
