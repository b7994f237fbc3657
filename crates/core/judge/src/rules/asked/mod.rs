//! Rules about what is asked for: workloads, options of stacks, and looks.
//!
//! Sources: mke2fs(8) on lazy initialisation and discard; mkfs.btrfs(8); mount(8) on `discard`.

pub mod plans;
pub mod workloads;

use crate::evidence::cell::machine;
use crate::evidence::observation::Observing;
use crate::evidence::rule::{Checks, Hit};
use bakeoff_model::design::Design;

pub static OF_WORKLOADS: Checks<Observing> = &[
    ("L13", workloads::sync_not_timed),
    ("L20", workloads::dull_data),
    ("L21", workloads::fake_random),
    ("L30", workloads::queue_of_a_plan),
    ("L30", workloads::queue_of_fio),
    ("L46", workloads::composite_score),
];

pub static CHECKS: Checks<fn(Design<'_>) -> Vec<Hit>> = &[
    ("L29", |of| Vec::from_iter(plans::workload_mismatch(of))),
    ("L38", |of| Vec::from_iter(plans::peeking(of))),
    ("L39", |of| Vec::from_iter(plans::multiplicity(of))),
    ("L66", |of| Vec::from_iter(plans::inert_factor(of))),
    ("L68", |of| Vec::from_iter(plans::discard_asymmetry(of))),
    (machine::LAZYINIT, |of| Vec::from_iter(machine::lazyinit_left(of))),
];
