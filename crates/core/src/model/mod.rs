//! The nouns of bakeoff: values that are planned, recorded, analysed and shown.

pub mod candidate;
pub mod event;
pub mod finding;
pub mod histogram;
pub mod host;
pub mod job;
pub mod measurement;
pub mod path;
pub mod protocol;
pub mod run;
pub mod verdict;
pub mod workload;
