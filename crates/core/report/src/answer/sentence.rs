//! The answer about one workload in words, from the types of the verdict.
//!
//! The patterns are fixed: "xfs is fastest for random writes: at least 9 % faster than any other.",
//! "ext4, xfs and ext2 are equally fast (within 5 %). btrfs is at least 2.6 times slower.", "ext4
//! leads so far; xfs could still be up to 13 % faster. Run 10 more minutes to narrow this to 6 %."

use bakeoff_judge::rules::limit;
use bakeoff_model::lead::{Lead, NotRanked, Refusal, TrimmedStalls, fraction};
use bakeoff_model::path::sanitize;
use bakeoff_model::verdict::{Verdict, WorkloadVerdict};
use bakeoff_stats::phrases;
use bakeoff_stats::units;

use super::{amount, names};

pub fn full(verdict: &WorkloadVerdict, lead: &Lead) -> String {
    let say = Say { verdict, lead, on: format!(" for {}", names::workload(&verdict.workload)) };
    let mut parts = vec![say.main()];
    parts.extend(say.behind());
    parts.extend(say.stalls());
    parts.extend(say.left_out());
    parts.extend(more(verdict.verdict, lead));
    parts.join(" ")
}

struct Say<'a> {
    verdict: &'a WorkloadVerdict,
    lead: &'a Lead,
    on: String,
}

impl Say<'_> {
    fn leader(&self) -> String {
        self.lead.leader.as_deref().map_or_else(|| "nobody".to_string(), sanitize)
    }

    fn main(&self) -> String {
        let (leader, lead, on) = (self.leader(), self.lead, &self.on);
        match self.verdict.verdict {
            Verdict::Fastest => {
                let by = amount::faster(lead.fraction().unwrap_or(0.0));
                format!("{leader} is fastest{on}: at least {by} {}.", self.any_other())
            }
            Verdict::AsFast if lead.equals.len() > 1 => {
                let margin = amount::share(lead.margin);
                let who: Vec<String> = lead.equals.iter().map(|name| sanitize(name)).collect();
                let who = phrases::names(&who);
                format!("{who} are equally fast{on} (within {margin}).")
            }
            Verdict::AsFast => {
                let bound = amount::at_most(-lead.fraction().unwrap_or(0.0));
                format!("{leader} is as fast as any{on}: no other is more than {bound} faster.")
            }
            Verdict::Leads => self.leads(),
            _ => self.refused(),
        }
    }

    fn any_other(&self) -> String {
        match self.lead.behind.as_slice() {
            [one] => sanitize(&one.candidate),
            _ => "any other".to_string(),
        }
    }

    fn leads(&self) -> String {
        let (leader, lead, on) = (self.leader(), self.lead, &self.on);
        let rival = lead.closest.as_deref().map_or_else(|| "another".to_string(), sanitize);
        match bound(lead) {
            LeadBound::AtMost(bound) => {
                let by = amount::could_be(bound);
                format!("{leader} leads so far{on}; {rival} could still be up to {by}.")
            }
            LeadBound::TooWide => format!(
                "{leader} leads so far{on}; the size of its lead is unknown, because the \
                 block-to-block variation is too large."
            ),
            LeadBound::None => format!(
                "{leader} leads so far{on}; the size of its lead is unknown, because too few \
                 measurements are valid."
            ),
        }
    }

    fn refused(&self) -> String {
        let on = &self.on;
        match &self.lead.refusal {
            Some(Refusal::TooFewBlocks { complete, needed }) => {
                let so_far = match &self.lead.leader {
                    Some(_) => format!(" {} leads so far.", self.leader()),
                    None => String::new(),
                };
                format!("No winner yet{on}: {complete} of {needed} blocks are complete.{so_far}")
            }
            Some(Refusal::NothingToCompare { ranked }) => {
                let why = self.why_unranked();
                match (ranked, &self.lead.leader) {
                    (1, Some(_)) => {
                        format!("No comparison{on}: only {} is ranked{why}.", self.leader())
                    }
                    _ => format!("No comparison{on}: no candidate is ranked{why}."),
                }
            }
            Some(Refusal::Findings { .. }) | None => {
                let first = limit::forbidding(&self.verdict.findings).first().copied();
                let why = first.map_or_else(
                    || "a finding prevents it".to_string(),
                    |f| format!("{} ({})", stopless(&f.evidence), sanitize(&f.id)),
                );
                format!("No verdict{on}: {why}.")
            }
        }
    }

    fn why_unranked(&self) -> String {
        let mut why: Vec<&str> =
            self.lead.excluded.iter().map(|e| why_not_ranked(e.reason)).collect();
        why.dedup();
        if why.is_empty() { String::new() } else { format!(" ({})", why.join("; ")) }
    }

    /// Each that is certainly slower; nothing where the main sentence says it or nothing is claimed.
    fn behind(&self) -> Option<String> {
        if matches!(self.verdict.verdict, Verdict::Fastest | Verdict::Refused) {
            return None;
        }
        let mut each = self.lead.behind.iter();
        let first = each.next()?;
        let by = amount::slower(first.at_least);
        let mut said = format!("{} is at least {by}", sanitize(&first.candidate));
        for behind in each {
            let by = amount::slower_by(behind.at_least);
            said.push_str(&format!(", {} {by}", sanitize(&behind.candidate)));
        }
        Some(format!("{said}."))
    }

    fn stalls(&self) -> Option<String> {
        let all = self.lead.stalls.iter().filter(|s| s.count());
        let all: Vec<String> = all.map(stalled).collect();
        (!all.is_empty()).then(|| all.join(" "))
    }

    fn left_out(&self) -> Option<String> {
        let each = self.lead.excluded.iter().map(|e| {
            let (who, why) = (sanitize(&e.candidate), why_not_ranked(e.reason));
            format!("{who} is not ranked: {why}.")
        });
        let each: Vec<String> = each.collect();
        (!each.is_empty()).then(|| each.join(" "))
    }
}

