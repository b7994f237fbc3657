//! A run against earlier ones: is it slower by more than a limit, for certain?
//!
//! "Slower" is a claim of any of the rates: each is judged at an error rate divided by their number
//! (Bonferroni). "Not slower" is a claim of all of them, wrong only where the one that is slower is
//! missed, and each is judged at the undivided error rate (Berger, "Multiparameter hypothesis
//! testing and acceptance sampling", Technometrics 24, 1982). How often each is wrong is in
//! docs/truth.md. Both use half of the 5 %: intervals are two-sided.
//!
//! With one earlier run, what a session adds to all blocks of it is not known and counts as a
//! change. With several it is estimated ([`bakeoff_stats::level`]).

use serde::Serialize;

use crate::levels::{self, RunLevels, WorkloadLevels};
use bakeoff_model::difference::{Difference, Factor};
use bakeoff_model::workload::Metric;
use bakeoff_stats::level::{Apart, Level};

const ALPHA: f64 = 0.05;
/// More time than this many times the present is no advice.
const MOST_TIMES: f64 = 50.0;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gate {
    /// How much slower is too slow, a fraction: 0.1 is a rate below 90 % of that before.
    pub limit: f64,
    pub verdict: GateVerdict,
    pub rows: Vec<GateRow>,
    /// What keeps the runs from being compared.
    pub unlike: Vec<Difference>,
    /// How many times as long both runs have to be; `None` where that would not help.
    pub times: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GateVerdict {
    NotSlower,
    Slower,
    Unknown,
}

/// One rate of the new run against the earlier ones.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateRow {
    pub workload: String,
    pub candidate: String,
    pub metric: Metric,
    /// Mean of the earlier runs, and the new run, in the unit of the metric; `None` = no figure.
    pub base: Option<f64>,
    pub new: Option<f64>,
    /// Rate of the new run in units of that of the earlier ones: estimate, and its 95 % interval.
    pub change: Option<[f64; 3]>,
    pub state: GateState,
    /// Of the new run.
    pub blocks: u32,
    /// Whether the earlier runs differ from each other more than their blocks explain.
    pub is_between: bool,
    #[serde(skip)]
    times: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GateState {
    NotSlower,
    Slower,
    Unknown,
    /// One of the runs has no figure.
    Missing,
    /// A finding of one of the runs forbids claims about the workload.
    Forbidden,
}

/// Judges `new` by `earlier`, of which there is one at least. `unlike` is what they may not differ
/// in and do.
pub fn judge(earlier: &[&RunLevels], new: &RunLevels, limit: f64, unlike: Vec<Difference>) -> Gate {
    let rows = rows(earlier, new, limit);
    let states = || rows.iter().map(|row| row.state);
    let verdict = match () {
        () if !unlike.is_empty() || rows.is_empty() => GateVerdict::Unknown,
        () if states().any(|state| state == GateState::Slower) => GateVerdict::Slower,
        () if states().all(|state| state == GateState::NotSlower) => GateVerdict::NotSlower,
        () => GateVerdict::Unknown,
    };
    let open = || rows.iter().filter(|row| row.state == GateState::Unknown);
    // All that are open have to be settled.
    let times: Option<Vec<f64>> = open().map(|row| row.times).collect();
    let times = times.filter(|_| verdict == GateVerdict::Unknown && unlike.is_empty());
    let times = times.and_then(|all| all.into_iter().reduce(f64::max));
    Gate { limit, verdict, rows, unlike, times }
}

/// What keeps the runs from being compared, as far as their levels say.
pub fn unlike(runs: &[&RunLevels], across: Option<Factor>) -> Vec<Difference> {
    let mut all = levels::differences(runs);
    all.retain(|difference| !across.is_some_and(|of| of.admits(difference.factor)));
    all
}

/// Each rate of the first of the earlier runs: a candidate that it never measured is no question.
pub fn rows(earlier: &[&RunLevels], new: &RunLevels, limit: f64) -> Vec<GateRow> {
    let Some(first) = earlier.first() else { return Vec::new() };
    let asked = first.workloads.iter().flat_map(|workload| {
        let candidates = first.candidates.iter().map(|c| c.name.as_str());
        candidates.map(move |candidate| (workload, candidate))
    });
    let asked: Vec<_> = asked.filter(|(w, c)| first.level(&w.name, c).is_some()).collect();
    let questions = asked.len() as f64;
    let row = |(workload, candidate): &(&WorkloadLevels, &str)| {
        let level = |run: &RunLevels| run.level(&workload.name, candidate);
        let before: Option<Vec<Level>> = earlier.iter().map(|run| level(run)).collect();
        let all = earlier.iter().copied().chain([new]);
        let mut own = all.filter_map(|run| run.workload(&workload.name));
        let mut row = GateRow {
            workload: workload.name.clone(),
            candidate: (*candidate).to_string(),
            metric: workload.metric,
            base: None,
            new: level(new).map(|level| workload.metric.from_score(level.mean)),
            change: None,
            state: GateState::Missing,
            blocks: level(new).map_or(0, |level| level.blocks),
            is_between: false,
            times: None,
        };
        let apart = before.zip(level(new)).and_then(|(before, after)| Apart::new(&before, after));
        if let (Some(apart), Some(after)) = (apart, level(new)) {
            row.base = Some(workload.metric.from_score(after.mean - apart.mean));
            row.judge(&apart, limit, questions);
            if own.any(|workload| workload.is_forbidden) {
                row.state = GateState::Forbidden;
            }
        }
        row
    };
    asked.iter().map(row).collect()
}

impl GateRow {
    fn judge(&mut self, apart: &Apart, limit: f64, questions: f64) {
        let bound = libm::log1p(-limit);
        let (one, all) = (apart.interval(ALPHA), apart.interval(ALPHA / questions));
        self.change = Some([apart.mean, one.low, one.high].map(libm::exp));
        self.is_between = apart.is_between(ALPHA);
        self.state = match () {
            () if all.high < bound => GateState::Slower,
            () if one.low > bound => GateState::NotSlower,
            () => GateState::Unknown,
        };
        // An interval shrinks with the root of the blocks; towards the side where the estimate is.
        let interval = if apart.mean < bound { all } else { one };
        let half = (interval.high - interval.low) / 2.0;
        let ratio = half / (apart.mean - bound).abs();
        let helps = self.state == GateState::Unknown && !self.is_between;
        self.times = Some(ratio * ratio).filter(|times| helps && *times <= MOST_TIMES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::analyse;
    use crate::testing::RunBuilder;

    /// Two workloads on two candidates at this rate, with a noise of so many percent.
    fn run(rate: f64, noise_percent: f64) -> RunLevels {
        let run = RunBuilder::stacks(&["ext4", "xfs"])
            .workloads(&["randwrite", "seqread"])
            .play(9, |block, _, workload| {
                let wave = f64::from(block * 7 % 5) - 2.0;
                let unit = if workload == 0 { 1.0 } else { 1e5 };
                unit * rate * (1.0 + noise_percent / 100.0 * wave)
            })
            .build();
        levels::levels(&run, &analyse(&run))
    }

    fn gate(base: f64, new: f64, noise: f64) -> Gate {
        judge(&[&run(base, noise)], &run(new, noise), 0.10, Vec::new())
    }

    #[test]
    fn slower_not_slower_and_unknown() {
        for (new, noise, verdict) in [
            (990.0, 0.5, GateVerdict::NotSlower),
            (700.0, 0.5, GateVerdict::Slower),
            (2000.0, 0.5, GateVerdict::NotSlower),
            (900.0, 0.5, GateVerdict::Unknown),
            (950.0, 8.0, GateVerdict::Unknown),
        ] {
            let found = gate(1000.0, new, noise);
            assert_eq!(found.verdict, verdict, "{found:?}");
        }
    }

    #[test]
    fn more_time_is_told_where_it_would_help() {
        let noisy = gate(1000.0, 980.0, 3.0);
        assert!((1.0..20.0).contains(&noisy.times.expect("more time helps")), "{noisy:?}");
        assert_eq!(gate(1000.0, 900.0, 2.0).times, None, "it is at the limit");
        assert_eq!(gate(1000.0, 990.0, 0.5).times, None, "it is answered");
    }

    #[test]
    fn what_is_missing_forbidden_or_unlike_is_no_answer() {
        let base = run(1000.0, 0.5);
        let mut lost = base.clone();
        lost.workloads.pop();
        let found = judge(&[&base], &lost, 0.10, Vec::new());
        assert_eq!(
            (found.verdict, found.rows[3].state),
            (GateVerdict::Unknown, GateState::Missing)
        );
        let mut bad = base.clone();
        bad.workloads[0].is_forbidden = true;
        assert_eq!(judge(&[&bad], &base, 0.10, Vec::new()).rows[0].state, GateState::Forbidden);
        let mut other = base.clone();
        other.kernel = "7.0".to_string();
        let unlike = unlike(&[&base, &other], None);
        assert_eq!(judge(&[&base], &other, 0.10, unlike).verdict, GateVerdict::Unknown);
        assert!(super::unlike(&[&base, &other], Some(Factor::Kernel)).is_empty());
    }

    #[test]
    fn runs_that_differ_by_themselves_need_a_larger_change() {
        let bases = [run(1000.0, 0.5), run(1100.0, 0.5), run(900.0, 0.5)];
        let bases: Vec<&RunLevels> = bases.iter().collect();
        let found = judge(&bases, &run(850.0, 0.5), 0.10, Vec::new());
        assert_eq!((found.verdict, found.times), (GateVerdict::Unknown, None));
        assert!(found.rows[0].is_between, "{found:?}");
        assert_eq!(judge(&bases, &run(300.0, 0.5), 0.10, Vec::new()).verdict, GateVerdict::Slower);
    }
}
