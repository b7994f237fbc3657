//! Whether to wait for the machine to cool before a visit.
//!
//! Whoever comes later in a block would be measured on a hotter machine. Random order keeps that
//! from favouring a candidate, and waiting keeps it out of the numbers. Only where stacks on a
//! drive are compared, for hours: places and images are a first look, whose minutes go into blocks.

use bakeoff_model::event::{Cooled, Header};
use bakeoff_model::setting::Setting;
use bakeoff_model::thresholds;

const SECOND_NS: u64 = 1_000_000_000;

pub fn waits(header: &Header) -> bool {
    matches!(Setting::of(header), Setting::Decide | Setting::Precise)
}

/// Whether to wait longer, given the temperature at which the block began, as it is now (both in
/// thousandths of a degree), and the time spent waiting before this visit.
pub fn is_too_hot(header: &Header, began_mc: u64, now_mc: u64, waited_ns: u64) -> bool {
    let within_mc = thresholds::COOL_WITHIN_C.saturating_mul(1000);
    waits(header)
        && now_mc > began_mc.saturating_add(within_mc)
        && waited_ns < thresholds::COOL_LIMIT_S.saturating_mul(SECOND_NS)
}

/// What a wait was, for the record; none where there was none.
pub fn cooled(from_mc: u64, to_mc: u64, waited_ns: u64) -> Option<Cooled> {
    (waited_ns > 0).then_some(Cooled { waited_ns, from_mc, to_mc })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;
    use bakeoff_model::protocol::Mode;

    fn on_a_drive() -> Header {
        let run = RunBuilder::stacks(&["ext4", "xfs"]).mode(Mode::Decide);
        run.header(|h| h.region.as_mut().expect("a region").is_image = false).build().header
    }

    #[test]
    fn three_degrees_and_a_minute_are_the_limits() {
        let header = on_a_drive();
        assert!(is_too_hot(&header, 50_000, 53_001, 0));
        assert!(!is_too_hot(&header, 50_000, 53_000, 0));
        assert!(is_too_hot(&header, 50_000, 70_000, 59 * SECOND_NS));
        assert!(!is_too_hot(&header, 50_000, 70_000, 60 * SECOND_NS));
    }

    #[test]
    fn a_first_look_does_not_wait() {
        let image = RunBuilder::stacks(&["ext4", "xfs"]).build().header;
        let places = RunBuilder::directories(&["/a", "/b"]).build().header;
        assert!(!is_too_hot(&image, 0, 90_000, 0) && !is_too_hot(&places, 0, 90_000, 0));
    }
}
