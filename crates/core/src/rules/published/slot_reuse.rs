//! L04 slot-reuse: there are more candidates than regions.

use std::collections::BTreeSet;

use crate::evidence::of_study;
use crate::evidence::rule::{Check, E, RUN, Rule, When};
use crate::model::finding::Finding;
use crate::study::Study;

pub static RULE: Rule = Rule {
    id: "L04",
    slug: "slot-reuse",
    when: &[When::Import],
    severity: [E, E, E, E],
    scope: RUN,
    condition: "there are more candidates than regions",
    explain: "In one study four filesystems shared three partitions: one was formatted twice, and \
        the study does not say which. The state and region of at least one candidate are unknown. \
        A comparison needs one region for all, in the same state before each.",
    checks: &[Check::Study(in_study)],
};

fn in_study(study: &Study) -> Option<Finding> {
    let slots = study.facts.number("slots")?;
    let measured: BTreeSet<String> = study.cells.iter().map(|cell| cell.candidate()).collect();
    let evidence = format!("{} candidates on {slots} partitions", measured.len());
    let advice = "State the partition of each candidate: at least one partition was used twice.";
    (measured.len() as f64 > slots).then(|| of_study(&RULE, evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::imported::{TWO, fires};

    #[test]
    fn l04_two_candidates_on_one_partition_and_on_two() {
        assert!(fires("L04", &TWO, "slots=1") && !fires("L04", &TWO, "slots=2"));
        assert!(!fires("L04", &TWO, ""), "how many there were is not said");
    }
}
