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
];

pub static CHECKS: Checks<fn(Design<'_>) -> Vec<Hit>> = &[
    ("L68", |of| Vec::from_iter(plans::discard_asymmetry(of))),
    (machine::LAZYINIT, |of| Vec::from_iter(machine::lazyinit_left(of))),
];
