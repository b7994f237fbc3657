//! Rules over the candidates of a plan.

use crate::evidence::rule::Hit;
use bakeoff_model::candidate::{Stack, has_option};
use bakeoff_model::design::Design;
use bakeoff_stats::phrases;

pub fn discard_asymmetry(design: Design<'_>) -> Option<Hit> {
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
