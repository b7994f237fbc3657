//! Ways to execute a workload, as values: what goes to a driver and what comes back.

pub mod native;
