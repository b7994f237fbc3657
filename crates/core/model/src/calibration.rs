//! How long the slices of a workload are in a run, and what was tried to find that.

use serde::{Deserialize, Serialize};

use super::index::{CandidateIx, WorkloadIx};
use super::slice_length::Length;

/// Recorded once for a workload, before its first round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    pub workload: WorkloadIx,
    pub length: Length,
    pub rounds: u32,
    pub longest_ns: u64,
    pub settled: Settled,
    /// What was tried, in its order; nothing where there was no need to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<Tried>,
}

/// What the length of slices rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settled {
    Quick,
    Yes,
    /// It still changes after a minute: no slices, but one long measurement of each candidate in a
    /// block.
    ByVisits,
    /// It still changes, and the time limit allows no more.
    NoTime,
}

/// One slice that was tried while candidates took turns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    pub candidate: CandidateIx,
    pub length: Length,
    pub elapsed_ns: u64,
    pub rate: f64,
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub settling_ns: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settling_rate: Option<f64>,
}
