//! Lower layers and experiments that have no rate, and why. The words are in
//! [`crate::report::layers`].

use crate::model::ceiling::Layer;

/// What has no rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmeasured<'a> {
    /// One layer under one workload.
    Layer(Layer, &'a str),
    /// Every experiment on this candidate.
    Experiments(&'a str),
    /// Everything in memory.
    InMemory,
    /// This stack in memory.
    Stack(&'a str),
    /// This stack in memory under one workload.
    StackUnder(&'a str, &'a str),
}

/// Why there is no rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoRate {
    /// The experiments had all their time.
    ExperimentsOver,
    /// It would write more than the run may.
    WriteLimit,
    /// The blocks of an answer need the time.
    NoTime,
    /// An image in memory would take too much of it.
    NoMemory {
        /// What it takes.
        needed_bytes: u64,
        /// What bakeoff takes at most: a quarter of what is available.
        most_bytes: u64,
    },
    /// No CPU clock can be set here.
    FixedClock,
    /// What it is measured on is not there.
    NotPrepared,
    /// Too few operations for a rate.
    Few {
        /// How many were done.
        ios: u64,
    },
    /// No operation was done.
    Nothing,
    /// It failed, in the words of its error.
    Failed(String),
}

impl NoRate {
    /// From what failed.
    pub fn failed(error: impl std::fmt::Display) -> NoRate {
        NoRate::Failed(error.to_string())
    }
}
