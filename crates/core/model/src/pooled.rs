//! What the A/A controls of earlier runs on the same drive say together, kept with a run that has
//! none of its own. It is recorded when a run begins, so that analysing it again, with another
//! store or none, gives the same answer.

use serde::{Deserialize, Serialize};

use bakeoff_stats::paired::Interval;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PooledControls {
    /// Ids of the runs, the latest first.
    pub runs: Vec<String>,
    pub workloads: Vec<PooledControl>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PooledControl {
    pub workload: String,
    pub blocks: u32,
    /// Mean of ln(twin / original).
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}

impl PooledControl {
    pub fn interval(&self) -> Interval {
        Interval { low: self.low, high: self.high }
    }

    /// "+0.3 % (95 % CI: -0.2 to +0.8 %) over 24 blocks".
    pub fn label(&self) -> String {
        let percent = |y: f64| libm::expm1(y) * 100.0;
        format!(
            "{:+.1} % (95 % CI: {:+.1} to {:+.1} %) over {} blocks",
            percent(self.mean),
            percent(self.low),
            percent(self.high),
            self.blocks
        )
    }
}
