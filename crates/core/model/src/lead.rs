//! The lead: the one number that a run promises about a workload, with everything around it.
//!
//! For the leader `a`, the lead is the smallest lower bound of its differences `ln(a) - ln(b)` to
//! all other candidates `b`. Its sign and size decide which of the verdicts is given. Here are
//! values only: reports make the sentences.
//!
//! Differences are kept as logarithms where they are computed with, and as fractions where they are
//! told: 0.12 is 12 % faster, -0.05 means that the other one is 5 % faster ([`fraction`]).

use serde::{Deserialize, Serialize};

/// A difference of logarithms as a fraction of the slower one, with the sign of the difference:
/// `ln(1.05)` is 0.05 and `-ln(1.05)` is -0.05.
pub fn fraction(ln: f64) -> f64 {
    libm::copysign(libm::expm1(ln.abs()), ln)
}

/// The logarithm of a [`fraction`].
pub fn ln_of(fraction: f64) -> f64 {
    libm::copysign(libm::log1p(fraction.abs()), fraction)
}

/// An interval of differences of logarithms; positive means that the leader is faster.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Span {
    pub low_ln: f64,
    pub high_ln: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Behind {
    pub candidate: String,
    /// The leader is faster than it by this fraction at least; above 0.
    pub at_least: f64,
}

/// A candidate that could still be faster than the leader.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rival {
    pub candidate: String,
    /// It is faster than the leader by this fraction at most; 0 or more.
    pub at_most: f64,
}

/// Why a candidate is not ranked on a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotRanked {
    Memory,
    MemoryPlace,
    CacheUnknown,
    TooFewBlocks,
}

/// A candidate that is not ranked on a workload: neither leader nor reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Excluded {
    pub candidate: String,
    pub reason: NotRanked,
    pub cells: u32,
    pub of: u32,
}

/// What was trimmed from a candidate's slices as stalls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrimmedStalls {
    pub candidate: String,
    pub number: u32,
    pub longest_ns: u64,
    /// Share of the candidate's measured time, 0 to 1.
    pub share: f64,
}

impl TrimmedStalls {
    /// Whether they take so much time that a sentence about the candidate has to name them.
    pub fn count(&self) -> bool {
        self.share > 0.05
    }
}

/// What more time is expected to do, if effects and noise stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct More {
    /// The time, nanoseconds: ten minutes.
    pub time_ns: u64,
    pub blocks: u32,
    pub lead_ln: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    TooFewBlocks { complete: u32, needed: u32 },
    NothingToCompare { ranked: u32 },
    Findings { ids: Vec<String> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lead {
    /// Who leads; `None` where nobody can be ranked.
    pub leader: Option<String>,
    /// The lead as a logarithm; `None` while there is no interval.
    pub lead_ln: Option<f64>,
    /// The interval of the leader against the candidate that decides the lead; its lower end is
    /// the lead.
    pub interval: Option<Span>,
    pub closest: Option<String>,
    /// Candidates that may be the fastest and are within the margin of each other, the leader first; the
    /// leader alone where no other is.
    pub equals: Vec<String>,
    pub behind: Vec<Behind>,
    /// Who could still be faster, those that could be most first.
    pub rivals: Vec<Rival>,
    pub excluded: Vec<Excluded>,
    pub stalls: Vec<TrimmedStalls>,
    /// What ten more minutes would do; `None` where it cannot be foretold or nothing is left to do.
    pub more: Option<More>,
    pub blocks: u32,
    /// The margin within which candidates count as equal, a fraction.
    pub margin: f64,
    pub holds_for_all: bool,
    /// Why there is no claim; `None` where there is one.
    pub refusal: Option<Refusal>,
}

impl Lead {
    /// The lead as a fraction: 0.12 is at least 12 % ahead of all others; -0.05 means that no other
    /// is more than 5 % faster.
    pub fn fraction(&self) -> Option<f64> {
        self.lead_ln.map(fraction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_has_the_same_size_both_ways_round() {
        let ln = libm::log(1.05);
        assert!((fraction(ln) - 0.05).abs() < 1e-12 && (fraction(-ln) + 0.05).abs() < 1e-12);
        assert!((ln_of(-0.05) + ln).abs() < 1e-12 && ln_of(0.0) == 0.0);
    }
}
