//! Every test of the engine through its public face, in one binary: it is linked once. A new test
//! is a module of this one. With `cargo test` they run beside each other in one process, so none
//! changes its working directory or environment.

// A helper of tests may panic: that is how a test fails.
#![allow(clippy::unwrap_used)]

#[path = "../../../bakeoff/tests/support/skip.rs"]
mod skip;
#[path = "../../../bakeoff/src/sqlite_workload.rs"]
mod sqlite_workload;

mod companion;
mod latency;
mod measure;
mod places;
mod profiles;
mod serve;
mod slices;
