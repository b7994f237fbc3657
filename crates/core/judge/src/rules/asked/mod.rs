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
    ("L13", sync_not_timed::hit),
    ("L20", dull_data::hit),
    ("L21", fake_random::hit),
    ("L30", qd_engine::in_plan),
    ("L30", qd_engine::in_result),
    ("L46", composite_score::in_result),
];

pub static CHECKS: Checks<fn(Design<'_>) -> Vec<Hit>> = &[
    ("L29", |of| Vec::from_iter(workload_mismatch::in_plan(of))),
    ("L38", |of| Vec::from_iter(peeking::in_plan(of))),
    ("L39", |of| Vec::from_iter(multiplicity::in_plan(of))),
    ("L66", |of| Vec::from_iter(inert_factor::in_plan(of))),
    ("L68", |of| Vec::from_iter(discard_asymmetry::in_plan(of))),
    (lazyinit::ID, |of| Vec::from_iter(lazyinit::in_plan(of))),
];
