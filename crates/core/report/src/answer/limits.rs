//! What limits the answers, one line each, and the bottleneck, once.

use crate::run_document::{FindingView, findings};
use bakeoff_judge::evidence::cell::machine;
use bakeoff_model::candidate::Skipped;
use bakeoff_model::cause::{Cause, Grade};
use bakeoff_model::finding::Severity;
use bakeoff_model::index::WorkloadIx;
use bakeoff_model::lead::{NotRanked, Refusal, TrimmedStalls};
use bakeoff_model::path::sanitize;
use bakeoff_model::run::Run;
use bakeoff_model::verdict::{Analysis, WorkloadVerdict};
use bakeoff_model::workload::Workload;
use bakeoff_stats::phrases::{self, capital};
use bakeoff_stats::units;

use super::{amount, names, sentence};

const REASONS_MAX: usize = 2;
/// More stalls than so many are told by the worst.
const STALLS_MAX: usize = 2;

/// One thing that limits the answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    pub said: String,
    pub is_severe: bool,
    pub is_in_answers: bool,
    pub finding: Option<FindingView>,
}

impl Limit {
    /// The sentence with the code of its finding, which leads to the rest.
    pub fn whole(&self) -> String {
        let code = self.finding.as_ref().map_or(String::new(), |f| format!(" ({})", f.id));
        format!("{}{code}", self.said)
    }
}

/// Everything that limits the answers, the most important first.
pub fn all(run: &Run, analysis: &Analysis) -> Vec<Limit> {
    let note = |said: String| Limit { said, is_severe: false, is_in_answers: false, finding: None };
    let all = findings(&analysis.findings);
    let of = |wanted: &dyn Fn(Severity) -> bool| -> Vec<Limit> {
        all.iter().filter(|f| wanted(f.severity)).map(|f| finding(f, analysis)).collect()
    };
    // That more blocks are needed is said of every workload already.
    let is_early = |v: &WorkloadVerdict| {
        let refusal = v.lead.as_ref().and_then(|lead| lead.refusal.as_ref());
        matches!(refusal, Some(Refusal::TooFewBlocks { .. }))
    };
    let is_early = analysis.verdicts.iter().any(is_early);
    let mut limits = of(&|s| s == Severity::Refuse && !is_early);
    limits.extend(stalls(analysis).map(|said| Limit { is_in_answers: true, ..note(said) }));
    limits.extend(not_ranked(analysis).into_iter().map(note));
    limits.extend(all_discarded(run).map(note));
    limits.extend(of(&|s| s == Severity::Error));
    let mut warnings = of(&|s| s == Severity::Warn);
    // Other programs are a reason that the reader can remove.
    let is_background =
        |limit: &Limit| limit.finding.as_ref().is_some_and(|f| f.id == machine::BACKGROUND);
    limits.extend(warnings.extract_if(.., |limit| is_background(limit)));
    limits.extend(missing(run).into_iter().map(note));
    limits.extend(warnings);
    limits
}

fn finding(f: &FindingView, analysis: &Analysis) -> Limit {
    let about = match f.subjects.as_slice() {
        // With one candidate there is nobody else it could be about.
        _ if !analysis.compares => String::new(),
        [] => String::new(),
        [one] => format!(" ({one})"),
        [first, rest @ ..] => format!(" ({first} and {} more)", rest.len()),
    };
    let word = capital(f.severity_word);
    // Without it there is no answer.
    let advice = if f.severity == Severity::Refuse { f.advice.as_str() } else { "" };
    Limit {
        said: format!("{word}{about}: {} {advice}", f.evidence()).trim_end().to_string(),
        is_severe: f.severity >= Severity::Error,
        is_in_answers: false,
        finding: Some(f.clone()),
    }
}

fn stalls(analysis: &Analysis) -> Option<String> {
    let of = |v: &WorkloadVerdict| {
        let on = names::workload(&v.workload);
        let stalls = v.lead.iter().flat_map(|lead| &lead.stalls).filter(|s| s.count());
        stalls.map(|s| (s.share, s.longest_ns, told_stall(s, &on))).collect::<Vec<_>>()
    };
    let mut all: Vec<(f64, u64, String)> = analysis.verdicts.iter().flat_map(of).collect();
    if all.is_empty() {
        return None;
    }
    let others = all.len().saturating_sub(STALLS_MAX);
    if others > 0 {
        all.sort_by(|x, y| y.1.cmp(&x.1).then(y.0.total_cmp(&x.0)));
        all.truncate(STALLS_MAX);
    }
    let told: Vec<String> = all.into_iter().map(|(_, _, told)| told).collect();
    let others = match others {
        0 => String::new(),
        n => format!("; {n} more, none longer"),
    };
    Some(format!("Stalls (!): {}{others}.", told.join("; ")))
}

