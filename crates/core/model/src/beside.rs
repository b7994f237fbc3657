//! How a workload changes beside a companion: what a run says about two of its workloads that
//! differ in nothing else.

use serde::Serialize;

/// A workload with a companion, against the same one alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BesideEffect {
    pub workload: String,
    /// The same workload without a companion; `None` = the run has none, and only the pace of the
    /// companion is known.
    pub alone: Option<String>,
    pub companion: String,
    /// Operations a second that the companion is asked for.
    pub rate: u64,
    /// What is compared; less is better of latencies. `None` = nothing can be compared.
    pub quantity: Option<BesideQuantity>,
    /// In the order of the run.
    pub candidates: Vec<BesideChange>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BesideQuantity {
    /// A quantile of the latency, in ns: "p99", of "commits".
    Latency { quantile: &'static str, of: &'static str },
    /// The figure of the workload's metric.
    Figure,
}

/// What a companion does to one candidate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BesideChange {
    pub candidate: String,
    /// Geometric mean over the blocks, of the workload alone and beside its companion.
    pub figures: Option<(f64, f64)>,
    /// Beside over alone, with its interval; `None` for fewer than two blocks.
    pub ratio: Option<(f64, f64, f64)>,
    pub blocks: u32,
    /// Operations a second that the companion did; `None` = not measured.
    pub companion_did: Option<f64>,
}

impl BesideChange {
    /// Whether the interval has no change in it.
    pub fn is_certain(&self) -> bool {
        self.ratio.is_some_and(|(_, low, high)| low > 1.0 || high < 1.0)
    }
}
