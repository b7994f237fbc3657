//! The controls inside a run: one candidate measured twice (A/A), which has to come out the same,
//! and one slowed down on purpose (positive control), which has to be found.

use crate::decide::table::ScoreTable;
use bakeoff_model::candidate::Candidate;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::pooled::PooledControl;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::TwinDifference;
use bakeoff_stats::paired::{Interval, Paired};

pub(super) const SETTLE: &str =
    "find the cause (heat, power, other programs: bakeoff check), then measure again";

pub(super) struct Control<'r> {
    pub candidate: &'r Candidate,
    pub original: &'r str,
    pub paired: Paired,
    pub interval: Interval,
}

impl Control<'_> {
    /// `two measurements of a differ by …`.
    pub fn measured_twice(&self) -> String {
        measured_twice(self.original, self.paired.mean, self.interval)
    }

    pub fn measured_slowed(&self) -> String {
        format!(
            "{}, slowed down by {} % on purpose, measured {} in {} blocks",
            self.original,
            f64::from(self.candidate.slowed_ppm) / 1e4,
            in_words(self.paired.mean, self.interval),
            self.paired.blocks
        )
    }

    pub fn is_at_its_size(&self) -> bool {
        let truth = libm::log1p(-f64::from(self.candidate.slowed_ppm) / 1e6);
        let Interval { low, high } = self.interval;
        self.interval.excludes_zero() && low <= truth && truth <= high
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
    let twins = controls(run, table, workload).filter(|c| c.candidate.slowed_ppm == 0);
    let difference = |of: Control| TwinDifference {
        original: of.original.to_string(),
        mean_ln: of.paired.mean,
        low_ln: of.interval.low,
        high_ln: of.interval.high,
    };
    twins.map(difference).collect()
}

pub(super) fn pooled(run: &Run, workload: WorkloadIx) -> Option<(u32, &PooledControl)> {
    let all = run.pooled.as_ref()?;
    let name = &run.header.workloads[workload].name;
    let of = all.workloads.iter().find(|of| of.workload == *name)?;
    Some((all.runs.len() as u32, of))
}

pub(super) fn slowed<'r>(
    run: &'r Run,
    table: &'r ScoreTable,
    workload: WorkloadIx,
) -> impl Iterator<Item = Control<'r>> {
    let can_be = run.header.workloads[workload].can_be_slowed();
    controls(run, table, workload).filter(move |of| can_be && of.candidate.slowed_ppm > 0)
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
        is_enough.then_some(Control { candidate, original: name, paired, interval })
    })
}

#[cfg(test)]
mod tests {
    use crate::analyse::analyse;
    use crate::rules::tests::control::with_control;
    use bakeoff_model::verdict::Verdict;

    #[test]
    fn a_control_is_no_candidate() {
        let verdict = &analyse(&with_control(0.05, 0.01, None).build()).verdicts[0];
        assert_eq!((verdict.verdict, verdict.winner.as_deref()), (Verdict::Fastest, Some("b")));
    }
}
