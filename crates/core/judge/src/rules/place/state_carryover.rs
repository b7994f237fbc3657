//! L05 state-carryover: the state of the flash before each candidate is unknown.

use super::flash_region;
use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;

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
