//! One workload's answer: the sentence and the standings.

use crate::bottleneck;
use crate::round::{self, PercentChange};
use crate::{answer, said, settling};
use bakeoff_judge::decide::schedule;
use bakeoff_model::index::WorkloadIx;
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Rounds, Standing, Verdict, WorkloadVerdict};
use bakeoff_model::workload::Metric;
use bakeoff_stats::phrases;
use bakeoff_stats::units;

use super::FindingView;

#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    pub workload: String,
    /// The same for people: "Random writes"; the name itself where nothing is compared.
    pub title: String,
    pub index: Option<WorkloadIx>,
    pub at: usize,
    /// "4k random writes, each flushed".
    pub summary: String,
    /// Unit of the rates: `MB/s`.
    pub unit: &'static str,
    /// The same in powers of 1024: `MiB/s`; for bytes only.
    pub binary_unit: Option<&'static str>,
    /// What one unit is: 1e6 for MB/s; the charts divide by it.
    pub unit_scale: f64,
    pub is_alone: bool,
    pub verdict: Verdict,
    /// The verdict in words; "measured" for one alone; of rounds whether they
    /// are steady.
    pub verdict_word: &'static str,
    pub sentence: String,
    pub reference: Option<String>,
    pub rows: Vec<Row>,
    pub rounds: Option<Rounds>,
    pub control: Option<String>,
    pub bottleneck: Option<String>,
    /// The same for each candidate, if it differs: (candidate, cause).
    pub held_back: Vec<(String, String)>,
    pub slices: Option<String>,
    /// What each factor does, and what depends on another; a sentence each.
    pub wear: Option<String>,
    pub findings: Vec<FindingView>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Position among the run's candidates.
    pub index: usize,
    pub candidate: String,
    /// Tiers it stands in, from 1: `1`, or `1-2` when it can be told from neither; `None` where
    /// nothing is ranked.
    /// Mean rate in the question's unit.
    pub rate: String,
    pub binary_rate: Option<String>,
    /// Lowest and highest cell in the question's unit.
    pub range: (String, String),
    /// Difference from the reference, in percent, with its interval; `None` for the reference.
    pub change: Option<PercentChange>,
    /// The same as ratios, for the charts: (ratio, low, high).
    pub ratio: Option<(f64, f64, f64)>,
    /// 99th percentile of latency.
    pub p99: Option<String>,
    pub cells: u32,
    /// "dropped after 5 blocks".
    pub dropped: Option<String>,
}

impl Row {
    /// What it did: "3520 MB/s (3350 MiB/s)".
    pub fn figure(&self, question: &Question) -> String {
        match (&self.binary_rate, question.binary_unit) {
            (Some(binary), Some(unit)) => {
                format!("{} {} ({binary} {unit})", self.rate, question.unit)
            }
            _ => format!("{} {}", self.rate, question.unit),
        }
    }

    /// The difference in words: "best", "8 % slower (6 to 10 %)" or nothing to say.
    pub fn change_words(&self) -> String {
        match &self.change {
            None => "-".to_string(),
            Some(c) => format!("{} % ({} to {})", c.mid, c.low, c.high),
        }
    }
}

impl Question {
    /// `run-0-workload-1`, for anchors of a page.
    pub fn id(&self) -> String {
        format!("run-0-workload-{}", self.at)
    }

