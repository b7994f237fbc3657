//! L06 fresh-flash: a flash region is trimmed before each visit, so it is measured as if it were
//! new.

use super::flash_region;
use crate::evidence::rule::Hit;
use crate::plan;
use bakeoff_model::design::Design;
use bakeoff_model::event::FlashState;
use bakeoff_stats::units;

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
