//! The recommendation in words: "xfs: fastest or within 5 % everywhere but small files (18 %
//! behind ext4)", what it gives up, and the commands to make it.

use crate::recipe;
use bakeoff_judge::analyse::scope;
use bakeoff_model::candidate::Kind;
use bakeoff_model::event::StopReason;
use bakeoff_model::lead::Refusal;
use bakeoff_model::path::sanitize;
use bakeoff_model::recommendation::{GivesUp, Recommendation, Regret};
use bakeoff_model::run::Run;
use bakeoff_model::uses::Need;
use bakeoff_model::verdict::{Analysis, Verdict};
use bakeoff_stats::phrases;
use bakeoff_stats::units;

use super::{amount, names};

/// So many workloads are named as exceptions; with more, the greatest stands for all.
const MOST_EXCEPTIONS: usize = 2;

/// The recommendation, ready to be laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub candidate: Option<String>,
    pub said: String,
    pub notes: Vec<String>,
    /// The first of them, without which the choice misleads, in fewer words: for a screen.
    pub brief: Vec<String>,
    /// Commands that make it; empty for directories and where there is no single choice.
    pub commands: Vec<String>,
}

pub fn from_run(run: &Run, analysis: &Analysis) -> Choice {
    let Some(chosen) = &analysis.recommendation else {
        return Choice::without_candidate(none(run, analysis));
    };
    let reach = || scope::reach(&run.header).map(str::to_string).into_iter();
    let suits_nobody = !chosen.suits();
    let none = match (chosen.undecided.as_slice(), chosen.alternatives.is_empty()) {
        _ if suits_nobody => Some(nobody_suits(chosen)),
        ([], true) => None,
        ([], false) => Some(best_for_each(chosen)),
        (open, _) => Some(no_choice_yet(open)),
    };
    if let Some(none) = none {
        let out = if suits_nobody { Vec::new() } else { ruled_out(chosen) };
        return Choice {
            notes: reach().chain(out).chain(left_out(chosen)).collect(),
            brief: brief_reach(run).into_iter().chain(left_out(chosen)).collect(),
            ..Choice::without_candidate(none)
        };
    }
    let mut notes: Vec<String> = left_out(chosen).into_iter().collect();
    notes.extend(gives_up(chosen));
    notes.extend(ruled_out(chosen));
    notes.extend(reach());
    notes.extend(as_good(run, chosen));
    let mut brief: Vec<String> = left_out(chosen).into_iter().collect();
    brief.extend(has(chosen, |g| lacks(g).0.to_string()));
    brief.extend(faster_but(chosen).into_iter().next());
    brief.extend(brief_reach(run));
    let candidate = run.header.candidates.iter().find(|c| c.name == chosen.candidate);
    let commands = match candidate.map(|c| &c.kind) {
        Some(Kind::Stack(stack)) => recipe::make(stack),
        Some(Kind::Directory { .. }) | None => Vec::new(),
    };
    let candidate = Some(sanitize(&chosen.candidate));
    Choice { candidate, said: said(run, analysis, chosen), notes, brief, commands }
}

impl Choice {
    pub fn without_candidate(said: String) -> Choice {
        Choice { candidate: None, said, notes: Vec::new(), brief: Vec::new(), commands: Vec::new() }
    }
}

fn none(run: &Run, analysis: &Analysis) -> String {
    let blocks =
        analysis.verdicts.iter().find_map(|v| match v.lead.as_ref()?.refusal.as_ref()? {
            Refusal::TooFewBlocks { complete, needed } => Some((*complete, *needed)),
            Refusal::NothingToCompare { .. } | Refusal::Findings { .. } => None,
        });
    match blocks {
        Some((complete, needed)) => {
            let why = match &run.stopped {
                Some((StopReason::WriteBudget, _)) => " The write limit ended the run.",
                Some((StopReason::TimeUp, _)) => " The time limit ended the run.",
                _ => "",
            };
            format!("No recommendation yet: {complete} of {needed} blocks are complete.{why}")
        }
        None => "No recommendation: no workload has an answer.".to_string(),
    }
}

fn best_for_each(chosen: &Recommendation) -> String {
    let each = chosen.alternatives.iter().map(|best| {
        format!("{} for {}", sanitize(&best.candidate), workloads(best.workloads.iter()))
    });
    let each = each.collect::<Vec<_>>().join("; ");
    format!("No candidate suits every workload: {each}.")
}

