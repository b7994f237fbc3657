//! One choice over all workloads: the candidate with the smallest greatest regret.
//!
//! The regret of a candidate on a workload is how far it may be behind the best one there. Source
//! of the bound: Hsu, "Constrained simultaneous confidence intervals for multiple comparisons with
//! the best", Annals of Statistics 12 (1984); of the rule: Savage, "The theory of statistical
//! decision", Journal of the American Statistical Association 46 (1951).

use crate::uses::{DriveUse, Need};
use crate::verdict::Effect;
use serde::{Deserialize, Serialize};
use strum::VariantArray;

pub const MOST_REGRET: f64 = 0.25;

/// How far a candidate may be behind on one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Regret {
    pub workload: String,
    /// Who may be ahead by so much; `None` where nobody may.
    pub behind: Option<String>,
    /// By which fraction at most; 0 for the certain winner.
    pub at_most: f64,
    /// How far it is behind some other at least; 0 where that is not certain of any.
    #[serde(default)]
    pub at_least: f64,
    /// The same from the mean difference, without its uncertainty; 0 for the one with the best
    /// mean.
    pub estimate: f64,
}

/// What a candidate lacks that others of the run have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(VariantArray)]
pub enum GivesUp {
    /// Data that outlives a restart: it is kept in memory.
    Persistence,
    /// Flushes of the drive's cache: a power cut may take what fsync promised.
    Flushes,
    /// A journal or copy on write: after a crash it has to be checked.
    Journal,
    /// The kernel's own driver: one in user space does the work.
    KernelDriver,
    Booting,
    DataChecksums,
}

impl GivesUp {
    /// All of them, the most important first.
    pub const ALL: &'static [GivesUp] = <GivesUp as VariantArray>::VARIANTS;
}

/// The best candidate for one use, where no candidate suits all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestFor {
    pub candidate: String,
    pub workloads: Vec<String>,
}

/// A candidate that the use rules out although it is faster for certain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuledOut {
    pub candidate: String,
    pub lacks: Vec<Need>,
    /// Where it is ahead of the choice by most, if by a quarter for certain.
    pub faster: Option<Effect>,
    pub workload: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recommendation {
    #[serde(default, rename = "for")]
    pub drive_use: DriveUse,
    /// Candidates that lack what the use needs; where every one does, the choice is among all.
    #[serde(default)]
    pub ruled_out: Vec<RuledOut>,
    /// Candidates between which nothing is certain yet; empty where there is a choice.
    #[serde(default)]
    pub undecided: Vec<String>,
    pub candidate: String,
    /// Its regret on each workload that has an answer, in the order of the run.
    pub regrets: Vec<Regret>,
    /// Workloads without an answer, which the choice therefore leaves out.
    pub left_out: Vec<String>,
    pub gives_up: Vec<GivesUp>,
    /// Others with what the use needs that the choice does not beat by [`MOST_REGRET`] anywhere for
    /// certain: whoever has one of them keeps it.
    #[serde(default)]
    pub keep: Vec<String>,
    /// Candidates whose greatest regret is within the margin of its own, and which lost to it for
    /// what they give up or for their regret; best first.
    pub within_margin: Vec<String>,
    /// The best for each use, where no candidate's greatest regret is below [`MOST_REGRET`]; empty
    /// otherwise.
    pub alternatives: Vec<BestFor>,
}

impl Recommendation {
    /// Whether something is advised: a candidate that has what the use needs, and about which, or
    /// about the best for each workload, enough is certain.
    pub fn is_a_choice(&self) -> bool {
        self.undecided.is_empty() && self.suits()
    }

    /// Whether the candidate has what the use needs.
    pub fn suits(&self) -> bool {
        self.ruled_out.iter().all(|out| out.candidate != self.candidate)
    }
}
