//! The lead in words: one workload, and all of them. The only place that makes sentences of it.

use super::{claim, places};
use crate::model::finding::Finding;
use crate::model::index::{CandidateIx, WorkloadIx};
use crate::model::lead::{Lead, NotRanked, Refusal, fraction};
use crate::model::recommendation::{GivesUp, Recommendation};
use crate::model::run::Run;
use crate::model::verdict::{Analysis, Verdict, WorkloadVerdict};
use crate::rules;
use crate::words::figures;
use crate::{rules::limit, units, words};

/// A bound of a factor of three and more tells nothing.
const MOST_TOLD: f64 = 2.0;

/// The answer about one workload.
pub fn sentence(
    run: &Run,
    workload: WorkloadIx,
    verdict: Verdict,
    lead: &Lead,
    findings: &[Finding],
) -> String {
    let summary = &run.header.workloads[workload].summary;
    let leader = lead.leader.as_deref().unwrap_or("nobody");
    let said = match verdict {
        Verdict::Fastest => fastest(leader, lead, summary),
        Verdict::AsFast => as_fast(leader, lead, summary),
        Verdict::Leads => leads(leader, lead, summary),
        Verdict::Refused
        | Verdict::Alone
        | Verdict::Beats
        | Verdict::Ties
        | Verdict::NotResolved => return refused(lead, summary, findings),
    };
    let blocks = words::count(lead.blocks, "block");
    let conditions = claim::conditions(&run.header);
    let mut parts = vec![said, format!("Measured in {blocks}, {conditions}.")];
    parts.extend(left_out(lead));
    parts.extend(stalled(lead));
    parts.extend(unlike(run));
    let all: Vec<CandidateIx> = CandidateIx::all(run.header.candidates.len()).collect();
    parts.extend(places::differ_in(&run.header, &all));
    parts.extend(claim::reach(&run.header).map(str::to_string));
    parts.join(" ")
}

fn fastest(leader: &str, lead: &Lead, summary: &str) -> String {
    let by = lead.fraction().unwrap_or(0.0);
    let than = match lead.behind.len() {
        1 => lead.behind[0].candidate.clone(),
        _ => "any other".to_string(),
    };
    let how = match by {
        by if by >= 1.0 => format!("{} as {than}", faster(by)),
        _ => format!("{} than {than}", faster(by)),
    };
    format!("{leader} is fastest for {summary}: at least {how}.")
}

fn as_fast(leader: &str, lead: &Lead, summary: &str) -> String {
    let bound = -lead.fraction().unwrap_or(0.0);
    let said = match lead.equals.len() {
        0 | 1 => format!(
            "{leader} is as fast as any for {summary}: no other is more than {} faster.",
            figures::percent(up(bound))
        ),
        _ => format!(
            "{} are equally fast for {summary} (within {}).",
            words::names(&lead.equals),
            figures::percent(lead.margin)
        ),
    };
    join(said, behind(leader, lead))
}

fn leads(leader: &str, lead: &Lead, summary: &str) -> String {
    let Some(bound) = lead.fraction().map(|f| -f) else {
        return format!(
            "{leader} leads so far for {summary}; too few cells are valid to bound its lead."
        );
    };
    let rival = lead.closest.as_deref().unwrap_or("another");
    let said = match bound < MOST_TOLD {
        true => format!(
            "{leader} leads so far for {summary}; {rival} could still be up to {} faster.",
            figures::percent(up(bound))
        ),
        false => format!(
            "{leader} leads so far for {summary}; how much faster {rival} could be is unknown, \
             because the blocks differ too much."
        ),
    };
    let said = join(said, behind(leader, lead));
    join(said, more(lead))
}

/// What more time would do.
fn more(lead: &Lead) -> Option<String> {
    let more = lead.more.filter(|more| lead.lead_ln.is_some_and(|now| more.lead_ln > now))?;
    let then = fraction(more.lead_ln);
    let time = units::duration(more.time_ns);
    if then > 0.0 {
        return Some(format!("About {time} more would show a winner."));
    }
    (-then < MOST_TOLD)
        .then(|| format!("About {time} more would narrow this to {}.", figures::percent(up(-then))))
}

fn behind(leader: &str, lead: &Lead) -> Option<String> {
    let names: Vec<String> = lead.behind.iter().map(|b| b.candidate.clone()).collect();
    let least = lead.behind.first()?.at_least;
    let link = if least >= 1.0 { "as" } else { "than" };
    Some(format!("{leader} is at least {} {link} {}.", faster(least), words::names(&names)))
}

