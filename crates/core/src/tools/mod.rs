//! Ways to execute a workload, as values: what goes to a driver and what comes back.

pub mod agnostics;
pub mod bonnie;
pub mod dd;
pub mod diskmark;
pub mod f3;
pub mod fio;
pub mod foreign;
pub mod hdparm;
pub mod ioping;
pub mod iostat;
pub mod iozone;
pub mod measured;
pub mod native;
pub(crate) mod parts;
pub mod pibenchmarks;
pub mod readers;
pub mod sysbench;
#[cfg(test)]
mod tests;
pub mod yabs;
