//! Why a run is over, as values. The words are in [`crate::report::stop`].

use super::fit::Cost;
use crate::model::event::StopReason;

/// Why a run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// There is nothing to compare, and the first blocks are complete.
    NothingToCompare {
        /// How many.
        blocks: u32,
    },
    /// Every workload has its answer.
    Answered {
        /// After so many blocks.
        blocks: u32,
    },
    /// The last block of the mode is complete.
    LastBlock {
        /// How many there are.
        blocks: u32,
    },
    /// What comes next does not fit into the time.
    Time {
        /// What comes next.
        next: Part,
        /// What it takes.
        cost: Cost,
        /// Time for the whole run.
        limit_ns: u64,
    },
    /// What comes next writes more than is left of the limit.
    Bytes {
        /// What comes next.
        next: Part,
        /// What it takes.
        cost: Cost,
        /// What has been written.
        written_bytes: u64,
        /// What may be written in the whole run.
        limit_bytes: u64,
    },
    /// Every workload is steady.
    Steady,
    /// Every workload had all its rounds, and not every one is steady.
    LastRound,
    /// A limit left no time for all rounds.
    RoundsCut {
        /// Workloads with rounds to come.
        workloads: u32,
        /// Whether the run has a limit of time.
        has_time_limit: bool,
    },
}

/// What a run is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A block.
    Block,
    /// A round of one workload.
    Round,
}

impl Stop {
    /// As it is recorded.
    pub fn reason(self) -> StopReason {
        match self {
            Stop::NothingToCompare { .. } | Stop::Answered { .. } | Stop::Steady => {
                StopReason::Decided
            }
            Stop::LastBlock { .. } | Stop::LastRound => StopReason::LastBlock,
            Stop::Time { .. } | Stop::RoundsCut { has_time_limit: true, .. } => StopReason::TimeUp,
            Stop::Bytes { .. } | Stop::RoundsCut { has_time_limit: false, .. } => {
                StopReason::WriteBudget
            }
        }
    }
}
