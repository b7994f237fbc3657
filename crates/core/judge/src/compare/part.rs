//! One workload in one of the runs: what it says alone, and what it is compared by.

use serde::Serialize;

use crate::decide::compare::{Comparison, Pair, decide};
use crate::decide::table::ScoreTable;
use crate::rules::limit;
use bakeoff_model::index::{CandidateIx, WorkloadIx};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Analysis, Verdict};
use bakeoff_stats::paired::Interval;

/// One run's answer on a workload.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OfWorkload {
    pub verdict: Verdict,
    /// Candidates that no other is shown to be ahead of, best first.
    pub top: Vec<String>,
    pub forbidden: Vec<String>,
    /// How far the first of `top` is ahead of the best that it was compared with directly; `None`
    /// where that is only inferred from other pairs.
    #[serde(skip)]
    pub lead: Option<PartLead>,
    #[serde(skip)]
    pub blocks: u32,
    /// Margin within which candidates count as equal, a fraction.
    #[serde(skip)]
    pub tie_margin: f64,
}

/// How far a candidate is ahead of another one; logarithms of the ratio.
#[derive(Clone, Debug, PartialEq)]
pub struct PartLead {
    pub over: String,
    pub mean_ln: f64,
    /// Its interval, which excludes 0.
    pub interval: Interval,
    pub blocks: u32,
}

pub(super) struct Part<'a> {
    pub run: &'a Run,
    pub workload: WorkloadIx,
    pub table: &'a ScoreTable,
    pub pairs: Vec<Pair>,
    pub said: OfWorkload,
}

impl<'a> Part<'a> {
    /// The workload of that name with the candidates that are `shared` by so many `runs`; `None`
    /// where the run has none.
    pub fn from_run(
        (run, analysis): &'a (Run, Analysis),
        table: &'a ScoreTable,
        name: &str,
        shared: &[&str],
        runs: usize,
    ) -> Option<Part<'a>> {
        let workload = WorkloadIx::find(&run.header.workloads, |w| w.name == name)?;
        let protocol = &run.header.protocol;
        // A statement over several runs is wrong as soon as it is wrong in one.
        let alpha = protocol.alpha_pair() / runs.max(1) as f64;
        let compared = Comparison::new(run, table, workload, alpha);
        let is_shared = |c: CandidateIx| shared.contains(&run.header.candidates[c].name.as_str());
        let ranked: Vec<CandidateIx> =
            compared.ranked.into_iter().filter(|c| is_shared(*c)).collect();
        let pairs: Vec<Pair> =
            compared.pairs.into_iter().filter(|p| is_shared(p.a) && is_shared(p.b)).collect();
        let intervals: Vec<Option<Interval>> = pairs.iter().map(|p| p.interval).collect();
        let decision = decide(&ranked, &intervals, protocol.tie_margin);
        let own = &analysis.verdicts.get(usize::from(workload))?.findings;
        let forbidden = limit::reasons(own);
        let is_early = (table.blocks().len() as u32) < protocol.first_look();
        let verdict = match () {
            () if !forbidden.is_empty() || ranked.len() < 2 => Verdict::Refused,
            () if is_early => Verdict::Leads,
            () => decision.verdict,
        };
        let top: &[CandidateIx] = if is_early { &[] } else { &decision.top };
        let name = |c: CandidateIx| run.header.candidates[c].name.clone();
        let lead = top.first().and_then(|winner| {
            let pair = pairs.iter().find(|p| p.a == *winner && is_ahead(p))?;
            let (paired, interval) = (pair.paired?, pair.interval?);
            Some(PartLead {
                over: name(pair.b),
                mean_ln: paired.mean,
                interval,
                blocks: paired.blocks,
            })
        });
        let blocks = pairs.iter().filter_map(|p| p.paired).map(|p| p.blocks).min().unwrap_or(0);
        let top = top.iter().copied().map(name).collect();
        let tie_margin = protocol.tie_margin;
        let said = OfWorkload { verdict, top, forbidden, lead, blocks, tie_margin };
        Some(Part { run, workload, table, pairs, said })
    }

    pub fn index(&self, name: &str) -> Option<CandidateIx> {
        CandidateIx::find(&self.run.header.candidates, |c| c.name == name)
    }

    pub fn name(&self, candidate: CandidateIx) -> String {
        self.run.header.candidates[candidate].name.clone()
    }
}

fn is_ahead(pair: &Pair) -> bool {
    pair.interval.is_some_and(|interval| interval.low > 0.0)
}
