//! The choice over all workloads: the smallest greatest regret, and among those within the margin
//! of it the one that gives up least. What does not flush the drive's cache, where another does, is
//! never chosen: it is fast because it loses synced data in a power cut. The types and their
//! sources are in [`bakeoff_model::recommendation`].

use super::gives_up;
use crate::decide::compare::Comparison;
use crate::decide::lead::Lead;
use crate::decide::schedule;
use crate::rules::run::ComparedRun;
use bakeoff_model::index::CandidateIx;
use bakeoff_model::lead::{fraction, ln_of};
use bakeoff_model::recommendation::{BestFor, GivesUp, MOST_REGRET, Recommendation, Regret};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Verdict, WorkloadVerdict};

/// One candidate with its regrets on the workloads that have an answer.
struct Considered {
    candidate: CandidateIx,
    regrets: Vec<Regret>,
    weighted_ln: f64,
    gives_up: Vec<GivesUp>,
}

/// The recommendation; `None` where nothing is compared or no workload has an interval.
pub fn recommendation(of: &ComparedRun, verdicts: &[WorkloadVerdict]) -> Option<Recommendation> {
    let run = of.run;
    if !schedule::has_question(run) {
        return None;
    }
    let answered = of.compared.iter().zip(verdicts).filter(|(_, v)| counts(v));
    let compared: Vec<&Comparison> = answered.map(|(compared, _)| compared).collect();
    let mut considered: Vec<Considered> = CandidateIx::all(run.header.candidates.len())
        .filter(|c| run.header.candidates[*c].twin_of.is_none())
        .filter_map(|c| consider(of, &compared, c))
        .filter(|c| !c.gives_up.contains(&GivesUp::Flushes))
        .collect();
    considered.sort_by(|x, y| {
        x.weighted_ln.total_cmp(&y.weighted_ln).then(x.candidate.cmp(&y.candidate))
    });
    let best_ln = considered.first()?.weighted_ln;
    let reach = best_ln + libm::log1p(run.header.protocol.tie_margin);
    considered.retain(|c| c.weighted_ln <= reach);
    // Least given up first; the regret decides between those that give up the same.
    considered.sort_by_key(|c| price(&c.gives_up));
    let mut all = considered.into_iter();
    let chosen = all.next()?;
    let name = |c: CandidateIx| run.header.candidates[c].name.clone();
    let greatest_regret = chosen.regrets.iter().map(|r| r.at_most).fold(0.0, f64::max);
    let out = verdicts.iter().filter(|v| !counts(v));
    Some(Recommendation {
        candidate: name(chosen.candidate),
        greatest_regret,
        regrets: chosen.regrets,
        left_out: out.map(|v| v.workload.clone()).collect(),
        gives_up: chosen.gives_up,
        within_margin: all.map(|c| name(c.candidate)).collect(),
        alternatives: match fraction(best_ln) < MOST_REGRET {
            true => Vec::new(),
            false => best_for_each(run, verdicts),
        },
    })
}

/// Whether a workload is among those that the choice rests on.
fn counts(v: &WorkloadVerdict) -> bool {
    v.verdict != Verdict::Refused && v.lead.as_ref().is_some_and(|lead| lead.lead_ln.is_some())
}

/// A candidate that is ranked on every workload that has an answer. One that is left out of some
/// (its reads came from memory) cannot be recommended for all.
fn consider(of: &ComparedRun, all: &[&Comparison], candidate: CandidateIx) -> Option<Considered> {
    let run = of.run;
    let on = |compared: &&Comparison| {
        let is_ranked = compared.ranked.contains(&candidate);
        is_ranked.then(|| regret(of, compared, candidate))?
    };
    let regrets: Vec<Regret> = all.iter().map(on).collect::<Option<_>>()?;
    let weighted = |r: &Regret| ln_of(r.at_most) * run.header.protocol.weight(&r.workload);
    let weighted_ln = regrets.iter().map(weighted).reduce(f64::max)?;
    let all = &run.header.candidates;
    let gives_up = gives_up::compared_with(&all[usize::from(candidate)], all);
    Some(Considered { candidate, regrets, weighted_ln, gives_up })
}

/// How far any other may be ahead of it; `None` while an interval is missing.
fn regret(of: &ComparedRun, compared: &Comparison, candidate: CandidateIx) -> Option<Regret> {
    let run = of.run;
    let own = Lead::from(run, of.table, compared, candidate, 1);
    let lead = own.value()?;
    let means = own.against.iter().filter_map(|a| a.paired).map(|p| p.mean);
    let behind = own.closest().filter(|a| a.interval.low < 0.0);
    Some(Regret {
        workload: run.header.workloads[compared.workload].name.clone(),
        behind: behind.map(|a| run.header.candidates[a.other].name.clone()),
        at_most: fraction((-lead).max(0.0)),
        estimate: fraction((-means.fold(f64::INFINITY, f64::min)).max(0.0)),
    })
}

/// What is given up as one number: the more important outweighs all the less important together.
fn price(gives_up: &[GivesUp]) -> u32 {
    let last = GivesUp::ALL.len() - 1;
    gives_up.iter().map(|what| 1u32 << (last - *what as usize)).sum()
}

/// The leader of each workload, with its workloads; none that loses synced data in a power cut.
fn best_for_each(run: &Run, verdicts: &[WorkloadVerdict]) -> Vec<BestFor> {
    let all = &run.header.candidates;
    let flushes = |name: &String| {
        let found = all.iter().find(|c| c.name == *name);
        found.is_none_or(|c| !gives_up::compared_with(c, all).contains(&GivesUp::Flushes))
    };
    let mut best: Vec<BestFor> = Vec::new();
    for verdict in verdicts.iter().filter(|v| counts(v)) {
        let leader = verdict.lead.as_ref().and_then(|lead| lead.leader.clone());
        let Some(leader) = leader.filter(flushes) else {
            continue;
        };
        let workload = verdict.workload.clone();
        match best.iter_mut().find(|b| b.candidate == leader) {
            Some(known) => known.workloads.push(workload),
            None => best.push(BestFor { candidate: leader, workloads: vec![workload] }),
        }
    }
    best
}

#[cfg(test)]
mod tests;
