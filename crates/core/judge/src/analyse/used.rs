//! What use changes, by name.

use crate::decide::table::ScoreTable;
use crate::decide::used::{self, UsedPair};
use bakeoff_model::run::Run;
use bakeoff_model::use_state::UseChange;

/// The changes, workload by workload.
pub fn changes(run: &Run, table: &ScoreTable) -> Vec<UseChange> {
    let change = |pair: &UsedPair| {
        let [before, after] = [pair.before, pair.after].map(|c| &run.header.candidates[c]);
        UseChange {
            workload: run.header.workloads[pair.workload].name.clone(),
            candidate: after.name.clone(),
            state: after.state(),
            before: before.name.clone(),
            before_state: before.state(),
            ratio: libm::exp(pair.paired.mean),
            low: libm::exp(pair.interval.low),
            high: libm::exp(pair.interval.high),
            blocks: pair.paired.blocks,
        }
    };
    used::pairs(run, table).iter().map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::analyse;
    use crate::testing::{RunBuilder, used};
    use bakeoff_model::use_state::{Age, UseState};
    use bakeoff_model::verdict::Verdict;

    const USED: UseState = UseState { fill_percent: 80, age: Age::Used };

    /// ext4 and btrfs, fresh and used: ext4 loses 6 %, btrfs 41 %.
    fn run() -> Run {
        let rate = |block: u32, candidate: u16, _| {
            let noise = 1.0 + 0.004 * f64::from((block * 7 + u32::from(candidate) * 3) % 5);
            [1000.0, 1200.0, 940.0, 708.0][usize::from(candidate)] * noise
        };
        let names = ["ext4", "btrfs", "ext4 · 80% used", "btrfs · 80% used"];
        let run = RunBuilder::stacks(&names).header(|h| used(h, 2, USED));
        run.play(27, rate).build()
    }

    #[test]
    fn each_is_compared_with_itself_less_used() {
        let run = run();
        let changes = changes(&run, &ScoreTable::from_evidence(&run));
        assert_eq!(changes.len(), 2);
        for (change, (before, ratio)) in changes.iter().zip([("ext4", 0.94), ("btrfs", 0.59)]) {
            assert_eq!((change.before.as_str(), change.state), (before, USED));
            assert!(change.low < ratio && ratio < change.high, "{change:?}");
            assert!((change.ratio - ratio).abs() < 0.01, "{change:?}");
        }
    }

    #[test]
    fn those_that_are_used_are_ranked_and_the_fresh_ones_are_not() {
        let analysis = analyse(&run());
        let verdict = &analysis.verdicts[0];
        assert_eq!(verdict.verdict, Verdict::Fastest);
        assert_eq!(verdict.winner.as_deref(), Some("ext4 · 80% used"));
        let lead = verdict.lead.as_ref().unwrap();
        assert_eq!(lead.behind.len(), 1, "fresh ones are no rivals: {lead:?}");
        assert!((0.25..0.34).contains(&lead.behind[0].at_least), "{lead:?}");
        let chosen = analysis.recommendation.unwrap();
        assert_eq!((chosen.candidate.as_str(), chosen.ruled_out.len()), ("ext4 · 80% used", 0));
    }

    #[test]
    fn nothing_is_told_of_a_run_without_states_or_before_the_first_look() {
        let plain = RunBuilder::stacks(&["ext4", "btrfs"]).play(9, |_, c, _| 1.0 + f64::from(c));
        assert_eq!(analyse(&plain.build()).use_changes, []);
        let names = ["ext4", "ext4 · 80% used"];
        let early = RunBuilder::stacks(&names).header(|h| used(h, 1, USED)).play(2, |_, _, _| 1e3);
        assert_eq!(analyse(&early.build()).use_changes, []);
    }
}
