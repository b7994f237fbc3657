//! control-missed: the positive control was not detected, or not at its true size.

use super::ComparedRun;
use crate::decide::compare::Comparison;
use crate::evidence::rule::Hit;
use crate::rules::control::{Control, slowed};

pub fn in_run(of: &ComparedRun, compared: &Comparison) -> Vec<Hit> {
    let missed = slowed(of.run, of.table, compared.workload).filter(|of| !of.is_at_its_size());
    missed.map(|of| missing(&of)).collect()
}

fn missing(of: &Control) -> Hit {
    let (why, advice) = if of.interval.excludes_zero() {
        let advice = "measure longer cells (cell_min) on an otherwise idle machine, then run again";
        ("the run misjudges the size of effects", advice)
    } else {
        let advice = "measure again with longer cells (cell_min in the plan) on a quiet machine";
        ("the run cannot detect effects of that size", advice)
    };
    Hit::new(format!("{}: {why}", of.measured_slowed()), advice)
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::control::told;

    #[test]
    fn one_that_is_lost_in_noise_or_comes_out_at_another_size_is_missed() {
        let lost = told(0.05, 0.2, None);
        assert_eq!(lost[0].0, "control-missed");
        assert!(lost[0].1.ends_with("cannot detect effects of that size"), "{}", lost[0].1);
        let other = told(0.15, 0.01, None);
        assert_eq!(other[0].0, "control-missed");
        assert!(other[0].1.ends_with("misjudges the size of effects"), "{}", other[0].1);
    }
}
