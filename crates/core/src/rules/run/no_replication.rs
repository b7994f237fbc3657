//! L32 no-replication: there are fewer complete blocks than the mode needs for its first check:
//! three, or five in precise.

use std::collections::BTreeMap;

use crate::decide::schedule;
use crate::evidence::rule::{Check, R, RUN, Rule, When};
use crate::evidence::{finding, of_study};
use crate::model::finding::Finding;
use crate::model::run::Run;
use crate::study::Study;

pub static RULE: Rule = Rule {
    id: "L32",
    slug: "no-replication",
    when: &[When::Analysis, When::Import],
    severity: [R, R, R, R],
    scope: RUN,
    condition: "there are fewer complete blocks than the mode needs for its first check: three, or \
        five in precise",
    explain: "One measurement has no error bar: whether a second one would agree is unknown. All \
        five published studies measured each figure once, 432 of them in one study. bakeoff gives \
        no verdict before the first check of a mode, after three blocks (five in precise). Each \
        block prepares and measures every candidate again.",
    checks: &[Check::Run(in_run), Check::Study(in_study)],
};

/// Fewest repeats that carry a claim.
const REPEATS: usize = 5;

fn in_run(run: &Run) -> Vec<Finding> {
    let complete = schedule::complete(run);
    let first = run.header.protocol.first_look();
    let few = schedule::has_question(run) && complete < first;
    few.then(|| {
        let evidence = format!("{complete} of {first} blocks are complete");
        finding(&run.header, &RULE, evidence, next(run))
    })
    .into_iter()
    .collect()
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

fn in_study(study: &Study) -> Option<Finding> {
    let mut counts: BTreeMap<(&str, &str, String, &str, &str, u64), usize> = BTreeMap::new();
    for c in &study.cells {
        *counts.entry((c.host, c.device, c.candidate(), c.tool, c.test, c.block)).or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    let times = if most == 1 { "once".to_string() } else { format!("at most {most} times") };
    let evidence = format!("{} figures, each measured {times}", counts.len());
    let advice = "Repeat everything at least five times, in a different order each time.";
    (most < REPEATS).then(|| of_study(&RULE, evidence, advice))
}

#[cfg(test)]
mod tests {
    use crate::analyse::analyse;
    use crate::model::verdict::Verdict;
    use crate::rules::run::tests::{ids, steady};
    use crate::testing::Version01;

    #[test]
    fn l32_four_blocks_and_five() {
        let four = Version01::stacks(&["a", "b"]).play(4, steady).build();
        let found = analyse(&four);
        assert_eq!(ids(&four), ["L32"]);
        assert_eq!(found.findings[0].evidence, "4 of 5 blocks are complete");
        // Too few blocks are no refusal: more of them will tell.
        assert_eq!(found.verdicts[0].verdict, Verdict::NotResolved);
        assert!(ids(&Version01::stacks(&["a", "b"]).play(5, steady).build()).is_empty());
    }
}