fn nobody_suits(chosen: &Recommendation) -> String {
    let all = chosen.ruled_out.iter().map(|out| {
        let lacks = out.lacks.iter().map(|need| without(*need).to_string());
        format!("{} has {}", sanitize(&out.candidate), phrases::list(&lacks.collect::<Vec<_>>()))
    });
    let all = all.collect::<Vec<_>>().join("; ");
    let (phrase, usual) = (chosen.drive_use.phrase(), chosen.drive_use.usual_filesystem());
    format!("None of these is for {phrase}: {all}. Compare {usual} too.")
}

fn no_choice_yet(open: &[String]) -> String {
    let names: Vec<String> = open.iter().map(|name| sanitize(name)).collect();
    match names.as_slice() {
        [one] => format!("No choice yet: {one} leads so far."),
        _ => format!("No choice yet: {} cannot be told apart here.", phrases::list(&names)),
    }
}

fn ruled_out(chosen: &Recommendation) -> Vec<String> {
    let drive_use = chosen.drive_use;
    let faster = faster_but(chosen);
    let slower: Vec<String> = chosen
        .ruled_out
        .iter()
        .filter(|out| out.faster.is_none())
        .map(|out| sanitize(&out.candidate))
        .collect();
    let rest = (!slower.is_empty())
        .then(|| format!("Not for {}: {}.", drive_use.phrase(), phrases::list(&slower)));
    faster.into_iter().chain(rest).collect()
}

/// Of each that the use rules out although it is faster: the gain, then the price.
fn faster_but(chosen: &Recommendation) -> Vec<String> {
    let each = chosen.ruled_out.iter().filter_map(|out| {
        let (faster, workload) = (out.faster.as_ref()?, out.workload.as_ref()?);
        let lacks = out.lacks.iter().map(|need| without(*need).to_string());
        let lacks: Vec<String> = lacks.collect();
        Some(format!(
            "{} is {} times as fast for {} ({} to {}), but has {}: not for {}.",
            sanitize(&out.candidate),
            units::three_digits(faster.ratio),
            names::workload(workload),
            units::three_digits(faster.low),
            units::three_digits(faster.high),
            phrases::list(&lacks),
            chosen.drive_use.phrase()
        ))
    });
    each.collect()
}

fn without(need: Need) -> &'static str {
    match need {
        Need::Persistence => "no data left after a restart",
        Need::Flushes => "no flushes, so that a power cut may lose synced data",
        Need::CrashProtection => "no protection against crashes",
        Need::KernelDriver => "no kernel driver",
        Need::Owners => "no file owners",
        Need::LargeFiles => "no files over 4 GiB",
        Need::RootFilesystem => "no driver in the initramfs",
        Need::WindowsAndMac => "no driver in Windows and macOS",
    }
}

fn said(run: &Run, analysis: &Analysis, chosen: &Recommendation) -> String {
    let who = sanitize(&chosen.candidate);
    let is_out = |name: &String| chosen.ruled_out.iter().any(|out| out.candidate == *name);
    let others = |name: &str| *name != chosen.candidate && !is_out(&name.to_string());
    let all = run.header.candidates.iter().filter(|c| c.twin_of.is_none());
    if !chosen.ruled_out.is_empty() && !all.map(|c| c.name.as_str()).any(others) {
        return format!("{who}: the only one here for {}.", chosen.drive_use.phrase());
    }
    let who = match chosen.ruled_out.is_empty() {
        true => who,
        false => format!("{who}, of those for {}", chosen.drive_use.phrase()),
    };
    // Where single answers do not hold together, "fastest" is not said over all of them.
    let holds = |r: &Regret| {
        let v = analysis.verdicts.iter().find(|v| v.workload == r.workload);
        let lead = v.and_then(|v| v.lead.as_ref());
        lead.is_some_and(|lead| lead.holds_for_all)
            && v.map(|v| v.verdict) == Some(Verdict::Fastest)
    };
    let is_fastest = |r: &&Regret| r.at_most <= 0.0 && holds(r);
    let is_within = |r: &&Regret| r.at_most <= run.header.protocol.tie_margin;
    let fastest = chosen.regrets.iter().filter(is_fastest).count();
    let (near, far): (Vec<&Regret>, Vec<&Regret>) =
        chosen.regrets.iter().filter(|r| !is_fastest(r)).partition(is_within);
    let mut far = far;
    far.sort_by(|x, y| y.at_most.total_cmp(&x.at_most));
    let place = match (chosen.regrets.as_slice(), chosen.left_out.is_empty()) {
        ([one], _) => format!(" for {}", names::workload(&one.workload)),
        (_, true) => " for all workloads".to_string(),
        (_, false) => " for the other workloads".to_string(),
    };
    // 1 % stands for a lead that is certain alone, but not together with the others.
    let within = near.iter().map(|r| r.at_most.max(0.01)).fold(0.0, f64::max);
    let within = amount::at_most(within);
    match (fastest, near.len(), far.as_slice()) {
        (_, 0, []) => format!("{who}: fastest{place}."),
        (0, _, []) => format!("{who}: within {within} of the fastest{place}."),
        (_, _, []) => format!("{who}: fastest or within {within} of the fastest{place}."),
        (f, n, far) if f + n == 0 || far.len() > MOST_EXCEPTIONS => {
            let worst = far[0];
            let on = match chosen.regrets.len() {
                1 => format!(" for {}", names::workload(&worst.workload)),
                _ => format!(" ({})", names::workload(&worst.workload)),
            };
            let behind = worst.behind.as_deref().map_or("the fastest".to_string(), sanitize);
            format!(
                "{who} is the best compromise: {} behind {behind} in its worst case{on}.",
                up_to(worst.at_most)
            )
        }
        (0, _, far) => {
            format!("{who}: within {within} of the fastest, except for {}.", exceptions(far))
        }
        (_, 0, far) => format!("{who}: fastest, except for {}.", exceptions(far)),
        (_, _, far) => {
            format!("{who}: fastest or within {within}, except for {}.", exceptions(far))
        }
    }
}

