//! The decision machinery against drives of known truth.
//!
//! The planner, the looks, the stopping rule, the lints and the verdicts are those of every run
//! ([`crate::decide`], [`crate::analyse`]); only the drive is invented. What it shows is with the
//! seed in docs/truth.md.

pub mod catalogue;
pub mod cell;
pub mod checks;
pub mod disk;
pub mod examination;
pub mod fit;
mod fit_rivals;
pub mod gate;
pub mod latency;
pub mod outcome;
pub mod restart;
pub mod session;

use bakeoff_model::run::FoldError;
use bakeoff_stats::prng::SplitMix64;
pub use catalogue::Scenario;
pub use outcome::Outcome;

#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    pub seed: u64,
    pub outcomes: Vec<Outcome>,
}

/// Plays every scenario `runs` times and tells `after` of each as it is done.
pub fn simulate(
    runs: u32,
    seed: u64,
    mut after: impl FnMut(&Outcome),
) -> Result<Simulation, FoldError> {
    let mut outcomes = Vec::new();
    for (i, scenario) in (0..).zip(catalogue::all()) {
        let seed = SplitMix64::derive(seed, &[i]).next_u64();
        let outcome = scenario.play(runs, seed)?;
        after(&outcome);
        outcomes.push(outcome);
    }
    Ok(Simulation { seed, outcomes })
}

#[cfg(test)]
mod carry_over_tests;
#[cfg(test)]
mod plans_tests;
#[cfg(test)]
mod tests;
