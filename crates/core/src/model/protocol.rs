//! How a run decides: mode, margin, looks, limits. Stored in the run's header, so a stored run is
//! analysed by the rules it was measured under.

use serde::{Deserialize, Serialize};

use crate::lint::thresholds::Thresholds;

/// How sure, how fine, how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Tie margin 10 %, 5 to 8 blocks: directories, a first look.
    Quick,
    /// Tie margin 3 %, 5 to 27 blocks: which one.
    Decide,
    /// Tie margin 2 %, 5 to 27 blocks with an A/A twin in each: publishing.
    Precise,
    /// One device over time: each workload in rounds until it is steady; nothing is compared.
    Characterise,
}

impl Mode {
    /// All of them, in the order they are told in.
    pub const ALL: [Mode; 4] = [Mode::Quick, Mode::Decide, Mode::Precise, Mode::Characterise];

    /// The word in plans, options and output.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Quick => "quick",
            Mode::Decide => "decide",
            Mode::Precise => "precise",
            Mode::Characterise => "characterise",
        }
    }
}

/// The rules of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Protocol {
    /// Mode the rest was taken from.
    pub mode: Mode,
    /// Half-width of a tie as a fraction: 0.10 for quick, 0 where nothing is compared.
    pub tie_margin: f64,
    /// Numbers of complete blocks after which the run looks at its results, ascending; none where
    /// nothing is compared.
    pub looks: Vec<u32>,
    /// Nominal two-sided alpha of one comparison at one look, before dividing by comparisons.
    pub alpha: f64,
    /// Candidates at the start (k of the correction).
    pub k: u32,
    /// Time the whole run may take; `None` = until decided.
    pub time_ns: Option<u64>,
    /// Shortest cell.
    pub cell_min_ns: u64,
    /// Longest cell.
    pub cell_max_ns: Option<u64>,
    /// Fewest operations in a cell, flushes included.
    pub cell_min_ios: u64,
    /// Most bytes the run may write.
    pub max_write_bytes: Option<u64>,
    /// From where on rules speak.
    #[serde(default, skip_serializing_if = "Thresholds::is_default")]
    pub thresholds: Thresholds,
    /// Whether experiments after the answer turn suspicions about the bottleneck into proof.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prove: bool,
    /// Whether regions are brought to a steady state before the first block; `None` = flash
    /// drives that are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precondition: Option<bool>,
}
