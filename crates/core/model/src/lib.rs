//! The nouns of bakeoff: values that are planned, recorded, analysed and shown.

#![forbid(unsafe_code)]
// The impure calls that clippy.toml lists; tests beside the code may do as they like.
#![cfg_attr(
    not(test),
    forbid(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)
)]

pub mod application;
pub mod beside;
pub mod block_sizes;
pub mod boards;
pub mod bottleneck;
pub mod calibration;
pub mod candidate;
pub mod cause;
pub mod ceiling;
pub mod companions;
pub mod design;
pub mod difference;
pub mod driver;
pub mod event;
pub mod extent;
pub mod factors;
pub mod finding;
pub mod fit;
pub mod health;
pub mod host;
pub mod index;
pub mod inode;
pub mod job;
pub mod json;
pub mod lead;
pub mod link;
pub mod log_problem;
pub mod looks;
pub mod mark;
pub mod measurement;
pub mod normal;
pub mod offsets;
pub mod op_totals;
pub mod others;
pub mod path;
pub mod profile;
pub mod profiles;
pub mod protocol;
pub mod rates;
pub mod recommendation;
pub mod round;
pub mod run;
pub mod rw;
pub mod secrets;
pub mod setting;
pub mod slice;
pub mod slice_length;
pub mod slices;
pub mod stands;
pub mod step;
pub mod sweep;
pub mod telemetry;
pub mod thresholds;
pub mod throttled;
pub mod undo;
pub mod use_state;
pub mod uses;
pub mod verb;
pub mod verdict;
pub mod wear;
pub mod workload;
pub mod workloads;

/// Whether a value is the one that it has unless told otherwise: records leave it out.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn one<T: From<u8>>() -> T {
    1.into()
}

/// The same of a number that is 1 unless told otherwise.
fn is_one<T: From<u8> + PartialEq>(number: &T) -> bool {
    *number == one()
}
