//! The recommendation in words: "xfs: fastest or within 5 % everywhere but small files (18 %
//! behind ext4)", what it gives up, and the commands to make it.

use crate::recipe;
use bakeoff_judge::analyse::scope;
use bakeoff_model::candidate::{Candidate, Kind};
use bakeoff_model::event::StopReason;
use bakeoff_model::lead::Refusal;
use bakeoff_model::path::sanitize;
use bakeoff_model::recommendation::{GivesUp, Recommendation, Regret};
use bakeoff_model::run::Run;
use bakeoff_model::uses::Need;
use bakeoff_model::verdict::{Analysis, Verdict, WorkloadVerdict};
use bakeoff_stats::phrases;
use bakeoff_stats::units;

use super::{amount, limits, names, wear};

/// So many workloads are named as exceptions; with more, the greatest stands for all.
const MOST_EXCEPTIONS: usize = 2;

/// The recommendation, ready to be laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub candidate: Option<String>,
    pub said: String,
    /// What to know beside it, first what misleads where it is missing.
    pub notes: Vec<String>,
    /// Commands that make it; empty for directories and where there is no single choice.
    pub commands: Vec<String>,
}

pub fn from_run(run: &Run, analysis: &Analysis) -> Choice {
    let Some(chosen) = &analysis.recommendation else {
        return Choice::without_candidate(none(run, analysis));
    };
    let reach = || scope::reach(&run.header).map(str::to_string).into_iter();
    let suits_nobody = !chosen.suits();
    if run.header.candidates.iter().all(|c| c.place().is_some()) {
        let mut said = said_of_directories(run, analysis);
        said.extend(left_out(chosen));
        let notes = said.split_off(1);
        return Choice { notes, ..Choice::without_candidate(said.concat()) };
    }
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
            ..Choice::without_candidate(none)
        };
    }
    let mut notes: Vec<String> = left_out(chosen).into_iter().collect();
    notes.extend(faster_but(chosen));
    notes.extend(keeps(run, chosen));
    notes.extend(reach());
    notes.extend(gives_up(chosen));
    notes.extend(slower_without(chosen));
    notes.extend(as_good(run, chosen));
    notes.extend(wear::note(run, analysis, chosen));
    let candidate = run.header.candidates.iter().find(|c| c.name == chosen.candidate);
    let commands = match candidate.map(|c| &c.kind) {
        Some(Kind::Stack(stack)) => recipe::make(stack),
        Some(Kind::Directory { .. }) | None => Vec::new(),
    };
    let candidate = Some(sanitize(&chosen.candidate));
    Choice { candidate, said: said(run, analysis, chosen), notes, commands }
}

impl Choice {
    pub fn without_candidate(said: String) -> Choice {
        Choice { candidate: None, said, notes: Vec::new(), commands: Vec::new() }
    }
}

fn none(run: &Run, analysis: &Analysis) -> String {
    let why = analysis.verdicts.iter().find_map(|v| limits::discarded(run, &v.workload));
    if let Some((_, why)) = why {
        return format!("No recommendation: measurements were discarded ({why}).");
    }
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
    faster_but(chosen).into_iter().chain(slower_without(chosen)).collect()
}

/// Those that the use rules out and that are not much faster either.
fn slower_without(chosen: &Recommendation) -> Option<String> {
    let slower = chosen.ruled_out.iter().filter(|out| out.faster.is_none());
    let slower: Vec<String> = slower.map(|out| sanitize(&out.candidate)).collect();
    (!slower.is_empty())
        .then(|| format!("Not for {}: {}.", chosen.drive_use.phrase(), phrases::list(&slower)))
}

/// The name without the state in which it was measured: that comes by itself.
fn stack_name(run: &Run, name: &str) -> String {
    let candidate = run.header.candidates.iter().find(|c| c.name == name);
    let state = candidate.map(Candidate::state).filter(|state| !state.is_empty());
    let ending = state.map(|state| format!(" · {}", state.label()));
    sanitize(ending.and_then(|ending| name.strip_suffix(&ending)).unwrap_or(name))
}

