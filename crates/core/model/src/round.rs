//! Mode characterise: a block is one round of one workload on one candidate. Rounds follow each
//! other on what was prepared before the first; what they show is decided in `decide::rounds`.

use super::index::WorkloadIx;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// Index of the workload; of parts that are measured together the first.
    pub workload: WorkloadIx,
    /// From 0 in its series. The candidate is prepared anew before round 0 and not again until the
    /// next series.
    pub round: u32,
}
