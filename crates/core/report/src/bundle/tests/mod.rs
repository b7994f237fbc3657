//! Runs with every field, what of them leaves the machine, and damaged bundles.

mod complete;
mod hostile;
mod public;
pub mod sample;
pub(crate) mod sample_normal;
