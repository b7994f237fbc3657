//! One statistic a file, each with its reference; every logarithm and distribution through `libm`,
//! so that an analysis gives the same bytes on every architecture. Values are checked against
//! SciPy, R, statsmodels and ruptures; fixtures/stats has the answers with their versions.

pub mod autocorrelation;
pub mod beta;
pub mod bisection;
pub mod carry_over;
pub mod change_point;
pub mod chi_squared;
pub mod histogram;
pub mod hodges_lehmann;
pub mod paired;
pub mod random_effects;
pub mod sample;
pub mod spearman;
pub mod steady_state;
pub mod student_t;
pub mod trimmed;
pub mod two_groups;
pub mod wilcoxon;

#[cfg(test)]
pub(crate) mod oracle;
