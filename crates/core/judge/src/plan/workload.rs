//! The keys of `[[workload]]`: a built-in one by name, fio's words, or a profile.

use super::beside;
use super::error::{PlanError, PlanProblem};
use super::job_words::summary;
use super::made::Planned;
use super::read::{Field, Key};
use bakeoff_model::companions;
use bakeoff_model::job::{Job, NUMJOBS_MAX, Offsets, Rw};
use bakeoff_model::profile::Profile;
use bakeoff_model::profiles;
use bakeoff_model::workload::{DriverName, Metric, Phase, Workload};
use bakeoff_model::workloads;
use bakeoff_stats::units;
use bakeoff_tools::driver::{CommandPlace, driver};

const BS_MAX: u64 = 1 << 30;
const BUFFERS_MAX: u64 = 4 << 30;
/// What is written between two flushes where the plan says nothing, as in the built-in `seqwrite`.
const FLUSH_BYTES: u64 = 16 << 20;
const SECTOR: u64 = 512;

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Basis {
    #[default]
    Words,
    BuiltIn(Box<Workload>),
    Profile(Profile),
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlannedWorkload {
    pub name: Option<String>,
    pub basis: Basis,
    pub driver: DriverName,
    pub metric: Option<Metric>,
    /// The job; for profiles only what the plan's words set.
    pub job: Job,
    pub sized: bool,
    /// The name of what works beside it, and that as a workload.
    pub beside: Option<String>,
    pub(super) companion: Option<Box<Workload>>,
    pub(super) table: usize,
    pub(super) flushed_by_us: bool,
    flushes: Option<bool>,
}

impl Default for PlannedWorkload {
    fn default() -> PlannedWorkload {
        PlannedWorkload {
            name: None,
            basis: Basis::Words,
            driver: DriverName::Native,
            metric: None,
            job: Job::new(Rw::RandRead, 4096, bakeoff_model::job::DEFAULT_SIZE_BYTES),
            sized: false,
            beside: None,
            companion: None,
            table: 0,
            flushed_by_us: false,
            flushes: None,
        }
    }
}

impl PlannedWorkload {
    fn built_in(&mut self, field: &Field) -> Result<(), PlanError> {
        let names = BUILT_IN.map(|name| (name, name));
        let name = field.word("built-in workload (to define your own, set rw)", &names)?;
        if let Ok(found) = workloads::find(name) {
            self.job = found.job.clone();
            self.basis = Basis::BuiltIn(Box::new(found));
        }
        Ok(())
    }

    /// Why the tool that is to do it can do nothing of it; `None` when it can do some.
    pub(super) fn unsupported(&self) -> Option<String> {
        let made = match &self.basis {
            Basis::Profile(_) => self.parts("x"),
            Basis::Words | Basis::BuiltIn(_) => vec![self.workload("x")],
        };
        let reasons: Option<Vec<String>> = made.iter().map(|one| can(one).err()).collect();
        reasons?.into_iter().next()
    }

    pub(super) fn parts(&self, name: &str) -> Vec<Workload> {
        let Basis::Profile(profile) = self.basis else { return Vec::new() };
        let mut parts = profiles::parts(profile, &self.job);
        let suffix = self.beside_words();
        let base = name.strip_suffix(&suffix).unwrap_or(name);
        for part in &mut parts {
            part.driver = self.driver;
            part.sized = self.sized;
            if let Some(word) = part.name.strip_prefix(profile.name()) {
                part.name = format!("{base}{word}{suffix}");
            }
        }
        parts
    }

    /// What its name says of its companion.
    pub(super) fn beside_words(&self) -> String {
        self.beside.as_ref().map_or(String::new(), |name| format!(" beside {name}"))
    }

    /// The same with its companion.
    pub(super) fn accompanied(&self, workload: Workload) -> Workload {
        let Some(companion) = &self.companion else { return workload };
        let summary = format!(
            "{}{}, {}/s",
            workload.summary,
            self.beside_words(),
            companions::rate(companion)
        );
        Workload { beside: Some(companion.clone()), summary, ..workload }
    }

    pub(super) fn workload(&self, name: &str) -> Workload {
        let (phase, metric) = match self.job.rw {
            Rw::Read | Rw::RandRead => (Phase::ColdRead, by_block(&self.job)),
            Rw::Write => (Phase::Append, by_block(&self.job)),
            Rw::RandWrite | Rw::RandRw | Rw::ReadWrite => (Phase::Overwrite, by_block(&self.job)),
            Rw::SmallFiles => (Phase::Metadata, Metric::FilesPerSecond),
        };
        let native =
            || Workload::native(name, &summary(&self.job), phase, metric, self.job.clone());
        let mut made = match &self.basis {
            Basis::BuiltIn(built_in) if built_in.job == self.job => (**built_in).clone(),
            Basis::Words | Basis::BuiltIn(_) | Basis::Profile(_) => native(),
        };
        made.name = name.to_string();
        made.metric = self.metric.unwrap_or(made.metric);
        made.driver = self.driver;
        made.sized = self.sized;
        if !self.driver.is_native() {
            made.summary = format!("{}, by {}", made.summary, self.driver.name());
        }
        made
    }
}

impl Planned for PlannedWorkload {
    const TABLE: &'static str = "[[workload]]";
    /// In the order they are applied: what the others change comes first.
    const KEYS: &'static [Key<Self>] = &[
        ("name", |made, field| field.name().map(|name| made.name = Some(name))),
        ("profile", |made, field| {
            let profile = field.variant()?;
            made.job = profiles::job(profile);
            made.basis = Basis::Profile(profile);
            Ok(())
        }),
        ("rw", |made, field| field.variant().map(|rw| made.job.rw = rw)),
        ("driver", |made, field| field.variant().map(|driver| made.driver = driver)),
        ("metric", |made, field| {
            let words = [Metric::Bandwidth, Metric::Iops].map(|metric| (metric.name(), metric));
            field.word("metric", &words).map(|metric| made.metric = Some(metric))
        }),
        ("bs", |made, field| field.size().map(|bytes| made.job.bs = bytes)),
        ("size", |made, field| {
            made.sized = true;
            field.size().map(|bytes| made.job.size = bytes)
        }),
        ("io_size", |made, field| field.size().map(|bytes| made.job.io_size = Some(bytes))),
        ("runtime", |made, field| field.duration_ns().map(|ns| made.job.runtime_ns = Some(ns))),
        ("iodepth", |made, field| field.number(1..=u32::MAX).map(|n| made.job.iodepth = n)),
        ("numjobs", |made, field| field.number(1..=u32::MAX).map(|n| made.job.numjobs = n)),
        ("direct", |made, field| field.switch().map(|is_on| made.job.direct = is_on)),
        ("engine", |made, field| field.variant().map(|engine| made.job.engine = engine)),
        ("fsync", |made, field| field.number(0..=u32::MAX).map(|n| made.job.fsync = n)),
        ("fdatasync", |made, field| field.number(0..=u32::MAX).map(|n| made.job.fdatasync = n)),
        ("end_fsync", |made, field| {
            made.job.end_fsync = field.switch()?;
            made.flushes = Some(made.job.end_fsync);
            Ok(())
        }),
        ("rwmixread", |made, field| field.number(0..=100).map(|n| made.job.rwmixread = n)),
        ("rate_iops", |made, field| {
            field.number(1..=u64::MAX).map(|n| made.job.rate_iops = Some(n))
        }),
        ("offsets", |made, field| {
            let read = field.text()?.parse::<Offsets>();
            made.job.offsets = read.map_err(|error| field.error(error))?;
            Ok(())
        }),
        ("data", |made, field| field.variant().map(|data| made.job.data = data)),
        ("verify", |made, field| field.switch().map(|is_on| made.job.verify = is_on)),
        ("mem", |made, field| field.variant().map(|mem| made.job.mem = mem)),
        (beside::KEY, |made, field| beside::name(field).map(|name| made.beside = name)),
        ("nrfiles", |made, field| field.number(1..=u32::MAX).map(|n| made.job.nrfiles = n)),
    ];

    fn made(table: usize, mut fields: Vec<Field>) -> Result<PlannedWorkload, PlanError> {
        fields.sort_by_key(|field| Self::KEYS.iter().position(|(key, _)| *key == field.key));
        let has = |key| fields.iter().any(|field| field.key == key);
        let own_basis = ["profile", "rw"].into_iter().any(has);
        let mut made = PlannedWorkload { table, ..PlannedWorkload::default() };
        for field in &fields {
            match field.key {
                "name" if !own_basis => made.built_in(field)?,
                _ => field.set(&mut made, Self::KEYS)?,
            }
        }
        let is_profile = matches!(made.basis, Basis::Profile(_));
        let job = &mut made.job;
        if !is_profile && job.rw.writes() && !job.is_durable() && made.flushes.is_none() {
            job.end_fsync = true;
            // Not only at the end: with much memory before a slow card that could take minutes.
            if !job.direct && made.driver.is_native() {
                job.fsync = u32::try_from(FLUSH_BYTES / job.bs.max(1)).unwrap_or(u32::MAX).max(1);
            }
            made.flushed_by_us = true;
        }
        Ok(made)
    }

    fn check(&self) -> Result<(), PlanProblem> {
        let job = &self.job;
        let (bs, size) = (units::block_size(job.bs), units::block_size(job.size));
        let what = match &self.basis {
            _ if job.numjobs > NUMJOBS_MAX => {
                format!("numjobs {} is larger than the maximum of {NUMJOBS_MAX}", job.numjobs)
            }
            Basis::Profile(_) => return Ok(()),
            _ if job.bs > BS_MAX => format!("bs {bs} is larger than the maximum of 1g"),
            _ if job.bs > job.size => {
                format!("bs {bs} is larger than size {size}: reduce bs or increase size")
            }
            _ if job.direct && !job.bs.is_multiple_of(SECTOR) => {
                format!("direct I/O needs a multiple of 512 bytes; bs is {bs}")
            }
            _ if !job.is_durable() => "the writes are never flushed, so memory would be measured: \
                                       omit end_fsync, or set fsync or fdatasync"
                .to_string(),
            _ if job.buffer_bytes().is_none_or(|bytes| bytes > BUFFERS_MAX) => {
                "bs x iodepth x numjobs needs more than 4 GiB of buffers".to_string()
            }
            Basis::Words | Basis::BuiltIn(_) => return Ok(()),
        };
        Err(what.into())
    }

    fn has(&self, field: &Field) -> Result<bool, PlanError> {
        if field.key == "name" {
            let name = match &self.basis {
                Basis::BuiltIn(workload) => Some(&workload.name),
                Basis::Words | Basis::Profile(_) => self.name.as_ref(),
            };
            let wanted = field.text()?.trim();
            return Ok(name.is_some_and(|name| name == wanted));
        }
        let mut other = PlannedWorkload { job: self.job.clone(), ..PlannedWorkload::default() };
        field.set(&mut other, Self::KEYS)?;
        Ok(match field.key {
            "profile" | "job" => other.basis == self.basis,
            "driver" => other.driver == self.driver,
            "metric" => other.metric == self.metric,
            beside::KEY => other.beside == self.beside,
            _ => other.job == self.job,
        })
    }
}

/// Names of the built-in workloads, which a test compares.
const BUILT_IN: [&str; 15] = [
    "randwrite",
    "smallfiles",
    "seqread",
    "randread",
    "seqwrite",
    "randrw",
    "randread1m",
    "randwrite1m",
    "dd-write",
    "dd-read",
    "sysbench-seqwr",
    "sysbench-seqrd",
    "sysbench-rndrd",
    "sysbench-rndwr",
    "sysbench-rndrw",
];

pub(super) fn can(workload: &Workload) -> Result<(), String> {
    let Some(tool) = driver(workload.driver) else { return Ok(()) };
    // What the command looks like does not matter here, so neither do version and user.
    let scratch = CommandPlace { version: String::new(), is_root: false };
    tool.command(workload, &scratch).map(drop).map_err(|why| why.to_string())
}

/// Large blocks are judged by bytes, small ones by operations.
fn by_block(job: &Job) -> Metric {
    if job.bs >= 64 << 10 || !job.rw.is_random() { Metric::Bandwidth } else { Metric::Iops }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_workload_can_be_named() {
        let all = workloads::all().into_iter().chain(workloads::classic());
        let names: Vec<String> = all.map(|w| w.name).collect();
        assert_eq!(names, BUILT_IN);
    }
}
