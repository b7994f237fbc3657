//! The control inside a run: one candidate measured twice (A/A), which has to come out the same.

use crate::decide::table::ScoreTable;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::TwinDifference;
use bakeoff_stats::paired::{Interval, Paired};

pub(super) const SETTLE: &str =
    "find the cause (heat, power, other programs: bakeoff watch), then measure again";

pub(super) struct Control<'r> {
    pub original: &'r str,
    pub paired: Paired,
    pub interval: Interval,
}

impl Control<'_> {
    /// `two measurements of a differ by …`.
    pub fn measured_twice(&self) -> String {
        measured_twice(self.original, self.paired.mean, self.interval)
    }
}

/// `two measurements of a differ by -4.8 % (95 % CI: -5.6 to -4.0 %)`, from logarithms.
pub fn measured_twice(original: &str, mean_ln: f64, interval: Interval) -> String {
    format!("two measurements of {original} differ by {}", in_words(mean_ln, interval))
}

/// `-4.8 % (95 % CI: -5.6 to -4.0 %)`.
fn in_words(mean_ln: f64, interval: Interval) -> String {
    let percent = |y: f64| libm::expm1(y) * 100.0;
    let [mean, low, high] = [mean_ln, interval.low, interval.high].map(percent);
    format!("{mean:.1} % (95 % CI: {low:.1} to {high:.1} %)")
}

pub fn twins(run: &Run, table: &ScoreTable, workload: WorkloadIx) -> Vec<TwinDifference> {
    let twins = controls(run, table, workload);
    let difference = |of: Control| TwinDifference {
        original: of.original.to_string(),
        mean_ln: of.paired.mean,
        low_ln: of.interval.low,
        high_ln: of.interval.high,
    };
    twins.map(difference).collect()
}

pub(super) fn controls<'r>(
    run: &'r Run,
    table: &'r ScoreTable,
    workload: WorkloadIx,
) -> impl Iterator<Item = Control<'r>> {
    let candidates = &run.header.candidates;
    CandidateIx::each(candidates).filter_map(move |(twin, candidate)| {
        let name = candidate.twin_of.as_ref()?;
        let original = CandidateIx::find(candidates, |c| c.name == *name)?;
        let paired = Paired::from_differences(&table.differences(workload, twin, original))?;
        let interval = paired.interval(run.header.protocol.alpha);
        let is_enough = paired.blocks >= run.header.protocol.first_look();
        is_enough.then_some(Control { original: name, paired, interval })
    })
}
