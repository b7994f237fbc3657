//! suspended: the machine was suspended during the cell.

use crate::evidence::observation::Observation;
use crate::evidence::rule::Hit;
use bakeoff_stats::units;

pub const ID: &str = "suspended";

/// What is left of two clocks being read one after the other, in a cell that nobody suspended.
const SUSPEND_FLOOR_NS: u64 = 1_000_000;

pub fn in_cell(of: &Observation) -> Option<Hit> {
    let cell = of.measured?.cell;
    let ns = cell.truth.suspended_ns;
    (ns > SUSPEND_FLOOR_NS).then(|| {
        let evidence = format!("the machine was suspended for {}", units::duration(ns));
        Hit::new(evidence, "keep the machine awake while bakeoff measures")
    })
}

#[cfg(test)]
mod tests {
    use crate::evidence::cell::testing::found;

    #[test]
    fn suspended_for_a_second_and_not_for_the_gap_between_two_clocks() {
        assert_eq!(
            found("randread", 900.0, |_, c| c.truth.suspended_ns = 1_000_000_000),
            ["suspended"]
        );
        assert!(found("randread", 900.0, |_, c| c.truth.suspended_ns = 900_000).is_empty());
    }
}
