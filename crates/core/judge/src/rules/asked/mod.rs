//! Rules about what is asked for: workloads, options of stacks, and looks.
//!
//! Sources: mke2fs(8) on lazy initialisation and discard; mkfs.btrfs(8); mount(8) on `discard`.

pub mod workloads;

use crate::evidence::cell::machine;
use crate::evidence::observation::Observing;
use crate::evidence::rule::{Checks, Hit};
use bakeoff_model::candidate::{Stack, has_option};
use bakeoff_model::design::Design;
use bakeoff_stats::phrases;

pub static OF_WORKLOADS: Checks<Observing> = &[
    ("L13", workloads::sync_not_timed),
    ("L20", workloads::dull_data),
    ("L21", workloads::fake_random),
    ("L22", workloads::tiny_block),
    ("L30", workloads::queue_of_a_plan),
];

pub static CHECKS: Checks<fn(Design<'_>) -> Vec<Hit>> = &[
    ("L68", |of| Vec::from_iter(discard_asymmetry(of))),
    (machine::LAZYINIT, |of| Vec::from_iter(machine::lazyinit_left(of))),
];

fn discard_asymmetry(design: Design<'_>) -> Option<Hit> {
    let stacks: Vec<(&str, &Stack)> = design.stacks().collect();
    let trims = |s: &Stack| has_option(&s.mount, "discard") || has_option(&s.mkfs, "discard");
    let names: Vec<String> =
        stacks.iter().filter(|(_, s)| trims(s)).map(|(n, _)| n.to_string()).collect();
    (!names.is_empty() && names.len() < stacks.len()).then(|| {
        let evidence = format!("{} trims, the others do not", phrases::list(&names));
        let advice = "remove discard from the mkfs and mount options, or set it for all candidates";
        Hit::new(evidence, advice)
    })
}
