//! Why a run is over, as values. The words are in [`crate::report::stop`].

use super::fit::Cost;
use crate::model::event::StopReason;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// There is nothing to compare, and the first blocks are complete.
    NothingToCompare {
        blocks: u32,
    },
    Answered {
        blocks: u32,
    },
    LastBlock {
        blocks: u32,
    },
    /// What comes next does not fit into the time.
    Time {
        next: Part,
        cost: Cost,
        limit_ns: u64,
    },
    /// What comes next writes more than is left of the limit.
    Bytes {
        next: Part,
        cost: Cost,
        written_bytes: u64,
        limit_bytes: u64,
    },
    Steady,
    /// Every workload had all its rounds, and not every one is steady.
    LastRound,
    /// A limit left no time for all rounds.
    RoundsCut {
        workloads: u32,
        /// Whether the run has a limit of time.
        has_time_limit: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Block,
    Round,
}

impl Stop {
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
