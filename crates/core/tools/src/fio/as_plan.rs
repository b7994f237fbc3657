//! A fio job file as a plan for bakeoff's own engine: the common options in its words, and a list
//! of what has none.
//!
//! Where fio's defaults differ they are written out: random offsets come once each. What fio leaves
//! in memory is flushed at the end, as in every plan, and that is said. What belongs to fio's way
//! of working and changes no figure (names, files, reports) is passed over. Source: fio 3.33,
//! HOWTO.

use std::fmt::Write;

use super::jobfile::{JobFile, Section};
use super::options::table::{self, canonical};
use bakeoff_model::job::{EngineName, Rw};
use bakeoff_model::offsets::Offsets;
use bakeoff_model::path::printable;
use bakeoff_model::rates::Rates;
use bakeoff_stats::distinct;
use bakeoff_stats::units;

const OF_FILES: &str = "\
    sync psync vsync pvsync pvsync2 libaio io_uring posixaio mmap splice libpmem";

/// The plan's TOML; what is not in it stands at its top as comments, with its lines. A job whose
/// work is another altogether is left out: its name would stand above figures of something else.
///
/// # Errors
/// The same lines, where no job is left.
pub fn as_plan(file: &JobFile, title: &str) -> Result<String, String> {
    let mut workloads = String::new();
    let mut missing = Vec::new();
    for (number, section) in (1..).zip(file.jobs()) {
        match beyond(&section) {
            None => workloads.push_str(&workload(&section, number, &mut missing)),
            Some((line, option)) => {
                let name = printable(section.name.as_bytes());
                missing.push((line, format!("{option}: the job {name} is omitted")));
            }
        }
    }
    missing.extend(together(file));
    let missing = distinct::sorted(missing);
    let mut out = String::new();
    // Writing to a String cannot fail, here and below.
    for (line, option) in &missing {
        let _ = writeln!(out, "# not translated: line {line}: {option}");
    }
    if workloads.is_empty() {
        return Err(out);
    }
    let _ = writeln!(out, "title = {}\n", quoted(title));
    let _ = writeln!(out, "[[stack]] # one for each filesystem to compare\nfs = \"ext4\"");
    Ok(out + &workloads)
}

/// What makes a job's work another than any that a plan has words for.
fn beyond(section: &Section) -> Option<(u64, String)> {
    let last = |name: &str| section.options.iter().rfind(|option| canonical(&option.0) == name);
    let rw = last("rw").filter(|(_, value, _)| pattern(value).is_none());
    let engine = last("ioengine");
    let engine = engine.filter(|(_, value, _)| !OF_FILES.split(' ').any(|known| known == value));
    let (name, value, line) = rw.or(engine)?;
    Some((*line, printable(format!("{name}={value}").as_bytes())))
}

fn together(file: &JobFile) -> Option<(u64, String)> {
    let waits = |section: &Section| {
        section.options.iter().any(|(name, value, _)| {
            ["stonewall", "wait_for_previous"].contains(&name.as_str()) && value != "0"
        })
    };
    let second = file.jobs().skip(1).find(|job| !waits(job))?;
    let line = second.options.last().map_or(0, |(.., line)| *line);
    let name = printable(second.name.as_bytes());
    Some((
        line,
        format!("{name} runs in parallel with the previous job; in a plan it runs after it"),
    ))
}

fn pattern(word: &str) -> Option<Rw> {
    Rw::ALL.iter().copied().find(|rw| rw.name() == word && *rw != Rw::SmallFiles)
}

type Missing = Vec<(u64, String)>;