fn exceptions(far: &[&Regret]) -> String {
    let each = far.iter().map(|r| {
        let behind = r.behind.as_deref().map_or("another".to_string(), sanitize);
        format!("{} ({} behind {behind})", names::workload(&r.workload), up_to(r.at_most))
    });
    phrases::list(&each.collect::<Vec<_>>())
}

/// "up to 18 %", or that it is unknown.
fn up_to(at_most: f64) -> String {
    match at_most <= amount::WIDEST - 1.0 {
        true => format!("up to {}", amount::at_most(at_most)),
        false => "an unknown amount".to_string(),
    }
}

fn left_out(chosen: &Recommendation) -> Option<String> {
    let all = chosen.left_out.as_slice();
    (!all.is_empty()).then(|| format!("No verdict for {}.", workloads(all.iter())))
}

fn gives_up(chosen: &Recommendation) -> Option<String> {
    has(chosen, |g| match lacks(g) {
        (what, "") => what.to_string(),
        (what, consequence) => format!("{what} ({consequence})"),
    })
}

fn has(chosen: &Recommendation, word: impl Fn(GivesUp) -> String) -> Option<String> {
    let all: Vec<String> = chosen.gives_up.iter().map(|g| word(*g)).collect();
    (!all.is_empty())
        .then(|| format!("{} has {}.", sanitize(&chosen.candidate), phrases::list(&all)))
}

fn brief_reach(run: &Run) -> Option<String> {
    scope::reach(&run.header).map(|_| "Measured on an image file on this drive.".to_string())
}

fn as_good(run: &Run, chosen: &Recommendation) -> Option<String> {
    let all: Vec<String> = chosen.within_margin.iter().map(|n| sanitize(n)).collect();
    let (are, lack) = if all.len() == 1 { ("is", "lacks") } else { ("are", "lack") };
    let margin = amount::share(run.header.protocol.tie_margin);
    let names = phrases::names(&all);
    let price = match chosen.gives_up.is_empty() {
        true => String::new(),
        false => format!(", but {lack} at least as many features"),
    };
    let usual = chosen.drive_use.usual_filesystem();
    let price = match chosen.candidate == usual {
        true => format!("; {usual} is what is usual for {}", chosen.drive_use.phrase()),
        false => price,
    };
    (!all.is_empty()).then(|| format!("{names} {are} as fast (within {margin}){price}."))
}

fn lacks(what: GivesUp) -> (&'static str, &'static str) {
    match what {
        GivesUp::Persistence => ("no data left after a restart", ""),
        GivesUp::Flushes => ("no flushes", "a power cut may lose synced data"),
        GivesUp::Journal => ("no journal", "it needs a check after a crash"),
        GivesUp::KernelDriver => ("a user-space driver", ""),
        GivesUp::Booting => ("no file owners", "Linux cannot boot from it"),
        GivesUp::DataChecksums => ("no data checksums", ""),
    }
}

fn workloads<'a>(all: impl Iterator<Item = &'a String>) -> String {
    phrases::list(&all.map(|name| names::workload(name)).collect::<Vec<_>>())
}
