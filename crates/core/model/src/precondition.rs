//! Rounds of writing that bring a region to its steady state before the first block, and how they
//! ended. What is done in a round and when it is enough is decided in `prepare::precondition`.

use serde::{Deserialize, Serialize};

use super::index::RegionIx;
use super::job::Job;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreconditionRound {
    pub region: RegionIx,
    /// From 0 in its series; 0 begins another series.
    pub round: u32,
    pub job: Job,
    pub write_bytes: u64,
    /// Time it took with its flush, nanoseconds; above 0.
    pub elapsed_ns: u64,
}

impl PreconditionRound {
    /// Bytes written a second.
    pub fn bytes_per_s(&self) -> f64 {
        self.write_bytes as f64 * 1e9 / self.elapsed_ns.max(1) as f64
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreconditionEnd {
    Steady,
    Rounds,
    Time,
    Bytes,
}

/// The rounds on one region, from the first on.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionRounds {
    pub region: RegionIx,
    /// Bytes the first round writes at most; 0 in earlier records.
    pub most_bytes: u64,
    pub rounds: Vec<PreconditionRound>,
    /// `None` when they were interrupted.
    pub end: Option<PreconditionEnd>,
}

impl RegionRounds {
    pub fn new(region: RegionIx, most_bytes: u64) -> RegionRounds {
        RegionRounds { region, most_bytes, rounds: Vec::new(), end: None }
    }

    /// Bytes it wrote. A round that was cut off was counted by nobody: it is taken for the largest
    /// before it, and the first for all it might have written.
    pub fn write_bytes(&self) -> u64 {
        let rounds = || self.rounds.iter().map(|round| round.write_bytes);
        let cut_off = match self.end {
            None => rounds().max().unwrap_or(self.most_bytes),
            Some(_) => 0,
        };
        rounds().sum::<u64>() + cut_off
    }

    /// Bytes a second of each round.
    pub fn rates(&self) -> Vec<f64> {
        self.rounds.iter().map(PreconditionRound::bytes_per_s).collect()
    }
}
