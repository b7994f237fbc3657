//! Rules about results of others, which come without a record, and about several runs.

pub mod results;
pub mod runs;

use crate::evidence::observation::Observing;
use crate::evidence::rule::Checks;

pub static CHECKS: Checks<Observing> = &[
    ("L23", results::per_char),
    ("L24", results::cpu_seek),
    ("L28", results::patched_tool),
    ("no-latency", results::no_latency),
];