fn told_stall(s: &TrimmedStalls, on: &str) -> String {
    let (who, share) = (sanitize(&s.candidate), amount::share(s.share));
    format!("{who} {share} of its time on {on} (longest {})", units::duration(s.longest_ns))
}

fn not_ranked(analysis: &Analysis) -> Vec<String> {
    let reasons = [
        NotRanked::Memory,
        NotRanked::MemoryPlace,
        NotRanked::CacheUnknown,
        NotRanked::TooFewBlocks,
    ];
    let of = |reason: NotRanked| {
        let excluded = analysis.verdicts.iter().flat_map(|v| {
            let excluded = v.lead.iter().flat_map(|lead| &lead.excluded);
            let excluded = excluded.filter(|e| e.reason == reason);
            excluded.map(|e| (sanitize(&e.candidate), names::workload(&v.workload)))
        });
        let who = phrases::grouped(excluded);
        let each = who.iter().map(|(name, on)| format!("{name} on {}", phrases::list(on)));
        let each: Vec<String> = each.collect();
        let why = sentence::why_not_ranked(reason);
        (!each.is_empty()).then(|| format!("Not ranked: {} ({why}).", each.join("; ")))
    };
    reasons.into_iter().filter_map(of).collect()
}

/// Why the measurements of a workload were discarded, the last of them, and how many; `None` where
/// more of them count.
pub fn discarded(run: &Run, workload: &str) -> Option<(usize, String)> {
    let index = WorkloadIx::find(&run.header.workloads, |w| w.name == workload)?;
    let lost = run.invalid.iter().filter(|(_, _, w, _)| *w == index);
    let (.., reason) = lost.clone().next_back()?;
    let counted = run.complete_cells().filter(|cell| cell.workload == index).count();
    let lost = lost.count();
    (lost >= counted).then(|| (lost, sentence::stopless(reason)))
}

fn all_discarded(run: &Run) -> Option<String> {
    let of = |workload: &Workload| {
        let (lost, reason) = discarded(run, &workload.name)?;
        Some(format!("{lost} of {} ({reason})", names::workload(&workload.name)))
    };
    let all: Vec<String> = run.header.workloads.iter().filter_map(of).collect();
    (!all.is_empty()).then(|| format!("Discarded measurements: {}.", all.join("; ")))
}

/// Candidates that were not tried, and workloads that were not measured.
fn missing(run: &Run) -> Vec<String> {
    let of = |what: &str, all: &[Skipped]| {
        let all = Skipped::together(all);
        let name = |s: &Skipped| names::workload(&s.name);
        // Many reasons hide what follows them, so they are only in the details.
        let names = if all.len() > REASONS_MAX {
            phrases::list(&all.iter().map(name).collect::<Vec<_>>())
        } else {
            let why = |s: &Skipped| format!("{} ({})", name(s), brief(&s.reason));
            all.iter().map(why).collect::<Vec<_>>().join("; ")
        };
        (!all.is_empty()).then(|| format!("{what}: {names}."))
    };
    let header = &run.header;
    let candidates = of("Not tried", &header.skipped);
    candidates.into_iter().chain(of("Not measured", &header.dropped_workloads)).collect()
}

/// A reason without what mends it, which the details tell.
fn brief(reason: &str) -> String {
    let whole = sentence::stopless(reason);
    whole.split_once(". ").map(|(first, _)| first.to_string()).unwrap_or(whole)
}

/// The bottleneck of all workloads in one sentence; `None` where none is known.
pub fn bottleneck(analysis: &Analysis) -> Option<String> {
    let known = analysis.verdicts.iter().filter_map(|v| Some((cause(v)?, v)));
    let groups =
        phrases::grouped(known.clone().map(|(what, v)| (what, names::workload(&v.workload))));
    let is_proved =
        |v: &WorkloadVerdict| v.held_back.iter().all(|held| held.reason.grade == Grade::Proved);
    let is_verified = known.into_iter().all(|(_, v)| is_proved(v));
    let limit = if is_verified { "Limit (verified)" } else { "Likely limit" };
    let total = analysis.verdicts.len();
    match groups.as_slice() {
        [] => None,
        [(what, on)] if on.len() == total => Some(format!("{limit}: {what}.")),
        several => {
            let each = several.iter().map(|(what, on)| format!("{what} ({})", on.join(", ")));
            let each: Vec<String> = each.collect();
            Some(format!("{limit}: {}.", each.join("; ")))
        }
    }
}

fn cause(v: &WorkloadVerdict) -> Option<String> {
    let known = || v.held_back.iter().filter(|h| h.reason.cause != Cause::Unattributed);
    let first = known().next()?;
    if known().count() < v.held_back.len() || known().any(|h| h.reason.cause != first.reason.cause)
    {
        return Some("differs by candidate".to_string());
    }
    Some(first.reason.cause.label().to_string())
}
