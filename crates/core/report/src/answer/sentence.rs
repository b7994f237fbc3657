//! The answer about one workload in words, from the types of the verdict.
//!
//! The patterns are fixed: "xfs is fastest for random writes: at least 9 % faster than any other.",
//! "ext4, xfs and ext2 are equally fast (within 5 %). btrfs is at least 2.6 times slower.", "ext4
//! leads so far; xfs could still be up to 13 % faster. Run 10 more minutes to narrow this to 6 %."

use crate::layout::{columns, cut};
use bakeoff_judge::rules::limit;
use bakeoff_model::lead::{Lead, NotRanked, Refusal, TrimmedStalls, fraction};
use bakeoff_model::path::sanitize;
use bakeoff_model::verdict::{Verdict, WorkloadVerdict};
use bakeoff_stats::phrases;
use bakeoff_stats::units;

use super::{amount, names};

const MOST_NAMED: usize = 3;
const NAME_WIDTHS: [usize; 5] = [40, 24, 16, 11, 7];

pub fn full(verdict: &WorkloadVerdict, lead: &Lead) -> String {
    let own = |name: &str| sanitize(name);
    let on = format!(" for {}", names::workload(&verdict.workload));
    let say = Say { verdict, lead, label: &own, on: &on, most_named: usize::MAX };
    let mut parts = vec![say.main()];
    parts.extend(say.each_behind());
    parts.extend(say.stalls());
    parts.extend(say.left_out());
    parts.extend(more(verdict.verdict, lead));
    parts.join(" ")
}

/// The answer in `width` characters, without the name of the workload.
pub fn short(verdict: &WorkloadVerdict, lead: &Lead, width: usize) -> String {
    let all: Vec<String> = verdict.standings.iter().map(|s| sanitize(&s.candidate)).collect();
    let mut last = String::new();
    for name_width in NAME_WIDTHS {
        let labels = names::labels(&all, name_width);
        let label = |name: &str| {
            let name = sanitize(name);
            let known = all.iter().position(|n| *n == name);
            known.map_or_else(|| cut(&name, name_width), |i| labels[i].clone())
        };
        let say = Say { verdict, lead, label: &label, on: "", most_named: MOST_NAMED };
        for main in [say.main_with_stalls(), say.shorter(), say.brief(), say.briefest()] {
            if columns(&main) <= width {
                return fill(main, &say, width);
            }
            last = main;
        }
    }
    cut(&last, width)
}

fn fill(mut line: String, say: &Say, width: usize) -> String {
    let others = say.stalls_of(|s| Some(&s.candidate) != say.lead.leader.as_ref());
    let rest = [others, say.behind(), more(say.verdict.verdict, say.lead)];
    for part in rest.into_iter().flatten() {
        if columns(&line) + 1 + columns(&part) <= width {
            line = format!("{line} {part}");
        }
    }
    line
}

struct Say<'a> {
    verdict: &'a WorkloadVerdict,
    lead: &'a Lead,
    label: &'a dyn Fn(&str) -> String,
    on: &'a str,
    most_named: usize,
}

