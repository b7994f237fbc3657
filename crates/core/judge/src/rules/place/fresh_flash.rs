//! L06 fresh-flash: a flash region is trimmed before each visit, so it is measured as if it were
//! new.

use super::flash_region;
use crate::evidence::rule::{CLAIMS, E, Hit, Rule, W, When};
use crate::plan;
use bakeoff_model::design::Design;
use bakeoff_model::event::FlashState;
use bakeoff_stats::units;

pub static RULE: Rule = Rule {
    id: "L06",
    slug: "fresh-flash",
    when: &[When::Plan],
    severity: [W, W, W, E],
    scope: CLAIMS,
    condition: "a flash region is trimmed before each visit, so it is measured as if it were new",
    explain: "Erased flash accepts writes without moving old data. It is fast only until every \
        block has been written once. In one study the stick had never been written to before. \
        SNIA's tests therefore precondition a device until five rounds are steady. flash_state = \
        \"overwritten\" measures the usual state of a drive in use.",
};

pub fn in_plan(design: Design<'_>) -> Option<Hit> {
    let region = flash_region(design)?;
    let asked = plan::parse(design.plan?, "plan").ok()?.protocol.flash_state;
    (asked == FlashState::Trimmed).then(|| {
        let size = units::size(region.size_bytes);
        let evidence = format!("the whole region of {size} is trimmed before each visit");
        let advice = "set flash_state = \"overwritten\" to measure the drive as it will be in use";
        Hit::new(evidence, advice)
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{TRIMMED, fires, on_device};

    #[test]
    fn l06_flash_that_is_trimmed_and_flash_that_is_overwritten() {
        assert!(fires("L06", &on_device(Some(TRIMMED))));
        let overwritten = TRIMMED.replace("trimmed", "overwritten");
        assert!(!fires("L06", &on_device(Some(&overwritten))));
    }
}
