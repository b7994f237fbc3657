//! How a run decides: mode, margin, looks, limits. Stored in the run's header, so a stored run is
//! analysed by the rules it was measured under.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::is_default;

use crate::uses::DriveUse;

/// How sure, how fine, how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Mode {
    /// Margin 10 %, 3 to 20 blocks, by time: directories, a first look.
    Quick,
    /// Margin 3 %, 3 to 27 blocks, then on as long as asked: which one.
    Decide,
    /// Margin 2 %, 5 to 27 blocks and on, with an A/A twin in each: publishing.
    Precise,
    /// One device over time: each workload in rounds until it is steady; nothing is compared.
    Characterise,
}

impl Mode {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// How the candidates of a block share its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Isolation {
    #[default]
    Visit,
    /// All candidates are prepared side by side and measured in turns.
    Slices,
}

/// Fewest and most rounds of slices in one cell.
pub const ROUNDS: std::ops::RangeInclusive<u32> = 8..=20;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Protocol {
    pub mode: Mode,
    /// Half-width of a tie as a fraction: 0.10 for quick, 0 where nothing is compared.
    pub tie_margin: f64,
    /// Numbers of complete blocks after which the run looks at its results, ascending; none where
    /// nothing is compared.
    pub looks: Vec<u32>,
    /// Nominal two-sided alpha of one comparison at the last look; see `alphas`.
    pub alpha: f64,
    /// Nominal two-sided alpha of each of `looks`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alphas: Vec<f64>,
    /// What is left to spend after the last of `looks`: each time the blocks double, half of the
    /// rest.
    #[serde(default, skip_serializing_if = "is_default")]
    pub alpha_after: f64,
    pub k: u32,
    /// Time the whole run may take; `None` = until decided.
    pub time_ns: Option<u64>,
    pub cell_min_ns: u64,
    pub cell_max_ns: Option<u64>,
    /// Fewest operations in a cell, flushes included.
    pub cell_min_ios: u64,
    pub max_write_bytes: Option<u64>,
    /// How candidates share the time of a block.
    #[serde(default, skip_serializing_if = "is_default")]
    pub isolation: Isolation,
    /// Rounds of slices in one cell, 8 to 20; 0 where a cell is one piece.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rounds: u32,
    /// Bytes after which a slice that writes ends once its minimum of work is done: with more, the
    /// blocks of the first look would write more than allowed. 0 = its time alone ends it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub slice_bytes: u64,
    #[serde(default, rename = "for", skip_serializing_if = "is_default")]
    pub drive_use: DriveUse,
}
