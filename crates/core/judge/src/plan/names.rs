//! Names that say only what differs: `ext4`, `f2fs · mq-deadline`, `ext4 + luks aes-xts 512`.

use super::stack::PlannedStack;
use super::workload::{Basis, PlannedWorkload};
use bakeoff_machine::prepare::recipe::Recipe;
use bakeoff_model::candidate::Crypt;
use bakeoff_model::job::{Data, Offsets};
use bakeoff_stats::units;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Among {
    All,
    Namesakes,
    /// Those with the same first part: the details of an encryption, among the same encryptions.
    Alike,
    Nobody,
}

pub(super) struct Sayable {
    base: String,
    table: Option<usize>,
    parts: Vec<(Among, String)>,
}

/// A name for each of at most `most_chars`; the same where nothing tells two apart.
pub(super) fn names(all: &[Sayable], most_chars: usize) -> Vec<String> {
    let name = |(at, one): (usize, &Sayable)| {
        let mut name = one.base.clone();
        for (index, (among, part)) in one.parts.iter().enumerate() {
            let differs = all.iter().any(|other| {
                let namesake = other.base == one.base && other.table == one.table;
                let alike = other.parts.first() == one.parts.first();
                let counts = match among {
                    Among::All => namesake || one.table.is_none(),
                    Among::Namesakes | Among::Nobody => namesake,
                    Among::Alike => namesake && alike,
                };
                counts && other.parts.get(index).map(|(_, p)| p) != Some(part)
            });
            if differs || *among == Among::Nobody {
                name += part;
            }
        }
        fitted(name, at, most_chars)
    };
    all.iter().enumerate().map(name).collect()
}

fn fitted(name: String, at: usize, most_chars: usize) -> String {
    if name.chars().count() <= most_chars {
        return name;
    }
    let number = format!(" #{}", at + 1);
    let kept: String =
        name.chars().take(most_chars.saturating_sub(number.chars().count())).collect();
    format!("{}{number}", kept.trim_end())
}

pub(super) fn of_stack(stack: &PlannedStack, recipe: &Recipe) -> Sayable {
    let made = stack.stack(recipe);
    let by_words =
        bakeoff_machine::prepare::recipe::recipe_of(&made).map_or(recipe.name, |r| r.name);
    let knobs = &stack.knobs;
    let dot = |word: &str| if word.is_empty() { String::new() } else { format!(" · {word}") };
    let crypt = stack.crypt.as_ref();
    let number = |name: &str, n: Option<u32>| n.map_or(String::new(), |n| format!(" · {name} {n}"));
    let word = |word: &Option<String>| dot(word.as_deref().unwrap_or_default());
    let flag = |on: Option<bool>, text: &str| match on {
        Some(true) => text.to_string(),
        _ => String::new(),
    };
    let profile = match stack.options {
        bakeoff_machine::prepare::options::OptionProfile::Default => "",
        other => other.name(),
    };
    // A journal that is left out is in the name already.
    let mkfs = if by_words == recipe.name { stack.mkfs.join(" ") } else { String::new() };
    let parts = vec![
        (Among::All, crypt.map_or(String::new(), crypt_words)),
        (Among::Alike, crypt.and_then(|c| c.sector_size).map_or(String::new(), sector)),
        (Among::Alike, flag(crypt.map(|c| c.no_read_workqueue), " no-rq")),
        (Among::Alike, flag(crypt.map(|c| c.no_write_workqueue), " no-wq")),
        (Among::All, flag(Some(stack.lvm), " + lvm")),
        (Among::All, dot(profile)),
        (Among::Namesakes, dot(&mkfs)),
        (Among::Namesakes, dot(&stack.mount.join(","))),
        (Among::All, word(&knobs.scheduler)),
        (Among::All, number("ra", knobs.read_ahead_kb)),
        (Among::All, number("nr", knobs.nr_requests)),
        (Among::All, word(&knobs.governor)),
        // What it is measured as, also where all are.
        (Among::Nobody, dot(&stack.state.label())),
    ];
    let base = stack.name.clone().unwrap_or_else(|| by_words.to_string());
    Sayable { base, table: stack.name.is_some().then_some(stack.table), parts }
}

fn crypt_words(crypt: &Crypt) -> String {
    let kind = if crypt.kind == "plain" { "crypt" } else { "luks" };
    let cipher = match crypt.cipher.strip_suffix("-plain64").unwrap_or(&crypt.cipher) {
        adiantum if adiantum.contains("adiantum") => "adiantum",
        other => other,
    };
    format!(" + {kind} {cipher} {}", crypt.key_bits)
}

fn sector(bytes: u32) -> String {
    format!(" s{}", units::block_size(bytes.into()))
}

pub(super) fn of_workload(workload: &PlannedWorkload) -> Sayable {
    let job = &workload.job;
    let size = |name: &str, bytes: u64| format!("-{name}{}", units::block_size(bytes));
    let count = |name: &str, n: u32| if n == 0 { String::new() } else { format!("-{name}{n}") };
    let (base, bs) = match (&workload.name, &workload.basis) {
        (Some(name), _) => (name.clone(), Among::Namesakes),
        (_, Basis::BuiltIn(built_in)) => (built_in.name.clone(), Among::Namesakes),
        (_, Basis::Profile(profile)) => (profile.name().to_string(), Among::Namesakes),
        (_, Basis::Words) => (job.rw.name().to_string(), Among::Nobody),
    };
    let rw = if workload.name.is_some() { format!("-{}", job.rw.name()) } else { String::new() };
    let direct = if job.direct { "-direct" } else { "-buffered" };
    let time = job.runtime_ns.map_or(String::new(), |ns| format!("-{}s", ns / 1_000_000_000));
    let offsets =
        if job.offsets == Offsets::Uniform { String::new() } else { format!("-{}", job.offsets) };
    let data = if job.data == Data::Zero { "-zero" } else { "" };
    let driver = if workload.driver.is_native() {
        String::new()
    } else {
        format!("-{}", workload.driver.name())
    };
    let namesakes = [
        direct.to_string(),
        format!("-qd{}", job.iodepth),
        format!("-j{}", job.numjobs),
        format!("-{}", job.engine.name()),
        if workload.flushed_by_us { String::new() } else { count("fsync", job.fsync) },
        count("fdatasync", job.fdatasync),
        (if job.end_fsync && !workload.flushed_by_us { "-end" } else { "" }).to_string(),
        format!("-r{}", job.rwmixread),
        job.rate_iops.map_or(String::new(), |rate| format!("-{rate}iops")),
        job.io_size.map_or(String::new(), |bytes| size("io", bytes)),
        size("of", job.size),
        time,
        offsets,
        data.to_string(),
        (if job.verify { "-verify" } else { "" }).to_string(),
        workload.metric.map_or(String::new(), |metric| format!("-{}", metric.name())),
        format!("-{:?}", job.mem).to_lowercase(),
        count("files", job.nrfiles),
    ];
    let mut parts = vec![(Among::Namesakes, rw), (bs, size("", job.bs))];
    parts.extend(namesakes.map(|part| (Among::Namesakes, part)));
    parts.push((Among::Nobody, driver));
    parts.push((Among::Nobody, workload.beside_words()));
    Sayable { base, table: workload.name.is_some().then_some(workload.table), parts }
}