/// "btrfs stalled 12 times, 8 % of its time (longest 2.1 s)."
fn stalled(s: &TrimmedStalls) -> String {
    format!(
        "{} stalled {}, {} of its time (longest {}).",
        sanitize(&s.candidate),
        phrases::count(s.number, "time"),
        amount::share(s.share),
        units::duration(s.longest_ns)
    )
}

pub fn why_not_ranked(reason: NotRanked) -> &'static str {
    match reason {
        NotRanked::Memory => "reads came from memory, not from the drive",
        NotRanked::MemoryPlace => "the target is in memory",
        NotRanked::CacheUnknown => "reads may have come from memory",
        NotRanked::TooFewBlocks => "too few measurements are valid",
    }
}

/// A lead that is still as uncertain as this after more time is no reason to wait for it.
const WORTH_WAITING: f64 = 0.5;

enum LeadBound {
    AtMost(f64),
    TooWide,
    None,
}

fn bound(lead: &Lead) -> LeadBound {
    let Some(lead_ln) = lead.lead_ln.filter(|ln| ln.is_finite()) else { return LeadBound::None };
    let is_told = lead
        .interval
        .is_none_or(|i| !amount::is_unknown(libm::exp(i.low_ln), libm::exp(i.high_ln)));
    match fraction(-lead_ln) {
        bound if is_told && bound <= amount::WIDEST - 1.0 => LeadBound::AtMost(bound.max(0.0)),
        _ => LeadBound::TooWide,
    }
}

fn more(verdict: Verdict, lead: &Lead) -> Option<String> {
    let more = lead.more.filter(|_| verdict == Verdict::Leads)?;
    let now = lead.lead_ln.filter(|now| more.lead_ln > *now)?;
    let minutes = more.time_ns / 60_000_000_000;
    let then = fraction(more.lead_ln);
    if then > 0.0 {
        return Some(format!("Run {minutes} more minutes to determine the fastest."));
    }
    let (before, after) = (amount::at_most(fraction(-now)), amount::at_most(-then));
    let is_told = -then <= WORTH_WAITING && before != after;
    is_told.then(|| format!("Run {minutes} more minutes to narrow this to {after}."))
}

pub fn is_worth_more_time(verdict: &WorkloadVerdict) -> bool {
    verdict.lead.as_ref().is_some_and(|lead| {
        matches!(lead.refusal, Some(Refusal::TooFewBlocks { .. }))
            || more(verdict.verdict, lead).is_some()
    })
}

/// Text of others inside a sentence: harmless, without its full stop.
pub fn stopless(text: &str) -> String {
    sanitize(text.trim()).trim_end_matches('.').to_string()
}
