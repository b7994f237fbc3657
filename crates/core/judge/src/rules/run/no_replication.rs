//! L32 no-replication: there are fewer complete blocks than the mode needs for its first check:
//! three, or five in precise.

use crate::decide::schedule;
use crate::evidence::rule::Hit;
use bakeoff_model::run::Run;

pub const ID: &str = "L32";

pub fn in_run(run: &Run) -> Option<Hit> {
    let complete = schedule::complete(run);
    let first = run.header.protocol.first_look();
    let few = schedule::has_question(run) && complete < first;
    few.then(|| {
        let evidence = format!("{complete} of {first} blocks are complete");
        Hit::new(evidence, next(run))
    })
}

/// What gives it more blocks: a run that is over cannot continue, and one under way needs nobody.
fn next(run: &Run) -> String {
    let id: String = run.header.short_id();
    match &run.stopped {
        None => "wait for the next blocks".to_string(),
        Some((reason, _)) if reason.is_resumable() => {
            format!("continue with: bakeoff resume {id} --time 10m")
        }
        Some(_) => "measure again with a longer --time".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use crate::analyse::analyse;
    use crate::rules::run::tests::{ids, steady};
    use crate::testing::RunBuilder;
    use bakeoff_model::verdict::Verdict;

    #[test]
    fn l32_two_blocks_and_three() {
        let two = RunBuilder::stacks(&["a", "b"]).play(2, steady).build();
        let found = analyse(&two);
        assert_eq!(ids(&two), ["L32"]);
        assert_eq!(found.findings[0].evidence, "2 of 3 blocks are complete");
        assert_eq!(found.verdicts[0].verdict, Verdict::Refused);
        assert!(ids(&RunBuilder::stacks(&["a", "b"]).play(3, steady).build()).is_empty());
    }
}
