//! L05 state-carryover: the state of the flash before each candidate is unknown.

use super::flash_region;
use crate::evidence::rule::{CLAIMS, E, Hit, Rule, W, When};
use bakeoff_model::design::Design;

pub static RULE: Rule = Rule {
    id: "L05",
    slug: "state-carryover",
    when: &[When::Plan],
    severity: [W, W, E, E],
    scope: CLAIMS,
    condition: "the state of the flash before each candidate is unknown",
    explain: "The state in which one candidate leaves the flash (full erase blocks, a full cache, \
        fragments) slows down the next one. In one study the encrypted candidate of a stick wrote \
        25 % slower with ext4 and 5 % with btrfs, which encryption does not explain. Set \
        flash_state in a plan, so that each visit starts from that state.",
};

pub fn in_plan(design: Design<'_>) -> Option<Hit> {
    let is_unknown = flash_region(design).is_some() && design.plan.is_none();
    is_unknown.then(|| {
        let evidence = "no plan sets the state of the flash before each visit".to_string();
        let advice = "measure with a plan that has flash_state = \"overwritten\": bakeoff run";
        Hit::new(evidence, advice)
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{TRIMMED, fires, on_device, stacks};

    #[test]
    fn l05_a_state_of_the_flash_that_nobody_set_and_one_of_a_plan() {
        let overwritten = TRIMMED.replace("trimmed", "overwritten");
        assert!(!fires("L05", &on_device(Some(&overwritten))));
        assert!(fires("L05", &on_device(None)), "nothing says what state it was in");
        assert!(!fires("L05", &stacks().build()), "an image is filled by us");
    }
}
