//! From a plan to an answer: what is measured next, the rules and the verdicts.

#![forbid(unsafe_code)]
// The impure calls that clippy.toml lists; tests beside the code may do as they like.
#![cfg_attr(
    not(test),
    forbid(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)
)]

pub mod analyse;
pub mod applications;
pub mod cold_reads;
pub mod compare;
pub mod decide;
pub mod diagnose;
pub mod evidence;
pub mod factors;
pub mod fit;
pub mod fit_changes;
pub mod gate;
pub mod history;
pub mod import;
pub mod levels;
pub mod plan;
pub mod ratings;
pub mod rules;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
