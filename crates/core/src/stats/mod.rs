//! One statistic a file, each with its reference; every logarithm and distribution through `libm`,
//! so that an analysis gives the same bytes on every architecture.

pub mod autocorrelation;
pub mod beta;
pub mod paired;
pub mod sample;
pub mod student_t;
