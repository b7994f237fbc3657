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

use crate::evidence::observation::Observation;
use crate::evidence::of_result;
use crate::evidence::rule::{Hit, Rule};
use crate::model::finding::Finding;
use crate::model::thresholds::Thresholds;
use crate::study::Study;

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

/// What a check finds in the commands that a page states and its table does not have.
fn of_commands(
    rule: &Rule,
    check: fn(&Observation) -> Option<Hit>,
    study: &Study,
) -> Option<Finding> {
    let limits = Thresholds::default();
    let commanded = study.commanded();
    let hit = commanded.iter().find_map(|of| check(&Observation::of_result(&limits, of)))?;
    Some(of_result(rule, hit.evidence, hit.advice))
}
