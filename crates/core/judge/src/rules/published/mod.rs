//! Rules about results of others, which come without a record, and about several runs.

pub mod cpu_seek;
pub mod kernel_mismatch;
pub mod no_latency;
pub mod patched_tool;
pub mod per_char;
pub mod runs_differ;
pub mod tool_version;

use crate::evidence::observation::Observing;
use crate::evidence::rule::Checks;

pub static CHECKS: Checks<Observing> = &[
    ("L23", per_char::in_result),
    ("L24", cpu_seek::in_result),
    ("L28", patched_tool::in_result),
    ("no-latency", no_latency::in_result),
];
