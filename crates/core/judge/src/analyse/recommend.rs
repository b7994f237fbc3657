//! The choice over all workloads: among the candidates that have what the use needs, the smallest
//! greatest regret, and among those within the margin of it the usual filesystem or else the one
//! that gives up least. Where none qualifies the choice is among all, but for what does not flush
//! the drive's cache where another does: it is fast because it loses synced data in a power cut.
//! The types and their sources are in [`bakeoff_model::recommendation`].

use super::{gives_up, needs};
use crate::decide::compare::Comparison;
use crate::decide::lead::{Against, DecidedLead};
use crate::decide::schedule;
use crate::rules::run::ComparedRun;
use bakeoff_machine::prepare::recipe::recipe_of;
use bakeoff_model::candidate::Candidate;
use bakeoff_model::index::CandidateIx;
use bakeoff_model::lead::{fraction, ln_of};
use bakeoff_model::recommendation::{
    BestFor, GivesUp, MOST_REGRET, Recommendation, Regret, RuledOut,
};
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Effect, Verdict, WorkloadVerdict};

/// Half as fast: nobody is advised who may be so far behind, even if all others are for certain.
const FAR: f64 = 1.0;

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
    let qualified = qualified(run);
    let considered = qualified.iter().filter_map(|c| consider(of, &compared, *c, &qualified));
    let mut considered: Vec<Considered> = considered.collect();
    considered.sort_by(|x, y| {
        x.weighted_ln.total_cmp(&y.weighted_ln).then(x.candidate.cmp(&y.candidate))
    });
    let best_ln = considered.first()?.weighted_ln;
    let name = |c: CandidateIx| run.header.candidates[c].name.clone();
    let outlook = outlook(&considered);
    let undecided = match outlook {
        Outlook::Open => {
            considered.iter().filter(|c| is_open(c)).map(|c| name(c.candidate)).collect()
        }
        Outlook::Suits | Outlook::Only(_) | Outlook::NobodySuits => Vec::new(),
    };
    let reach = best_ln + libm::log1p(run.header.protocol.tie_margin);
    match outlook {
        // Whoever is left when the others lose too much somewhere for certain.
        Outlook::Only(only) => considered.retain(|c| c.candidate == only),
        Outlook::Suits | Outlook::Open | Outlook::NobodySuits => {
            considered.retain(|c| c.weighted_ln <= reach);
        }
    }
    let usual = run.header.protocol.drive_use.usual_filesystem();
    // The usual filesystem first, then the least given up; the regret decides between those that
    // give up the same.
    considered.sort_by_key(|c| {
        (!is_plain(&run.header.candidates[c.candidate], usual), price(&c.gives_up))
    });
    let mut all = considered.into_iter();
    let chosen = all.next()?;
    let out = verdicts.iter().filter(|v| !counts(v));
    Some(Recommendation {
        drive_use: run.header.protocol.drive_use,
        ruled_out: ruled_out(of, &compared, chosen.candidate),
        undecided,
        candidate: name(chosen.candidate),
        regrets: chosen.regrets,
        left_out: out.map(|v| v.workload.clone()).collect(),
        gives_up: chosen.gives_up,
        keep: kept(of, &compared, chosen.candidate, &qualified),
        within_margin: all.map(|c| name(c.candidate)).collect(),
        alternatives: match outlook {
            Outlook::NobodySuits => best_for_each(of, &compared, &qualified),
            Outlook::Suits | Outlook::Only(_) | Outlook::Open => Vec::new(),
        },
    })
}

#[derive(Clone, Copy)]
enum Outlook {
    /// One is less than [`MOST_REGRET`] behind on every workload.
    Suits,
    /// All others are further behind somewhere for certain.
    Only(CandidateIx),
    /// Several may still suit.
    Open,
    /// Each is further behind somewhere for certain.
    NobodySuits,
}

fn outlook(considered: &[Considered]) -> Outlook {
    let most = |c: &Considered| c.regrets.iter().map(|r| r.at_most).fold(0.0, f64::max);
    if considered.iter().any(|c| most(c) < MOST_REGRET) {
        return Outlook::Suits;
    }
    let mut open = considered.iter().filter(|c| is_open(c));
    match (open.next(), open.next()) {
        (None, _) => Outlook::NobodySuits,
        (Some(only), None) if most(only) < FAR => Outlook::Only(only.candidate),
        (Some(_), _) => Outlook::Open,
    }
}

fn is_open(considered: &Considered) -> bool {
    considered.regrets.iter().all(|r| r.at_least < MOST_REGRET)
}

/// The candidates among which is chosen: those with all that the use needs, or all where none is.
fn qualified(run: &Run) -> Vec<CandidateIx> {
    let all = &run.header.candidates;
    let own = CandidateIx::all(all.len()).filter(|c| all[*c].competes(all));
    let (suits, others): (Vec<CandidateIx>, Vec<CandidateIx>) =
        own.partition(|c| needs::lacking(&all[*c], run.header.protocol.drive_use).is_empty());
    if !suits.is_empty() {
        return suits;
    }
    let flushes =
        |c: &CandidateIx| !gives_up::compared_with(&all[*c], all).contains(&GivesUp::Flushes);
    others.into_iter().filter(flushes).collect()
}

/// Those whom a change to the choice does not make faster by a quarter anywhere, as far as is
/// certain.
fn kept(
    of: &ComparedRun,
    all: &[&Comparison],
    chosen: CandidateIx,
    qualified: &[CandidateIx],
) -> Vec<String> {
    let candidates = &of.run.header.candidates;
    let has_needs =
        needs::lacking(&candidates[chosen], of.run.header.protocol.drive_use).is_empty();
    let gains = |other: CandidateIx| all.iter().any(|c| far_ahead(of, c, chosen, other).is_some());
    let stays = |other: &CandidateIx| *other != chosen && has_needs && !gains(*other);
    qualified.iter().copied().filter(stays).map(|c| candidates[c].name.clone()).collect()
}

