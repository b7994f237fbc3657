//! L68 discard-asymmetry: some candidates trim the region and others do not.

use crate::evidence::rule::Hit;
use bakeoff_model::candidate::Stack;
use bakeoff_model::candidate::has_option;
use bakeoff_model::design::Design;
use bakeoff_stats::phrases;

pub fn in_plan(design: Design<'_>) -> Option<Hit> {
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

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{fires, stack, with};

    #[test]
    fn l68_one_that_trims_and_both() {
        let trims = |both: bool| {
            with(|h| {
                stack(h, 0).mount = vec!["noatime,discard".into()];
                if both {
                    stack(h, 1).mount = vec!["discard".into()];
                }
            })
        };
        assert!(fires("L68", &trims(false)) && !fires("L68", &trims(true)));
    }
}
