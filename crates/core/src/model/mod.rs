//! The nouns of bakeoff: values that are planned, recorded, analysed and shown.

pub mod acks;
pub mod candidate;
pub mod ceiling;
pub mod event;
pub mod finding;
pub mod health;
pub mod histogram;
pub mod host;
pub mod job;
pub mod measurement;
pub mod offsets;
pub mod own_cost;
pub mod path;
pub mod pooled;
pub mod precondition;
pub mod profile;
pub mod protocol;
pub mod round;
pub mod run;
pub mod slice;
pub mod slice_length;
pub mod slices;
pub mod step;
pub mod telemetry;
pub mod verdict;
pub mod workload;