/// What need not be made anew: the filesystem that is there, if that is known, or whoever has it.
fn keeps(run: &Run, chosen: &Recommendation) -> Option<String> {
    let named = |name: &String| run.header.candidates.iter().find(|c| c.name == *name);
    let fs = |name: &String| Some(named(name)?.stack()?.fs.clone());
    let found: Vec<&String> = run.header.regions().flat_map(|region| &region.held).collect();
    let is_there = |name: &&String| fs(name).is_some_and(|fs| found.contains(&&fs));
    let mut stays = std::iter::once(&chosen.candidate).chain(&chosen.keep);
    if let Some(there) = stays.find(is_there) {
        return Some(format!("{} is here already. Keep it.", stack_name(run, there)));
    }
    let all = chosen.keep.iter().filter(|name| fs(name).is_some());
    let all: Vec<String> = all.map(|name| stack_name(run, name)).collect();
    (!all.is_empty()).then(|| format!("Already {}? Keep it.", all.join(" or ")))
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
    let name = stack_name(run, &chosen.candidate);
    let who = format!("Use {name} for {}", chosen.drive_use.phrase());
    let is_out = |name: &String| chosen.ruled_out.iter().any(|out| out.candidate == *name);
    let all = run.header.candidates.iter().filter(|c| c.twin_of.is_none());
    let suits = all.filter(|c| !is_out(&c.name)).count();
    let who = match (chosen.ruled_out.is_empty(), suits) {
        (true, _) => format!("{who}:"),
        (false, 1) => return format!("{who}: no other here is fit for it."),
        (false, n) => format!("{who}: of the {n} fit for it,"),
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
    let (near, mut far): (Vec<&Regret>, Vec<&Regret>) =
        chosen.regrets.iter().filter(|r| !is_fastest(r)).partition(is_within);
    far.sort_by(|x, y| y.at_most.total_cmp(&x.at_most));
    let place = match (chosen.regrets.as_slice(), chosen.left_out.is_empty()) {
        ([one], _) => format!(" for {}", names::workload(&one.workload)),
        (_, true) if near.is_empty() => " for every workload".to_string(),
        (_, true) => " for any workload".to_string(),
        (_, false) => " for the other workloads".to_string(),
    };
    // 1 % stands for a lead that is certain alone, but not together with the others.
    let within = near.iter().map(|r| r.at_most.max(0.01)).fold(0.0, f64::max);
    let within = amount::at_most(within);
    let near = if near.is_empty() {
        "it is the fastest".to_string()
    } else {
        format!("none is more than {within} faster")
    };
    match far.as_slice() {
        [] => format!("{who} {near}{place}."),
        [worst, ..] if chosen.regrets.len() == far.len() || far.len() > MOST_EXCEPTIONS => {
            let behind = worst.behind.as_deref().map_or("another".to_string(), sanitize);
            let on = names::workload(&worst.workload);
            let up_to = up_to(worst.at_most);
            format!("{who} it loses least: in its worst case, {on}, {behind} is {up_to} faster.")
        }
        far => format!("{who} {near}, except for {}.", exceptions(far)),
    }
}

/// Directories are used as they are, so that the answer is how much faster one is, and in what.
/// One sentence at least, also where no difference is certain.
fn said_of_directories(run: &Run, analysis: &Analysis) -> Vec<String> {
    let margin = run.header.protocol.tie_margin;
    let of = |v: &WorkloadVerdict| {
        let lead = v.lead.as_ref().filter(|_| v.verdict == Verdict::Fastest)?;
        let (leader, second) = (lead.leader.as_ref()?, lead.closest.as_ref()?);
        let effect = v.effects.iter().find_map(|e| e.between(leader, second))?;
        let on = names::workload(&v.workload);
        (effect.0 > 1.0 + margin).then(|| (sanitize(leader), sanitize(second), effect, on))
    };
    let mut certain: Vec<_> = analysis.verdicts.iter().filter_map(of).collect();
    certain.sort_by(|x, y| y.2.0.total_cmp(&x.2.0));
    let each = certain.iter().map(|(leader, second, (ratio, low, high), on)| {
        let [ratio, low, high] = [ratio, low, high].map(|x| units::three_digits(*x));
        format!("{leader} is {ratio} times as fast as {second} for {on} ({low} to {high}).")
    });
    let mut said: Vec<String> = each.collect();
    let is_alike = |v: &&WorkloadVerdict| {
        matches!(v.verdict, Verdict::AsFast | Verdict::Fastest) && of(v).is_none()
    };
    let alike = analysis.verdicts.iter().filter(is_alike);
    let alike: Vec<String> = alike.map(|v| names::workload(&v.workload)).collect();
    if !alike.is_empty() {
        let margin = amount::share(margin);
        said.push(format!("No difference of {margin} or more for {}.", phrases::list(&alike)));
    }
    if said.is_empty() {
        let names: Vec<String> = run.header.candidates.iter().map(|c| sanitize(&c.name)).collect();
        said.push(format!("No certain difference yet between {}.", phrases::list(&names)));
    }
    said
}

fn exceptions(far: &[&Regret]) -> String {
    let each = far.iter().map(|r| {
        let behind = r.behind.as_deref().map_or("another".to_string(), sanitize);
        format!("{} ({behind}, {})", names::workload(&r.workload), up_to(r.at_most))
    });
    phrases::list(&each.collect::<Vec<_>>())
}

/// "up to 18 %", or that it is unknown.
fn up_to(at_most: f64) -> String {
    if at_most <= amount::WIDEST - 1.0 {
        format!("up to {}", amount::at_most(at_most))
    } else {
        "an unknown amount".to_string()
    }
}

fn left_out(chosen: &Recommendation) -> Option<String> {
    let all = chosen.left_out.as_slice();
    (!all.is_empty()).then(|| format!("No verdict for {}.", workloads(all.iter())))
}

fn gives_up(chosen: &Recommendation) -> Option<String> {
    let word = |what: &GivesUp| match lacks(*what) {
        (what, "") => what.to_string(),
        (what, consequence) => format!("{what} ({consequence})"),
    };
    let all: Vec<String> = chosen.gives_up.iter().map(word).collect();
    (!all.is_empty())
        .then(|| format!("{} has {}.", sanitize(&chosen.candidate), phrases::list(&all)))
}

fn as_good(run: &Run, chosen: &Recommendation) -> Option<String> {
    let all: Vec<String> = chosen.within_margin.iter().map(|n| sanitize(n)).collect();
    let (are, lack) = if all.len() == 1 { ("is", "lacks") } else { ("are", "lack") };
    let margin = amount::share(run.header.protocol.tie_margin);
    let names = phrases::names(&all);
    let price = if chosen.gives_up.is_empty() {
        String::new()
    } else {
        format!(", but {lack} at least as many features")
    };
    let usual = chosen.drive_use.usual_filesystem();
    let price = if chosen.candidate == usual {
        format!("; {usual} is what is usual for {}", chosen.drive_use.phrase())
    } else {
        price
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
