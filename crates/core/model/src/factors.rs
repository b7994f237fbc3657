//! Which of several factors matters for a workload, and by how much: of a comparison in which every
//! level of each factor meets every level of the others.

use serde::{Deserialize, Serialize};

/// What candidates differ in, where it has two or more levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CandidateFactor {
    Target,
    Filesystem,
    Encryption,
    Volume,
    Scheduler,
    ReadAhead,
    Requests,
    Governor,
}

impl CandidateFactor {
    pub const ALL: [CandidateFactor; 8] = [
        CandidateFactor::Target,
        CandidateFactor::Filesystem,
        CandidateFactor::Encryption,
        CandidateFactor::Volume,
        CandidateFactor::Scheduler,
        CandidateFactor::ReadAhead,
        CandidateFactor::Requests,
        CandidateFactor::Governor,
    ];

    pub fn label(self) -> &'static str {
        match self {
            CandidateFactor::Target => "target",
            CandidateFactor::Filesystem => "filesystem",
            CandidateFactor::Encryption => "encryption",
            CandidateFactor::Volume => "logical volume",
            CandidateFactor::Scheduler => "scheduler",
            CandidateFactor::ReadAhead => "read-ahead",
            CandidateFactor::Requests => "queue length",
            CandidateFactor::Governor => "governor",
        }
    }
}

/// What the intervals of all contrasts of a factor say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactorOutcome {
    /// Some contrast is certain.
    Matters,
    /// Every contrast is inside the margin.
    NoDifference,
    Open,
}

/// Ratio of two rates with its interval; those of all contrasts of a
/// workload hold together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactorRatio {
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
}

/// What one factor does, averaged over the levels of the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactorEffect {
    pub factor: CandidateFactor,
    pub outcome: FactorOutcome,
    /// The level that is ahead in the contrast that says most.
    pub fast: String,
    pub slow: String,
    /// Rate at `fast` to rate at `slow`.
    #[serde(flatten)]
    pub ratio: FactorRatio,
}

/// All factors of one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Factors {
    pub workload: String,
    pub blocks: u32,
    /// Differences below this fraction are none.
    pub margin: f64,
    pub effects: Vec<FactorEffect>,
}
