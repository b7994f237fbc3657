//! What the load generator itself costs on a machine: `check --engine`.

use serde::{Deserialize, Serialize};

use super::measurement::ClockSource;

/// Costs of its parts, measured without any drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnCost {
    /// What tells the time.
    pub clock: ClockSource,
    /// Error of a time in proportion to it, in parts of a million.
    pub clock_error_ppm: f64,
    /// One reading of the clock.
    pub clock_read_ns: f64,
    /// Recording one latency.
    pub histogram_ns: f64,
    /// Choosing one place, for each way of choosing.
    pub offsets: Vec<PartCost>,
    /// Whole loops without a drive, for each kind of engine.
    pub loops: Vec<PartCost>,
    /// Making incompressible data on one core.
    pub fill_bytes_per_s: f64,
    /// Making it again and comparing, on one core.
    pub verify_bytes_per_s: f64,
}

/// One of several ways, with what it costs an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartCost {
    /// Which.
    pub name: String,
    /// Time an operation.
    pub ns: f64,
}

impl PartCost {
    /// Operations a second at that cost: no engine of this kind can show more.
    pub fn ceiling_iops(&self) -> f64 {
        if self.ns > 0.0 { 1e9 / self.ns } else { f64::INFINITY }
    }
}
