//! What the load generator itself costs on a machine: `check --engine`.

use serde::{Deserialize, Serialize};

use super::measurement::ClockSource;

/// Costs of its parts, measured without any drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnCost {
    pub clock: ClockSource,
    /// Error of a time in proportion to it, in parts of a million.
    pub clock_error_ppm: f64,
    pub clock_read_ns: f64,
    pub histogram_ns: f64,
    pub offsets: Vec<PartCost>,
    /// Whole loops without a drive, for each kind of engine.
    pub loops: Vec<PartCost>,
    pub fill_bytes_per_s: f64,
    pub verify_bytes_per_s: f64,
}

/// One of several ways, with what it costs an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartCost {
    pub name: String,
    pub ns: f64,
}

impl PartCost {
    /// Operations a second at that cost: no engine of this kind can show more.
    pub fn ceiling_iops(&self) -> f64 {
        if self.ns > 0.0 { 1e9 / self.ns } else { f64::INFINITY }
    }
}
