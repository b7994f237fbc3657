//! L63 kernel-mismatch: the compared results use different kernels or tools.

use crate::evidence::rule::Hit;
use bakeoff_model::difference::Difference;
use bakeoff_model::event::Header;
use bakeoff_model::finding::Finding;

pub const ID: &str = "L63";

/// Runs that differ in their kernel, which was not named as what may differ.
pub fn over_runs(header: &Header, kernel: &Difference) -> Finding {
    let advice = "measure on one kernel, or compare kernels with --across kernel";
    Hit::new(kernel.to_string(), advice).finding(header, ID)
}