fn left_out(lead: &Lead) -> Option<String> {
    let of = |reason: NotRanked| -> Vec<String> {
        let all = lead.excluded.iter().filter(|e| e.reason == reason);
        all.map(|e| e.candidate.clone()).collect()
    };
    let told = |(reason, why): (NotRanked, &str)| {
        let names = of(reason);
        (!names.is_empty()).then(|| format!("{} ({why})", words::names(&names)))
    };
    let parts: Vec<String> = [
        (NotRanked::Memory, "reads came from memory"),
        (NotRanked::CacheUnknown, "reads may have come from memory"),
        (NotRanked::TooFewBlocks, "too few valid cells"),
    ]
    .into_iter()
    .filter_map(told)
    .collect();
    (!parts.is_empty()).then(|| format!("Not ranked: {}.", parts.join("; ")))
}

fn stalled(lead: &Lead) -> Option<String> {
    let told: Vec<String> = lead
        .stalls
        .iter()
        .filter(|s| s.count())
        .map(|s| {
            format!(
                "{} stalled {} ({} of its time, the longest {})",
                s.candidate,
                words::count(s.number, "time"),
                figures::percent(s.share),
                units::duration(s.longest_ns)
            )
        })
        .collect();
    (!told.is_empty()).then(|| format!("These figures exclude stalls: {}.", words::list(&told)))
}

/// In what the candidates promise different things.
fn unlike(run: &Run) -> Option<String> {
    let all: Vec<CandidateIx> = CandidateIx::all(run.header.candidates.len()).collect();
    let differences = rules::claim::differences(&run.header, &all);
    let told: Vec<String> = differences.into_iter().map(|d| d.words).collect();
    (!told.is_empty()).then(|| format!("Guarantees differ: {}.", told.join("; ")))
}

fn refused(lead: &Lead, summary: &str, findings: &[Finding]) -> String {
    match &lead.refusal {
        Some(Refusal::TooFewBlocks { complete, needed }) => {
            format!("No verdict yet on {summary}: {complete} of {needed} blocks are complete.")
        }
        Some(Refusal::NothingToCompare { ranked }) => {
            let valid = match (ranked, lead.leader.as_deref()) {
                (1, Some(one)) => format!("only {one} has valid cells"),
                _ => "no candidate has valid cells".to_string(),
            };
            let out = left_out(lead).map(|out| format!(" {out}")).unwrap_or_default();
            format!("No verdict on {summary}: {valid}.{out}")
        }
        Some(Refusal::Findings { .. }) | None => {
            let mut reasons: Vec<String> = limit::forbidding(findings)
                .iter()
                .map(|f| format!("{} ({})", f.evidence, f.id))
                .collect();
            reasons.dedup();
            format!("No verdict on {summary}: {}.", reasons.join("; "))
        }
    }
}

/// One or two sentences over all workloads.
pub fn headline(run: &Run, verdicts: &[WorkloadVerdict]) -> String {
    if let Some(early) = too_early(verdicts) {
        return early;
    }
    let part = |v: &WorkloadVerdict| {
        let lead = v.lead.as_ref()?;
        let leader = lead.leader.as_deref().unwrap_or("nobody");
        let alone = if lead.holds_for_all { "" } else { " taken alone" };
        Some(match v.verdict {
            Verdict::Fastest => {
                let by = faster(lead.fraction().unwrap_or(0.0));
                format!("{leader} is fastest on {}{alone} (at least {by})", v.workload)
            }
            Verdict::AsFast if lead.equals.len() > 1 => {
                format!("{} are equally fast on {}{alone}", words::names(&lead.equals), v.workload)
            }
            Verdict::AsFast => format!("{leader} is as fast as any on {}{alone}", v.workload),
            Verdict::Leads => format!("{leader} leads so far on {}", v.workload),
            Verdict::Refused
            | Verdict::Alone
            | Verdict::Beats
            | Verdict::Ties
            | Verdict::NotResolved => {
                let why = match &lead.refusal {
                    Some(Refusal::Findings { ids }) => format!(" ({})", ids.join(", ")),
                    Some(Refusal::TooFewBlocks { .. } | Refusal::NothingToCompare { .. })
                    | None => String::new(),
                };
                format!("no verdict on {}{why}", v.workload)
            }
        })
    };
    let parts: Vec<String> = verdicts.iter().filter_map(part).collect();
    let mut said = format!("{}.", parts.join("; "));
    let all: Vec<CandidateIx> = CandidateIx::all(run.header.candidates.len()).collect();
    if let Some(differ) = places::differ_in(&run.header, &all) {
        said = format!("{said} {differ}");
    }
    let is_claim = verdicts.iter().any(|v| v.verdict.is_answer());
    match claim::reach(&run.header).filter(|_| is_claim) {
        Some(reach) => format!("{said} {reach}"),
        None => said,
    }
}

