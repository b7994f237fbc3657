//! One statistic a file, each with its reference; every logarithm and distribution through `libm`,
//! so that an analysis gives the same bytes on every architecture. Values are checked against
//! SciPy, R, statsmodels and ruptures; fixtures/stats has the answers with their versions.

#![forbid(unsafe_code)]
// The impure calls that clippy.toml lists; tests beside the code may do as they like.
#![cfg_attr(
    not(test),
    forbid(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros)
)]

pub mod autocorrelation;
pub mod beta;
pub mod bisection;
pub mod carry_over;
pub mod change_point;
pub mod clustered;
pub mod crossing;
pub mod distinct;
pub mod histogram;
pub mod level;
pub mod paired;
pub mod phrases;
pub mod prng;
pub mod sample;
pub mod spearman;
pub mod steady_state;
pub mod student_t;
pub mod tables;
pub mod trimmed;
pub mod units;

#[cfg(test)]
pub(crate) mod testing;