impl Say<'_> {
    fn leader(&self) -> String {
        self.lead.leader.as_deref().map_or_else(|| "nobody".to_string(), self.label)
    }

    fn names(&self, all: &[String]) -> String {
        let mut named: Vec<String> =
            all.iter().take(self.most_named).map(|n| (self.label)(n)).collect();
        match all.len() - named.len() {
            0 => phrases::names(&named),
            1 => {
                named.extend(all.last().map(|n| (self.label)(n)));
                phrases::names(&named)
            }
            more => {
                named.truncate(2);
                named.push(format!("{} others", more + self.most_named - 2));
                phrases::list(&named)
            }
        }
    }

    fn main(&self) -> String {
        let (leader, lead, on) = (self.leader(), self.lead, self.on);
        match self.verdict.verdict {
            Verdict::Fastest => {
                let by = amount::faster(lead.fraction().unwrap_or(0.0));
                format!("{leader} is fastest{on}: at least {by} {}.", self.any_other())
            }
            Verdict::AsFast if lead.equals.len() > 1 => {
                let margin = amount::share(lead.margin);
                let who = match lead.equals.len() {
                    n if n > self.most_named && n == self.ranked() => format!("All {n}"),
                    _ => self.names(&lead.equals),
                };
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

    fn ranked(&self) -> usize {
        1 + self.lead.behind.len() + self.lead.rivals.len()
    }

    fn any_other(&self) -> String {
        match self.lead.behind.as_slice() {
            [one] => (self.label)(&one.candidate),
            _ => "any other".to_string(),
        }
    }

    fn leads(&self) -> String {
        let (leader, lead, on) = (self.leader(), self.lead, self.on);
        let rival = lead.closest.as_deref().map_or_else(|| "another".to_string(), self.label);
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
        let on = self.on;
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

    fn shorter(&self) -> String {
        let leader = self.leader();
        if self.own_stalls().is_some() {
            return self.brief();
        }
        match (self.verdict.verdict, bound(self.lead), &self.lead.closest) {
            (Verdict::Leads, LeadBound::AtMost(bound), Some(rival)) => {
                let (rival, by) = ((self.label)(rival), amount::could_be(bound));
                format!("{leader} leads so far; {rival} could be up to {by}.")
            }
            (Verdict::Leads, LeadBound::TooWide, _) => {
                format!("{leader} leads so far by an unknown amount (blocks differ).")
            }
            (Verdict::Refused, ..) => match &self.lead.refusal {
                Some(Refusal::TooFewBlocks { complete, needed }) => {
                    format!("No winner yet ({complete} of {needed} blocks); {leader} leads so far.")
                }
                Some(Refusal::NothingToCompare { .. } | Refusal::Findings { .. }) | None => {
                    self.main()
                }
            },
            _ => self.brief(),
        }
    }

    fn brief(&self) -> String {
        let stalled = match self.own_stalls() {
            Some(s) => format!("; stalled {} of time", amount::share(s.share)),
            None => String::new(),
        };
        self.brief_with(&stalled)
    }

    /// Without the stalls, which the table marks: better than half a name.
    fn briefest(&self) -> String {
        self.brief_with("")
    }

    fn brief_with(&self, stalled: &str) -> String {
        let leader = self.leader();
        match (self.verdict.verdict, bound(self.lead)) {
            (Verdict::Fastest, _) => {
                let by = self.lead.fraction().unwrap_or(0.0);
                if by >= 1.0 {
                    format!("{leader} fastest ({} times){stalled}.", amount::times(by))
                } else {
                    format!("{leader} fastest by at least {}{stalled}.", amount::at_least(by))
                }
            }
            (Verdict::AsFast, _) => match self.lead.equals.len() {
                0 | 1 => {
                    let by = amount::at_most(-self.lead.fraction().unwrap_or(0.0));
                    format!("{leader}: none is more than {by} faster{stalled}.")
                }
                n => {
                    let others = phrases::count(n - 1, "other");
                    format!("{leader} and {others} are equally fast{stalled}.")
                }
            },
            (Verdict::Leads, LeadBound::AtMost(bound)) => {
                let rival = self.lead.closest.as_deref();
                let rival = rival.map_or_else(|| "another".to_string(), self.label);
                format!("{leader} leads; {rival} up to {}{stalled}.", amount::could_be(bound))
            }
            (Verdict::Leads, _) => format!("{leader} leads by an unknown amount{stalled}."),
            (Verdict::Refused, _) => match &self.lead.refusal {
                Some(Refusal::TooFewBlocks { complete, needed }) => {
                    format!("No winner yet ({complete} of {needed} blocks).")
                }
                Some(Refusal::NothingToCompare { .. } | Refusal::Findings { .. }) | None => {
                    self.main()
                }
            },
            _ => self.main(),
        }
    }

    fn main_with_stalls(&self) -> String {
        match self.own_stalls() {
            Some(s) => {
                format!("{} It stalled {} of its time.", self.main(), amount::share(s.share))
            }
            None => self.main(),
        }
    }

    fn own_stalls(&self) -> Option<&TrimmedStalls> {
        let is_claim = self.verdict.verdict != Verdict::Refused;
        let is_own =
            |s: &&TrimmedStalls| Some(&s.candidate) == self.lead.leader.as_ref() && s.count();
        self.lead.stalls.iter().find(is_own).filter(|_| is_claim)
    }

    fn behind(&self) -> Option<String> {
        let is_said = matches!(self.verdict.verdict, Verdict::Fastest | Verdict::Refused);
        let least = self.lead.behind.first().filter(|_| !is_said)?.at_least;
        let all: Vec<String> = self.lead.behind.iter().map(|b| b.candidate.clone()).collect();
        let verb = if all.len() == 1 { "is" } else { "are" };
        Some(format!("{} {verb} at least {}.", self.names(&all), amount::slower(least)))
    }

    fn each_behind(&self) -> Option<String> {
        self.behind()?;
        let mut each = self.lead.behind.iter();
        let first = each.next()?;
        let (who, by) = ((self.label)(&first.candidate), amount::slower(first.at_least));
        let mut said = format!("{who} is at least {by}");
        for behind in each {
            let (who, by) = ((self.label)(&behind.candidate), amount::slower_by(behind.at_least));
            said.push_str(&format!(", {who} {by}"));
        }
        Some(format!("{said}."))
    }

    fn stalls(&self) -> Option<String> {
        self.stalls_of(|_| true)
    }

    fn stalls_of(&self, is_wanted: impl Fn(&TrimmedStalls) -> bool) -> Option<String> {
        let told = self.lead.stalls.iter().filter(|s| s.count() && is_wanted(s));
        let told: Vec<String> = told.map(|s| stalled(&(self.label)(&s.candidate), s)).collect();
        (!told.is_empty()).then(|| told.join(" "))
    }

    fn left_out(&self) -> Option<String> {
        let each = self.lead.excluded.iter().map(|e| {
            let (who, why) = ((self.label)(&e.candidate), why_not_ranked(e.reason));
            format!("{who} is not ranked: {why}.")
        });
        let each: Vec<String> = each.collect();
        (!each.is_empty()).then(|| each.join(" "))
    }
}

/// "btrfs stalled 12 times, 8 % of its time (longest 2.1 s)."
pub fn stalled(who: &str, s: &TrimmedStalls) -> String {
    format!(
        "{who} stalled {}, {} of its time (longest {}).",
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
