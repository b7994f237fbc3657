//! Rules about what is asked for: workloads, options of stacks, and looks.
//!
//! Sources: mke2fs(8) on lazy initialisation and discard; mkfs.btrfs(8); mount(8) on `discard`.

pub mod composite_score;
pub mod discard_asymmetry;
pub mod dull_data;
pub mod fake_random;
pub mod inert_factor;
pub mod multiplicity;
pub mod peeking;
pub mod qd_engine;
pub mod sync_not_timed;
pub mod workload_mismatch;

use crate::evidence::rule::Rule;

pub static RULES: [&Rule; 10] = [
    &sync_not_timed::RULE,
    &dull_data::RULE,
    &fake_random::RULE,
    &workload_mismatch::RULE,
    &qd_engine::RULE,
    &peeking::RULE,
    &multiplicity::RULE,
    &composite_score::RULE,
    &inert_factor::RULE,
    &discard_asymmetry::RULE,
];
