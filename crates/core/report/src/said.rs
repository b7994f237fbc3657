//! What a run says, a sentence at a time, for everybody who shows a part of it: pages, screens,
//! monitors and programs say the same.
//!
//! Text from outside has passed [`sanitize`].

use bakeoff_judge::analyse::places;
use bakeoff_judge::decide::rounds::is_of_rounds;
use bakeoff_judge::rules::control::measured_twice;
use bakeoff_model::bottleneck::Bottleneck;
use bakeoff_model::health;
use bakeoff_model::index::CandidateIx;
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Analysis, TwinDifference, Verdict, WorkloadVerdict};
use bakeoff_stats::phrases;

use super::{alone, answer, bottleneck as bottlenecks, rounds};

pub(super) fn measured(run: &Run, analysis: &Analysis) -> String {
    sanitize(
        &(if is_of_rounds(run) {
            rounds::headline(run, &analysis.verdicts)
        } else {
            alone::headline(run, &analysis.verdicts)
        }),
    )
}

/// Drives whose own counts of errors or wear grew during `run`, a sentence each.
pub(super) fn worsened(run: &Run) -> impl Iterator<Item = String> {
    health::grown(&run.told_before, &run.told_after).into_iter().map(|(drive, grown)| {
        let (drive, what) = (sanitize(&drive), phrases::list(&grown));
        format!("{drive} reported {what} during the run. Check it: bakeoff devices {drive}")
    })
}

/// What has to be known to read the answers: everything in which places differ. `None` where there
/// are not several places.
pub fn context(run: &Run, analysis: &Analysis) -> Option<String> {
    let is_left_out = |name: &str| {
        let out = |v: &WorkloadVerdict| {
            v.lead.as_ref().is_some_and(|l| l.excluded.iter().any(|e| e.candidate == name))
        };
        !analysis.verdicts.is_empty() && analysis.verdicts.iter().all(out)
    };
    let candidates = &run.header.candidates;
    let ranked = CandidateIx::all(candidates.len()).filter(|c| !is_left_out(&candidates[*c].name));
    let all: Vec<CandidateIx> = ranked.collect();
    places::sentence(&run.header, &all).as_deref().map(sanitize)
}

pub fn sentence(run: &Run, verdict: &WorkloadVerdict) -> String {
    if let Some(lead) = &verdict.lead {
        let why = answer::discarded(run, &verdict.workload);
        if let Some((_, why)) = why.filter(|_| verdict.verdict == Verdict::Refused) {
            return format!("No answer for {}: {why}.", answer::workload_name(&verdict.workload));
        }
        return answer::sentence(verdict, lead);
    }
    let of_rounds = verdict.rounds.as_ref().and_then(|of| rounds::sentence(run, of, verdict));
    sanitize(&of_rounds.unwrap_or_else(|| alone::sentence(run, verdict)))
}

/// What twins came to beside their originals, passed or not: a control that nobody sees is none.
/// `None` where there is none.
pub fn control(twins: &[TwinDifference]) -> Option<String> {
    let tell = |twin: &TwinDifference| {
        let interval = twin.interval();
        let most = libm::expm1(interval.high.abs().max(interval.low.abs()));
        if interval.excludes_zero() {
            let differ = measured_twice(&twin.original, twin.mean_ln, interval);
            format!("{differ}, so the control failed")
        } else {
            format!(
                "{} measured twice varies by up to {}: this run cannot rank smaller differences",
                twin.original,
                answer::amount::at_most(most)
            )
        }
    };
    let told: Vec<String> = twins.iter().map(tell).collect();
    (!told.is_empty()).then(|| sanitize(&told.join("; ")))
}

/// What holds the candidates back on a workload; `None` where nothing was looked at.
pub fn bottleneck(held_back: &[Bottleneck]) -> Option<String> {
    bottlenecks::sentence(held_back).as_deref().map(sanitize)
}