    pub fn new(run: &Run, at: usize, verdict: &WorkloadVerdict) -> Question {
        let index = run.header.workloads.iter().position(|w| w.name == verdict.workload);
        let workload = index.map(|i| &run.header.workloads[i]);
        let metric = workload.map_or(Metric::Iops, |w| w.metric);
        let top = verdict.standings.iter().map(|s| s.mean).fold(0.0, f64::max);
        let unit = TableUnit::for_rate(metric, top);
        let is_alone = !schedule::has_question(run);
        let reference = reference(verdict).filter(|_| !is_alone);
        let row = |s| Row::new(run, s, verdict, reference.as_deref(), &unit);
        Question {
            workload: sanitize(&verdict.workload),
            title: match verdict.lead {
                Some(_) => phrases::capital(&answer::workload_name(&verdict.workload)),
                None => sanitize(&verdict.workload),
            },
            index: index.map(WorkloadIx::new),
            at,
            summary: workload.map(|w| sanitize(&w.summary)).unwrap_or_default(),
            unit: unit.name,
            binary_unit: unit.binary.map(|b| b.0),
            unit_scale: unit.scale,
            verdict: verdict.verdict,
            verdict_word: match &verdict.rounds {
                Some(rounds) => rounds.word(),
                None if is_alone => "measured",
                None => verdict.verdict.word(),
            },
            is_alone,
            sentence: said::sentence(run, verdict),
            rows: verdict.standings.iter().map(row).collect(),
            reference: reference.as_deref().map(sanitize),
            rounds: verdict.rounds.clone(),
            control: said::control(&verdict.twins),
            bottleneck: said::bottleneck(&verdict.held_back),
            held_back: bottleneck::of_each(&verdict.held_back)
                .iter()
                .map(|(name, cause)| (sanitize(name), sanitize(cause)))
                .collect(),
            slices: index.and_then(|at| settling::line(run, WorkloadIx::new(at))),
            wear: answer::wear_of(run, verdict),
            findings: super::findings(&verdict.findings),
        }
    }
}

/// The best one, which the others are compared with; nobody where the comparison is refused.
fn reference(verdict: &WorkloadVerdict) -> Option<String> {
    if verdict.verdict == Verdict::Refused {
        return None;
    }
    let leader = verdict.lead.as_ref().and_then(|lead| lead.leader.as_ref());
    leader.or(verdict.standings.first().map(|s| &s.candidate)).cloned()
}

impl Row {
    fn new(
        run: &Run,
        s: &Standing,
        verdict: &WorkloadVerdict,
        reference: Option<&str>,
        unit: &TableUnit,
    ) -> Row {
        let rate = |v: f64, scale: f64| round::three_digits(v / scale);
        // Its two ends may be close together.
        let range = |v: f64| round::digits(v / unit.scale, 4);
        let ratio = reference.and_then(|r| verdict.ratio(&s.candidate, r));
        let mut candidates = run.header.candidates.iter();
        Row {
            index: candidates.position(|c| c.name == s.candidate).unwrap_or(0),
            candidate: sanitize(&s.candidate),
            rate: rate(s.mean, unit.scale),
            binary_rate: unit.binary.map(|(_, scale)| rate(s.mean, scale)),
            range: (range(s.min), range(s.max)),
            change: ratio.map(|(mid, low, high)| PercentChange::from_ratios(mid, low, high)),
            ratio,
            p99: s.p99_ns.filter(|p| p.is_finite()).map(|p| units::latency(p as u64)),
            cells: s.cells,
            dropped: s.dropped_after.map(|n| format!("dropped after {n} blocks")),
        }
    }
}

/// One unit for a whole table, so that its column can be compared by eye.
struct TableUnit {
    name: &'static str,
    scale: f64,
    binary: Option<(&'static str, f64)>,
}

impl TableUnit {
    fn for_rate(metric: Metric, top: f64) -> TableUnit {
        let unit = |name, scale, binary| TableUnit { name, scale, binary };
        match metric {
            Metric::Bandwidth if top >= 10e9 => unit("GB/s", 1e9, Some(("GiB/s", 1073741824.0))),
            Metric::Bandwidth => unit("MB/s", 1e6, Some(("MiB/s", 1048576.0))),
            Metric::Iops if top >= 100e3 => unit("kIOPS", 1e3, None),
            Metric::Iops => unit("IOPS", 1.0, None),
            Metric::FilesPerSecond => unit("files/s", 1.0, None),
            Metric::TransactionsPerSecond => unit("transactions/s", 1.0, None),
            Metric::LatencyP99 if top >= 1e6 => unit("ms", 1e6, None),
            Metric::LatencyP99 => unit("µs", 1e3, None),
        }
    }
}
