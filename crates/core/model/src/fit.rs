//! Whether a place is good enough for an application: what is needed, and what was found.

use serde::{Deserialize, Serialize};

/// One number that an application needs of its storage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FitNeed {
    /// So many of the latencies of a kind of operation (`quantile`, 0 to 1, both excluded) are
    /// `limit_ns` at most.
    Latency { quantile: f64, limit_ns: u64 },
    /// Operations a second at least.
    Operations { per_s: f64 },
    /// Bytes a second at least.
    Bytes { per_s: f64 },
    /// No operation takes longer.
    NoGap { limit_ns: u64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FitVerdict {
    Yes,
    TooClose {
        doubt: FitDoubt,
        /// How much more time would tell, estimated; `None` where that would take too long, or not
        /// help.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        more_ns: Option<u64>,
    },
    No,
}

/// Why it cannot be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FitDoubt {
    /// The limit is inside the interval.
    Close,
    /// So few operations tell nothing about the quantile; it takes so many.
    TooFew { needed: u64 },
    /// The limit was missed, but waiting for a CPU may be all the reason.
    MachineBusy,
}

/// What was found about one need. Figures are in the unit of the need: ns, operations or bytes a
/// second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitRating {
    pub need: FitNeed,
    pub verdict: FitVerdict,
    /// `None` where nothing was done.
    pub estimate: Option<f64>,
    /// Ends of the 95 % interval, which holds at all looks together; `None` = there is no bound.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Of the kind that is judged.
    pub operations: u64,
    pub slices: u32,
    /// Time inside the slices.
    pub measured_ns: u64,
    /// Share of the time in which a request that came would have waited longer than the limit. A
    /// writer that waits for each answer sends nothing during a stall, so that a stall is one
    /// operation whatever it lasts (coordinated omission); requests that come all the same meet it
    /// for this share of the time.
    pub late_share: Option<f64>,
    /// The longest operation that was seen.
    pub longest_ns: Option<u64>,
    /// Stalls that come at random and less often than once in this time have been missed with a
    /// probability above 5 %.
    pub unseen_ns: u64,
    /// How many operations tell as much as one that is independent of the others; 1 or more.
    pub design_effect: f64,
}