fn workload(section: &Section, number: u32, missing: &mut Missing) -> String {
    // Of an option given twice the last one counts.
    let mut options: Vec<&(String, String, u64)> = Vec::new();
    for option in &section.options {
        options.retain(|known| key(&known.0) != key(&option.0));
        options.push(option);
    }
    let find = |name: &str| options.iter().find(|o| canonical(&o.0) == name).map(|o| o.1.as_str());
    let rw = find("rw").unwrap_or("read");
    let pattern = pattern(rw);
    let is_random = pattern.is_some_and(Rw::is_random);
    let mut lines = vec![format!("rw = {}", quoted(rw))];
    let mut has_size = false;
    let is_mixed = pattern.is_some_and(Rw::is_mixed);
    let halves = |name: &&str| matches!(find(name), None | Some("50"));
    let is_even = !is_mixed || ["rwmixread", "rwmixwrite"].iter().all(halves);
    for (name, value, line) in &options {
        // Without a meaning for a plan: where, what it is called, how it is told.
        let (typed, name) = (name, canonical(name));
        let is_dropped = table::is(name, "passed-over");
        let text = match name {
            // fio has a rate overrule the mix.
            "rate_iops" => rate(rw, value, find("numjobs")).filter(|_| is_even),
            name => translated(name, value),
        };
        match text {
            _ if is_dropped || name == "norandommap" => {}
            _ if value == "0" && name.contains("sync") => {}
            Some(text) => {
                has_size |= name == "size";
                if !text.is_empty() {
                    lines.push(text);
                }
            }
            None => missing.push((*line, printable(format!("{typed}={value}").as_bytes()))),
        }
    }
    let is_skewed = find("random_distribution").is_some_and(|value| skewed(value).is_some());
    if is_random && !is_skewed && find("norandommap").is_none_or(|value| value == "0") {
        lines.push("offsets = \"once\"".to_string());
    }
    let is_flushed = ["fsync", "fdatasync", "end_fsync"]
        .iter()
        .any(|name| find(name).is_some_and(|value| value != "0"));
    if pattern.is_some_and(Rw::writes) && !is_flushed {
        lines.push(
            "# fio leaves these writes in memory; a plan flushes them at the end".to_string(),
        );
    }
    if !has_size {
        lines.push("size = \"256m\"".to_string());
    }
    let name = name_of(&section.name, number);
    format!("\n[[workload]]\nname = {}\n{}\n", quoted(&name), lines.join("\n"))
}

/// What an option is about: the two shares of a mix are one.
fn key(name: &str) -> &str {
    match canonical(name) {
        "rwmixwrite" => "rwmixread",
        name => name,
    }
}

/// The line of a plan; `None` when it has none, or not for this value.
fn translated(name: &str, value: &str) -> Option<String> {
    let whole = || value.parse::<u64>().ok();
    Some(match name {
        "rw" => pattern(value).map(|_| String::new())?,
        "bs" | "size" | "io_size" => {
            let bytes = units::parse_size(value).ok().filter(|bytes| *bytes > 0)?;
            format!("{name} = \"{}\"", units::block_size(bytes))
        }
        "runtime" => {
            let ns = units::parse_duration_ns(value).ok()?;
            format!("runtime = \"{}s\"", ns.div_ceil(1_000_000_000).max(1))
        }
        "iodepth" | "numjobs" => format!("{name} = {}", whole().filter(|n| *n > 0)?),
        "fsync" | "fdatasync" => format!("{name} = {}", whole()?),
        "direct" | "end_fsync" => match value {
            "0" => format!("{name} = false"),
            "1" => format!("{name} = true"),
            _ => return None,
        },
        "rwmixread" => format!("rwmixread = {}", whole().filter(|n| *n <= 100)?),
        "rwmixwrite" => format!("rwmixread = {}", 100u64.checked_sub(whole()?)?),
        "random_distribution" if value == "random" => String::new(),
        "random_distribution" => format!("offsets = {}", quoted(&skewed(value)?)),
        "zero_buffers" if value == "1" => "data = \"zero\"".to_string(),
        "ioengine" => {
            let engine = match value {
                "sync" | "psync" | "pvsync" | "vsync" => EngineName::Psync,
                "libaio" => EngineName::Libaio,
                "io_uring" => EngineName::IoUring,
                _ => return None,
            };
            format!("engine = \"{}\"", engine.name())
        }
        _ => return None,
    })
}

/// fio's rate is that of each job and direction, a plan's that of the workload. A plan has no rate
/// for each direction: equal ones are a mix of halves.
fn rate(rw: &str, value: &str, numjobs: Option<&str>) -> Option<String> {
    let (all, reads) = value.parse::<Rates>().ok()?.for_pattern(pattern(rw)?).ok()?;
    let all = all?;
    if reads.is_some_and(|reads| reads * 2 != all) {
        return None;
    }
    let all = all.checked_mul(numjobs.map_or(Some(1), |jobs| jobs.parse().ok())?)?;
    Some(format!("rate_iops = {all}"))
}

/// fio's Zipf distribution in a plan's words.
fn skewed(value: &str) -> Option<String> {
    value.parse::<Offsets>().ok().filter(|o| matches!(o, Offsets::Zipf { .. }))?;
    Some(value.to_string())
}

/// The job's name where a plan can have it; sections may have the same.
fn name_of(section: &str, number: u32) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = section.chars().map(plain).take(24).collect();
    format!("{name}-{number}")
}

/// A string of TOML; JSON's escapes are among TOML's.
fn quoted(text: &str) -> String {
    serde_json::Value::from(printable(text.as_bytes())).to_string()
}