/// What is said before any workload has the blocks that its first look needs.
fn too_early(verdicts: &[WorkloadVerdict]) -> Option<String> {
    let blocks = |v: &WorkloadVerdict| match v.lead.as_ref()?.refusal {
        Some(Refusal::TooFewBlocks { complete, needed }) => Some((complete, needed)),
        Some(Refusal::Findings { .. } | Refusal::NothingToCompare { .. }) | None => None,
    };
    let all: Option<Vec<(u32, u32)>> = verdicts.iter().map(blocks).collect();
    let (complete, needed) = all?.into_iter().min()?;
    Some(format!("No verdict yet: {complete} of {} complete.", words::count(needed, "block")))
}

/// The choice, as advice.
pub fn recommendation(run: &Run, chosen: &Recommendation) -> Vec<String> {
    let is_place = claim::scope(&run.header) == crate::model::finding::Scope::Place;
    let verb = if is_place { "Use" } else { "Format with" };
    if !chosen.alternatives.is_empty() {
        let each = chosen.alternatives.iter();
        let each: Vec<String> =
            each.map(|b| format!("{} for {}", b.candidate, words::list(&b.workloads))).collect();
        return vec![format!("{verb} {}.", each.join("; "))];
    }
    let worst = chosen
        .regrets
        .iter()
        .filter(|r| r.at_most > 0.0)
        .max_by(|x, y| x.at_most.total_cmp(&y.at_most));
    let mut lines = vec![match worst {
        None => format!("{verb} {}: it is fastest everywhere.", chosen.candidate),
        Some(worst) => format!(
            "{verb} {}: at most {} behind the fastest candidate (on {}).",
            chosen.candidate,
            figures::percent(up(worst.at_most)),
            worst.workload
        ),
    }];
    if !chosen.gives_up.is_empty() {
        let all: Vec<String> = chosen.gives_up.iter().map(|g| lacks(*g).to_string()).collect();
        lines.push(format!("{} has {}.", chosen.candidate, words::list(&all)));
    }
    lines
}

/// What is lacked, in words that follow "has".
fn lacks(what: GivesUp) -> &'static str {
    match what {
        GivesUp::Persistence => "no data left after a restart",
        GivesUp::Flushes => "no flushes of the drive's cache (a power cut may lose synced data)",
        GivesUp::Journal => "no journal (it needs a check after a crash)",
        GivesUp::KernelDriver => "a user-space driver",
        GivesUp::Booting => "no owners and permissions (Linux cannot boot from it)",
        GivesUp::DataChecksums => "no data checksums",
    }
}

/// How to get a better answer, where more time is expected to give one.
pub fn what_next(run: &Run, analysis: &Analysis) -> Option<String> {
    let open = analysis.verdicts.iter().filter(|v| v.verdict == Verdict::Leads);
    let names: Vec<String> = open
        .filter(|v| {
            let lead = v.lead.as_ref();
            lead.is_some_and(|lead| more(lead).is_some())
        })
        .map(|v| v.workload.clone())
        .collect();
    let id: String = run.header.run.chars().take(8).collect();
    (!names.is_empty()).then(|| {
        format!("For a better answer on {}: bakeoff resume {id} --time 10m.", words::list(&names))
    })
}

/// `12 % faster`, or from twice on `3.1 times as fast`, rounded down: it is a lower bound.
fn faster(fraction: f64) -> String {
    match fraction {
        f if f >= 1.0 => format!("{:.1} times as fast", libm::floor((1.0 + f) * 10.0) / 10.0),
        f => format!("{} faster", figures::percent(libm::floor(f * 1000.0) / 1000.0)),
    }
}

/// An upper bound, rounded up to what is shown of it.
fn up(fraction: f64) -> f64 {
    let step = if fraction >= 0.1 { 100.0 } else { 1000.0 };
    libm::ceil(fraction * step) / step
}

fn join(said: String, more: Option<String>) -> String {
    match more {
        Some(more) => format!("{said} {more}"),
        None => said,
    }
}
