//! What each profile consists of: its parts, what each is judged by, and its sizes, from
//! `data/profiles.csv` and `data/profile_parts.csv`; data/README.md says what their columns are and
//! where each pattern is documented. How a profile is executed is the engine's business.
//!
//! All parts of one profile are measured together, in one process and in their order, because
//! later ones need what earlier ones left. So they carry one and the same job, which gives sizes,
//! times and seed; what each part really did stands in the job of its measurement.

use strum::VariantArray;

use crate::job::{Job, Rw};
use crate::profile::{Part, Profile};
use crate::workload::{DriverName, Metric, Phase, Workload};
use bakeoff_stats::phrases;
use bakeoff_stats::tables::Table;
use bakeoff_stats::units;

const PROFILES: Table<7> = Table::new(include_str!("../data/profiles.csv"));
const PARTS: Table<9> = Table::new(include_str!("../data/profile_parts.csv"));

#[derive(Clone, Copy, Debug)]
pub struct PartSpec {
    pub word: &'static str,
    pub summary: &'static str,
    pub metric: Metric,
    pub rw: Rw,
    /// Whether time ends it wherever it is; else it goes through its files as a whole.
    pub is_timed: bool,
    /// How long it takes at least, whatever is asked for.
    pub least_ns: u64,
    pub writes: Writes,
    /// Whether it can go on without a pause from a part that does not count to one that does: the
    /// longer it works, what is left to flush does not grow.
    pub settles: bool,
}

/// What a part writes, as far as that is known before it was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    Streamed,
    Flushed(u64),
}

impl PartSpec {
    fn read(row: [&'static str; 9]) -> Option<PartSpec> {
        let [_, word, metric, rw, least_ms, writes, bytes, settles, summary] = row;
        let least_ms: Option<u64> = least_ms.parse().ok();
        let writes = match (writes, bytes.parse()) {
            ("streamed", _) => Writes::Streamed,
            ("flushed", Ok(bytes)) => Writes::Flushed(bytes),
            _ => return None,
        };
        Some(PartSpec {
            word,
            summary,
            metric: named(metric)?,
            rw: named(rw)?,
            is_timed: least_ms.is_some(),
            least_ns: least_ms.unwrap_or(0) * 1_000_000,
            writes,
            settles: settles == "yes",
        })
    }
}

fn named<T: Copy + VariantArray + Into<&'static str>>(word: &str) -> Option<T> {
    phrases::choices().into_iter().find(|(name, _)| *name == word).map(|(_, value)| value)
}

/// The figures of a profile, in the order they are measured.
pub fn part_specs(profile: Profile) -> impl Iterator<Item = PartSpec> {
    rows_of(profile).filter_map(PartSpec::read)
}

fn rows_of(profile: Profile) -> impl Iterator<Item = [&'static str; 9]> {
    PARTS.rows().filter(move |[name, ..]| *name == profile.name())
}

/// The part a workload stands for; `None` where a newer version knows more parts.
pub fn part_spec(part: Part) -> Option<PartSpec> {
    rows_of(part.profile).nth(part.part.into()).and_then(PartSpec::read)
}

/// Whether files have to be there before the first part, so that laying them out takes time.
pub fn lays_out(profile: Profile) -> bool {
    row(profile).is_some_and(|[_, lays_out, ..]| lays_out == "yes")
}

pub fn job(profile: Profile) -> Job {
    read_job(profile).expect("data/profiles.csv lacks a profile")
}

fn row(profile: Profile) -> Option<[&'static str; 7]> {
    PROFILES.rows().find(|[name, ..]| *name == profile.name())
}

fn read_job(profile: Profile) -> Option<Job> {
    let [_, _, rw, bs, size, invalidate, numjobs] = row(profile)?;
    Some(Job {
        invalidate: invalidate == "yes",
        numjobs: numjobs.parse().ok()?,
        ..Job::new(named(rw)?, units::parse_size(bs).ok()?, units::parse_size(size).ok()?)
    })
}

pub fn settles(workload: &Workload) -> bool {
    let spec = workload.profile.and_then(part_spec);
    workload.driver.is_native() && spec.is_some_and(|spec| spec.settles)
}

/// The workloads of a profile done with the sizes, times and counts of `job`, one for each part.
pub fn parts(profile: Profile, job: &Job) -> Vec<Workload> {
    let workload = |(part, spec): (u16, PartSpec)| Workload {
        name: name(profile, spec),
        summary: spec.summary.to_string(),
        phase: Phase::Whole,
        metric: spec.metric,
        job: job.clone(),
        driver: DriverName::Native,
        profile: Some(Part { profile, part }),
        sized: false,
        beside: None,
    };
    (0..).zip(part_specs(profile)).map(workload).collect()
}

/// `nas-write`; a profile with a single part is called by its own name.
fn name(profile: Profile, part: PartSpec) -> String {
    match part.word {
        "" => profile.name().to_string(),
        word => format!("{}-{word}", profile.name()),
    }
}

pub fn all() -> Vec<Workload> {
    Profile::ALL.iter().flat_map(|&profile| parts(profile, &job(profile))).collect()
}

pub fn find(name: &str) -> Vec<Workload> {
    let named = |w: &Workload| w.profile.is_some_and(|part| part.profile.name() == name);
    let (whole, mut rest): (Vec<_>, Vec<_>) = all().into_iter().partition(named);
    if !whole.is_empty() {
        return whole;
    }
    rest.retain(|w| w.name == name);
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_line_of_the_tables_is_used() {
        assert!(Profile::ALL.iter().all(|profile| read_job(*profile).is_some()));
        assert_eq!(Profile::ALL.len(), PROFILES.rows().count());
        let parts = Profile::ALL.iter().flat_map(|profile| part_specs(*profile));
        assert_eq!(parts.count(), PARTS.rows().count());
    }

    #[test]
    fn every_part_has_a_name_of_its_own_and_states_what_it_does() {
        let all = all();
        let names: BTreeSet<&str> = all.iter().map(|w| w.name.as_str()).collect();
        assert_eq!(names.len(), all.len());
        for w in &all {
            assert!(crate::workloads::all().iter().all(|other| other.name != w.name), "{}", w.name);
            assert!(!w.summary.is_empty() && w.phase == Phase::Whole && w.job.size >= w.job.bs);
            let part = w.profile.expect("a part");
            assert_eq!(find(&w.name).iter().filter(|f| f.name == w.name).count(), 1);
            assert!(part_spec(part).is_some_and(|spec| w.name.ends_with(spec.word)));
        }
    }

    #[test]
    fn a_profile_is_found_whole_and_by_part() {
        let whole = find("nas");
        assert_eq!(whole.len(), part_specs(Profile::Nas).count());
        assert_eq!(find("nas-mixed"), [whole.last().expect("a part").clone()]);
        assert!(find("nothing").is_empty());
    }

    #[test]
    fn the_page_about_workloads_names_every_profile_and_part() {
        let page = include_str!("../../../../docs/workloads.md");
        for w in all() {
            let part = w.profile.expect("a part");
            let word = part_spec(part).map_or("", |spec| spec.word);
            let profile = part.profile.name();
            let rows = page.lines().filter(|line| line.starts_with("| `"));
            let row = rows.filter(|line| line.contains(&format!("`{profile}")));
            let named = |line: &str| {
                line.contains(&format!("`{}`", w.name)) || line.contains(&format!("`{word}`"))
            };
            assert!(row.into_iter().any(named), "{}", w.name);
        }
        for w in crate::workloads::all() {
            assert!(page.contains(&format!("| `{}` |", w.name)), "{}", w.name);
        }
    }
}
