//! Ways to execute a workload, as values: what goes to a driver and what comes back.

pub mod bonnie;
pub mod dd;
pub mod fio;
pub mod iozone;
pub mod native;
pub mod sysbench;
