//! L39 multiplicity: the run compares more candidates than its error rate allows for.

use crate::evidence::rule::Hit;
use bakeoff_model::design::Design;

pub fn in_plan(design: Design<'_>) -> Option<Hit> {
    let compared = design.candidates.iter().filter(|c| c.twin_of.is_none()).count();
    let paid = design.protocol.k as usize;
    (compared > paid && compared > 1).then(|| {
        let evidence = format!(
            "{compared} candidates are compared, but the error rate was corrected for only {paid}"
        );
        Hit::new(evidence, "start a new run with all candidates: bakeoff run")
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::tests::before::{fires, with};
    use bakeoff_model::candidate::{Candidate, Kind, Stack};

    #[test]
    fn l39_a_candidate_that_is_not_paid_for_and_a_twin() {
        let third =
            || Candidate::new("f2fs", Kind::Stack(Stack::plain("f2fs", vec![], vec![], false)));
        assert!(fires("L39", &with(|h| h.candidates.push(third()))));
        let twin =
            with(|h| h.candidates.push(Candidate { twin_of: Some("ext4".into()), ..third() }));
        assert!(!fires("L39", &twin), "a twin is no comparison");
    }
}
