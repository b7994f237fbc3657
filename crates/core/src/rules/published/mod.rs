//! Rules about results of others, which come without a record, and about several runs.

pub mod cpu_seek;
pub mod hidden_setup;
pub mod kernel_mismatch;
pub mod no_dispersion;
pub mod no_latency;
pub mod no_raw_data;
pub mod patched_tool;
pub mod per_char;
pub mod runs_differ;
pub mod slot_reuse;
pub mod tool_version;
pub mod units;
pub mod unmeasured_claim;

use crate::evidence::rule::Rule;

pub static RULES: [&Rule; 13] = [
    &slot_reuse::RULE,
    &per_char::RULE,
    &cpu_seek::RULE,
    &units::RULE,
    &patched_tool::RULE,
    &tool_version::RULE,
    &no_dispersion::RULE,
    &unmeasured_claim::RULE,
    &kernel_mismatch::RULE,
    &no_raw_data::RULE,
    &hidden_setup::RULE,
    &no_latency::RULE,
    &runs_differ::RULE,
];
