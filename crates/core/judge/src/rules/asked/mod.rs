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

use crate::evidence::cell::lazyinit;
use crate::evidence::observation::Observing;
use crate::evidence::rule::{Checks, Hit};
use bakeoff_model::design::Design;

pub static OF_WORKLOADS: Checks<Observing> = &[
    (&sync_not_timed::RULE, sync_not_timed::hit),
    (&dull_data::RULE, dull_data::hit),
    (&fake_random::RULE, fake_random::hit),
    (&qd_engine::RULE, qd_engine::in_plan),
    (&qd_engine::RULE, qd_engine::in_result),
    (&composite_score::RULE, composite_score::in_result),
];

pub static CHECKS: Checks<fn(Design<'_>) -> Vec<Hit>> = &[
    (&workload_mismatch::RULE, |of| Vec::from_iter(workload_mismatch::in_plan(of))),
    (&peeking::RULE, |of| Vec::from_iter(peeking::in_plan(of))),
    (&multiplicity::RULE, |of| Vec::from_iter(multiplicity::in_plan(of))),
    (&inert_factor::RULE, |of| Vec::from_iter(inert_factor::in_plan(of))),
    (&discard_asymmetry::RULE, |of| Vec::from_iter(discard_asymmetry::in_plan(of))),
    (&lazyinit::RULE, |of| Vec::from_iter(lazyinit::in_plan(of))),
];