/// The comparison of a candidate with another that it beats by a quarter for certain.
fn far_ahead(
    of: &ComparedRun,
    compared: &Comparison,
    candidate: CandidateIx,
    other: CandidateIx,
) -> Option<Against> {
    let lead = DecidedLead::from(of.run, of.table, compared, candidate, 1);
    let against = lead.against.into_iter().find(|a| a.other == other)?;
    (fraction(against.interval.low.max(0.0)) >= MOST_REGRET).then_some(against)
}

/// Whether it is that filesystem as distributions make it: ext4 with its journal.
fn is_plain(candidate: &Candidate, fs: &str) -> bool {
    candidate.stack().and_then(recipe_of).is_some_and(|recipe| recipe.name == fs)
}

fn ruled_out(of: &ComparedRun, all: &[&Comparison], chosen: CandidateIx) -> Vec<RuledOut> {
    let header = &of.run.header;
    let own = CandidateIx::all(header.candidates.len());
    let own = own.filter(|c| header.candidates[*c].competes(&header.candidates));
    own.filter_map(|candidate| {
        let lacks = needs::lacking(&header.candidates[candidate], header.protocol.drive_use);
        (!lacks.is_empty()).then(|| {
            let ahead = all.iter().filter_map(|compared| {
                let against = far_ahead(of, compared, candidate, chosen)?;
                let workload = &header.workloads[compared.workload].name;
                Some((workload.clone(), effect(of.run, candidate, &against)?))
            });
            let most = ahead.max_by(|x, y| x.1.low.total_cmp(&y.1.low));
            let (workload, faster) = most.unzip();
            RuledOut {
                candidate: header.candidates[candidate].name.clone(),
                lacks,
                faster,
                workload,
            }
        })
    })
    .collect()
}

fn effect(run: &Run, candidate: CandidateIx, against: &Against) -> Option<Effect> {
    let names = [candidate, against.other].map(|c| run.header.candidates[c].name.clone());
    Some(Effect::new(names, against.paired?, against.interval))
}

fn counts(v: &WorkloadVerdict) -> bool {
    v.verdict != Verdict::Refused && v.lead.as_ref().is_some_and(|lead| lead.lead_ln.is_some())
}

/// A candidate that is ranked on every workload that has an answer. One that is left out of some
/// (its reads came from memory) cannot be recommended for all.
fn consider(
    of: &ComparedRun,
    all: &[&Comparison],
    candidate: CandidateIx,
    qualified: &[CandidateIx],
) -> Option<Considered> {
    let run = of.run;
    let on = |compared: &&Comparison| {
        let is_ranked = compared.ranked.contains(&candidate);
        is_ranked.then(|| regret(of, compared, candidate, qualified))?
    };
    let regrets: Vec<Regret> = all.iter().map(on).collect::<Option<_>>()?;
    let weighted =
        |r: &Regret| ln_of(r.at_most) * run.header.protocol.drive_use.weight(&r.workload);
    let weighted_ln = regrets.iter().map(weighted).reduce(f64::max)?;
    let all = &run.header.candidates;
    let gives_up = gives_up::compared_with(&all[usize::from(candidate)], all);
    Some(Considered { candidate, regrets, weighted_ln, gives_up })
}

/// How far any other that qualifies may be ahead of it; `None` while an interval is missing.
fn regret(
    of: &ComparedRun,
    compared: &Comparison,
    candidate: CandidateIx,
    qualified: &[CandidateIx],
) -> Option<Regret> {
    let run = of.run;
    let mut own = DecidedLead::from(run, of.table, compared, candidate, 1);
    own.against.retain(|against| qualified.contains(&against.other));
    let lead = if own.against.is_empty() { 0.0 } else { own.value()? };
    let means = own.against.iter().filter_map(|a| a.paired).map(|p| p.mean);
    let least = own.against.iter().map(|a| a.interval.high).fold(f64::INFINITY, f64::min);
    let behind = own.closest().filter(|a| a.interval.low < 0.0);
    Some(Regret {
        workload: run.header.workloads[compared.workload].name.clone(),
        behind: behind.map(|a| run.header.candidates[a.other].name.clone()),
        at_most: behind_by(lead),
        at_least: behind_by(least),
        estimate: behind_by(means.fold(f64::INFINITY, f64::min)),
    })
}

/// A lead that is negative as a fraction; 0 where it is not.
fn behind_by(lead_ln: f64) -> f64 {
    if lead_ln < 0.0 { fraction(-lead_ln) } else { 0.0 }
}

/// What is given up as one number: the more important outweighs all the less important together.
fn price(gives_up: &[GivesUp]) -> u32 {
    let last = GivesUp::ALL.len() - 1;
    gives_up.iter().map(|what| 1u32 << (last - *what as usize)).sum()
}

fn best_for_each(of: &ComparedRun, all: &[&Comparison], qualified: &[CandidateIx]) -> Vec<BestFor> {
    let header = &of.run.header;
    let mut best: Vec<BestFor> = Vec::new();
    for compared in all {
        let first = compared.ranked.iter().find(|c| qualified.contains(c));
        let Some(leader) = first.map(|c| header.candidates[*c].name.clone()) else { continue };
        let workload = header.workloads[compared.workload].name.clone();
        match best.iter_mut().find(|b| b.candidate == leader) {
            Some(known) => known.workloads.push(workload),
            None => best.push(BestFor { candidate: leader, workloads: vec![workload] }),
        }
    }
    best
}

#[cfg(test)]
mod tests;
