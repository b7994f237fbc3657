//! From a run to what may be said about it: effects and verdicts. Values only: sentences are
//! made in the crate `report`.
//!
//! A pure function of the run; analysing it again, on any architecture, gives the same bytes.
//! The arithmetic is in [`crate::decide`], because the run itself stops by the same answers.

mod beside;
mod gives_up;
mod lead;
mod needs;
pub(crate) mod normal;
mod observe;
pub mod places;
mod recommend;
mod rounds;
pub mod scope;
mod standing;
mod used;
mod wear;

use crate::decide::compare::{Comparison, Pair};
use crate::decide::table::ScoreTable;
use crate::decide::{self, schedule};
use crate::diagnose::summary;
use crate::evidence::rule::Limits;
use crate::factors;
use crate::rules::run::ComparedRun;
use crate::rules::{self, limit};
use bakeoff_model::factors::Factors;
use bakeoff_model::finding::Finding;
use bakeoff_model::index::CandidateIx;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Analysis, Effect, Standing, Verdict, WorkloadVerdict};
use bakeoff_model::wear::RankedBy;
use bakeoff_stats::distinct;
use bakeoff_stats::paired::Interval;

pub fn analyse(run: &Run) -> Analysis {
    let table = ScoreTable::from_evidence(run);
    let whole = ComparedRun::new(run, &table);
    let findings = observe::findings(&whole);
    let compared = whole.compared.iter();
    let verdicts: Vec<WorkloadVerdict> =
        compared.map(|compared| workload_verdict(&whole, compared, &findings)).collect();
    // A finding that forbids a verdict forbids this too.
    let is_refused = |of: &Factors| {
        verdicts.iter().any(|v| v.workload == of.workload && v.verdict == Verdict::Refused)
    };
    let factors = factors::of_run(run, &table).into_iter().filter(|of| !is_refused(of)).collect();
    let judged = normal::Judged { run, table: &table, verdicts: &verdicts, findings: &findings };
    let normal = normal::from_run(&judged);
    let mut all = findings;
    all.extend(verdicts.iter().flat_map(|v| v.findings.iter().cloned()));
    let (cells, void_cells) = observe::cell_counts(run);
    Analysis {
        blocks: schedule::complete(run),
        cells,
        void_cells,
        compares: schedule::has_question(run),
        beside: beside::effects(run),
        findings: limit::sorted(all),
        recommendation: recommend::recommendation(&whole, &verdicts),
        normal,
        wear: wear::of_run(run, &table),
        by: RankedBy::Speed,
        use_changes: used::changes(run, &table),
        verdicts,
        factors,
    }
}

/// Whether a run answered everything it asked: every verdict is fastest or as fast, or there was
/// only one candidate, and it has its numbers. What exit status 0 means.
pub fn is_answered(run: &Run, analysis: &Analysis) -> bool {
    let is_answer = |v: &WorkloadVerdict| {
        let is_measured = !schedule::has_question(run) && !v.standings.is_empty();
        v.verdict.is_answer() || v.verdict != Verdict::Refused && is_measured
    };
    !analysis.verdicts.is_empty() && analysis.verdicts.iter().all(is_answer)
}

fn workload_verdict(
    whole: &ComparedRun,
    compared: &Comparison,
    run_findings: &[Finding],
) -> WorkloadVerdict {
    let &ComparedRun { run, table, .. } = whole;
    let (header, workload) = (&run.header, compared.workload);
    let of = &header.workloads[workload];
    let findings = limit::limiting(run_findings, Limits::Verdict.resolve(header.into()), &of.name);
    // Of the whole run, so that it is the same finding for each workload.
    let ranked = distinct::in_order(whole.compared.iter().flat_map(|c| c.ranked.iter().copied()));
    let unlike = rules::unlike_promises::unlike(header, &ranked);
    let findings = limit::sorted(findings.into_iter().chain(unlike).collect());
    let (verdict, lead) = if schedule::has_question(run) {
        let (verdict, lead) = lead::from_run(whole, compared, &findings);
        (verdict, Some(lead))
    } else {
        (Verdict::Alone, None)
    };
    let name = |c: CandidateIx| header.candidates[c].name.clone();
    let held_back = summary::workload(run, workload);
    let rounds = rounds::from_run(run, workload);
    let mut standings = standing::standings(whole, compared);
    if let Some(mean) = rounds.as_ref().and_then(|rounds| rounds.mean) {
        let is_first = |s: &&mut Standing| s.candidate == name(CandidateIx::FIRST);
        standings.iter_mut().filter(is_first).for_each(|s| s.mean = mean);
    }
    WorkloadVerdict {
        workload: of.name.clone(),
        metric: of.metric.name().to_string(),
        verdict,
        winner: lead.as_ref().and_then(|l| l.leader.clone()).filter(|_| verdict.is_winner()),
        effects: effects(run, table, compared),
        standings,
        held_back,
        rounds,
        twins: rules::control::twins(run, table, workload),
        wear: wear::of_workload(run, table, workload),
        lead,
        findings,
    }
}

fn effects(run: &Run, table: &ScoreTable, compared: &Comparison) -> Vec<Effect> {
    let mut pairs = compared.pairs.clone();
    let led = decide::lead::DecidedLead::new(run, table, compared, 1);
    for against in led.against.iter().filter(|a| a.interval.high.is_finite()) {
        let is_it = |p: &&mut Pair| {
            [(p.a, p.b), (p.b, p.a)].contains(&(led.leader.unwrap_or(p.a), against.other))
        };
        let Some(pair) = pairs.iter_mut().find(is_it) else { continue };
        let i = against.interval;
        let turned = Interval { low: -i.high, high: -i.low };
        pair.interval = Some(if pair.b == against.other { i } else { turned });
    }
    // A pair is stored and shown once it has an interval.
    let effect = |pair: &Pair| {
        let names = [pair.a, pair.b].map(|c| run.header.candidates[c].name.clone());
        Some(Effect::new(names, pair.paired?, pair.interval?))
    };
    pairs.iter().filter_map(effect).collect()
}

#[cfg(test)]
pub mod tests;
