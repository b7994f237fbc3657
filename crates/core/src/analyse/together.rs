//! What may be said of each workload inside a statement over all of them, where every pair is
//! judged.
//!
//! A statement over several workloads is wrong as soon as it is wrong on one, so each interval in
//! it is taken at the alpha of all pairs on all workloads.

use crate::decide::compare::{Comparison, Outcome};
use crate::decide::table::Table;
use crate::model::index::WorkloadIx;
use crate::model::protocol::Rules;
use crate::model::run::Run;
use crate::model::verdict::{Verdict, WorkloadVerdict};
use crate::rules::limit;

/// What may be said of one workload inside a statement over all.
pub enum Part {
    Beats {
        winner: String,
        /// The others, best first.
        others: Vec<String>,
    },
    Ties(Vec<String>, usize),
    /// A winner by itself that does not hold with all others together.
    BeatsAlone(String),
    TiesAlone(Vec<String>),
    Open,
    /// Findings forbid it; their ids.
    Refused(Vec<String>),
}

/// The part of each workload, in the order of `verdicts`.
pub fn parts(run: &Run, verdicts: &[WorkloadVerdict]) -> Vec<Part> {
    let table = Table::from_evidence(run);
    WorkloadIx::each(verdicts).map(|(w, v)| part(run, &table, w, v)).collect()
}

pub fn winners(run: &Run, verdicts: &[WorkloadVerdict]) -> Vec<(WorkloadIx, String)> {
    let holds = |v: &WorkloadVerdict| v.lead.as_ref().is_some_and(|lead| lead.holds_for_all);
    if run.header.protocol.rules == Rules::Lead {
        let won = WorkloadIx::each(verdicts).filter(|(_, v)| v.verdict.is_winner() && holds(v));
        return won.filter_map(|(w, v)| Some((w, v.winner.clone()?))).collect();
    }
    let won = |(at, part): (WorkloadIx, &Part)| match part {
        Part::Beats { winner, .. } => Some((at, winner.clone())),
        Part::Ties(..)
        | Part::BeatsAlone(_)
        | Part::TiesAlone(_)
        | Part::Open
        | Part::Refused(_) => None,
    };
    WorkloadIx::each(&parts(run, verdicts)).filter_map(won).collect()
}

fn part(run: &Run, table: &Table, workload: WorkloadIx, verdict: &WorkloadVerdict) -> Part {
    let alpha = run.header.protocol.alpha_headline(run.header.workloads.len());
    let strict = Comparison::new(run, table, workload, alpha).decision.outcome;
    let winner = verdict.winner.clone().unwrap_or_default();
    let first = verdict.tiers.first().cloned().unwrap_or_default();
    match verdict.verdict {
        Verdict::Refused => Part::Refused(limit::forbidding_ids(&verdict.findings)),
        Verdict::NotResolved | Verdict::Leads | Verdict::Alone => Part::Open,
        Verdict::Beats if strict == Outcome::Beats => {
            let names = verdict.standings.iter().map(|s| s.candidate.clone());
            let others = names.filter(|n| *n != winner).collect();
            Part::Beats { winner, others }
        }
        Verdict::Beats | Verdict::Fastest => Part::BeatsAlone(winner),
        Verdict::Ties if strict == Outcome::Ties => {
            let behind = verdict.standings.len().saturating_sub(first.len());
            Part::Ties(first, behind)
        }
        Verdict::Ties | Verdict::AsFast => Part::TiesAlone(first),
    }
}
