//! What is kept of a run beside its events, so that runs are found without reading them.

pub mod facts;
