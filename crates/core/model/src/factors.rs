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

/// What the intervals of all contrasts of a factor, or of two, say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactorOutcome {
    /// Some contrast is certain.
    Matters,
    /// Every contrast is inside the margin.
    NoDifference,
    Open,
}

/// Ratio of two rates, or of two such ratios, with its interval; those of all contrasts of a
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

/// By how much the effect of one factor differs between two levels of another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactorInteraction {
    pub factor: CandidateFactor,
    pub by: CandidateFactor,
    pub outcome: FactorOutcome,
    pub fast: String,
    pub slow: String,
    /// The levels of `by` between which it differs most, that with the larger effect first.
    pub at: [String; 2],
    /// Rate at `fast` to rate at `slow`, at each of them.
    pub ratios: [f64; 2],
    /// The first of `ratios` to the second.
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
    pub interactions: Vec<FactorInteraction>,
}
