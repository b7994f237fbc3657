//! Rules about results of others, which come without a record, and about several runs.

pub mod cpu_seek;
pub mod kernel_mismatch;
pub mod no_latency;
pub mod patched_tool;
pub mod per_char;
pub mod runs_differ;
pub mod tool_version;

use crate::evidence::rule::Rule;

pub static RULES: [&Rule; 7] = [
    &per_char::RULE,
    &cpu_seek::RULE,
    &patched_tool::RULE,
    &tool_version::RULE,
    &kernel_mismatch::RULE,
    &no_latency::RULE,
    &runs_differ::RULE,
];
