//! The keys of `[[workload]]`: a built-in one by name, fio's words, a profile, or a fio job file.

use super::error::{PlanError, Problem};
use super::job_words::{set_job, summary};
use super::made::Planned;
use super::read::{Source, Value};
use crate::model::job::{Job, NUMJOBS_MAX, Rw};
use crate::model::profile::Profile;
use crate::model::workload::{DriverName, Metric, Phase, Workload};
use crate::tools::fio::jobfile::JobFile;
use crate::tools::foreign;
use crate::{profiles, units, workloads};

const BS_MAX: u64 = 1 << 30;
const BUFFERS_MAX: u64 = 4 << 30;
/// What is written between two flushes where the plan says nothing, as in the built-in `seqwrite`.
const FLUSH_BYTES: u64 = 16 << 20;
/// Direct I/O goes in sectors.
const SECTOR: u64 = 512;

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Basis {
    #[default]
    Words,
    /// A built-in workload; further words change its job.
    BuiltIn(Box<Workload>),
    /// A profile: its parts are measured together.
    Profile(Profile),
    JobFile(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlannedWorkload {
    /// The plan's own name for it.
    pub name: Option<String>,
    pub basis: Basis,
    pub driver: DriverName,
    pub metric: Option<Metric>,
    /// The job; for profiles and job files only what the plan's words set.
    pub job: Job,
    /// Whether the plan says how much of the file is used.
    pub sized: bool,
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
            job: Job::new(Rw::RandRead, 4096, crate::model::job::DEFAULT_SIZE_BYTES),
            sized: false,
            table: 0,
            flushed_by_us: false,
            flushes: None,
        }
    }
}

impl PlannedWorkload {
    fn built_in(&mut self, source: &Source, value: &Value) -> Result<(), PlanError> {
        let all = workloads::all();
        let words: Vec<(&str, usize)> =
            BUILT_IN.iter().enumerate().map(|(at, name)| (*name, at)).collect();
        let at = source.word("built-in workload (to define your own, set rw)", value, &words)?;
        if let Some(found) = all.into_iter().find(|w| Some(&w.name.as_str()) == BUILT_IN.get(at)) {
            self.job = found.job.clone();
            self.basis = Basis::BuiltIn(Box::new(found));
        }
        Ok(())
    }

    fn set(&mut self, source: &Source, key: &str, value: &Value) -> Result<(), PlanError> {
        let job = &mut self.job;
        match key {
            "name" => self.name = Some(source.name(value)?),
            "profile" => {
                let profile = source.variant(key, value)?;
                *job = profiles::job(profile);
                self.basis = Basis::Profile(profile);
            }
            "job" => {
                self.basis = Basis::JobFile(source.text(key, value)?.to_string());
                self.driver = DriverName::Fio;
            }
            "rw" => *job = Job::new(source.variant(key, value)?, job.bs, job.size),
            "driver" => self.driver = source.variant(key, value)?,
            "metric" => {
                let words = [Metric::Bandwidth, Metric::Iops].map(|m| (m.name(), m));
                self.metric = Some(source.word(key, value, &words)?);
            }
            "size" => {
                job.size = source.size(key, value)?;
                self.sized = true;
            }
            "end_fsync" => {
                job.end_fsync = source.switch(key, value)?;
                self.flushes = Some(job.end_fsync);
            }
            key => set_job(job, source, key, value)?,
        }
        Ok(())
    }

    /// Why the tool that is to do it can do nothing of it; `None` when it can do some.
    pub(super) fn unsupported(&self) -> Option<String> {
        let made = match &self.basis {
            Basis::JobFile(_) if self.driver == DriverName::Fio => return None,
            Basis::JobFile(_) => vec![self.fio_job("x", "")],
            Basis::Profile(_) => self.parts("x"),
            Basis::Words | Basis::BuiltIn(_) => vec![self.workload("x")],
        };
        let mut reasons = Vec::with_capacity(made.len());
        for one in &made {
            reasons.push(can(one).err()?);
        }
        reasons.into_iter().next()
    }

    pub(super) fn parts(&self, name: &str) -> Vec<Workload> {
        let Basis::Profile(profile) = self.basis else { return Vec::new() };
        let mut parts = profiles::parts(profile, &self.job);
        for part in &mut parts {
            part.driver = self.driver;
            part.sized = self.sized;
            if let Some(word) = part.name.strip_prefix(profile.name()) {
                part.name = format!("{name}{word}");
            }
        }
        parts
    }

    pub(super) fn fio_job(&self, name: &str, text: &str) -> Workload {
        let summary = match &self.basis {
            Basis::JobFile(file) => format!("the jobs of {file}, run by fio"),
            Basis::Words | Basis::BuiltIn(_) | Basis::Profile(_) => summary(&self.job),
        };
        let metric = self.metric.unwrap_or(Metric::Bandwidth);
        // Whether memory can have answered depends on it; a file that fio would not read is refused
        // later.
        let direct = JobFile::parse(text).is_ok_and(|file| file.is_direct());
        let job = Job { direct, ..self.job.clone() };
        Workload {
            driver: self.driver,
            fio_job: Some(text.to_string()),
            ..Workload::native(name, &summary, Phase::Whole, metric, job)
        }
    }

    /// The workload of this name, for what is no profile and no job file.
    pub(super) fn workload(&self, name: &str) -> Workload {
        let (phase, metric) = match self.job.rw {
            Rw::Read | Rw::RandRead => (Phase::ColdRead, by_block(&self.job)),
            Rw::Write => (Phase::Append, by_block(&self.job)),
            Rw::RandWrite | Rw::RandRw | Rw::ReadWrite => (Phase::Overwrite, by_block(&self.job)),
            Rw::SmallFiles => (Phase::Metadata, Metric::FilesPerSecond),
        };
        let mut made = match &self.basis {
            Basis::BuiltIn(built_in) if built_in.job == self.job => (**built_in).clone(),
            Basis::Words | Basis::BuiltIn(_) | Basis::Profile(_) | Basis::JobFile(_) => {
                Workload::native(name, &summary(&self.job), phase, metric, self.job.clone())
            }
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
    const NAME: &'static str = "workload";
    const TABLE: &'static str = "[[workload]]";
    /// In the order they are applied: what the others change comes first.
    const KEYS: &'static [&'static str] = &[
        "name",
        "profile",
        "job",
        "rw",
        "driver",
        "metric",
        "bs",
        "size",
        "io_size",
        "runtime",
        "iodepth",
        "numjobs",
        "direct",
        "engine",
        "fsync",
        "fdatasync",
        "end_fsync",
        "rwmixread",
        "rate_iops",
        "offsets",
        "data",
        "verify",
        "mem",
        "rate_process",
        "buffer_compress_percentage",
        "stamps",
        "nrfiles",
    ];

    fn made(
        source: &Source,
        table: usize,
        mut picked: Vec<(&'static str, &Value)>,
    ) -> Result<PlannedWorkload, PlanError> {
        picked.sort_by_key(|(key, _)| Self::KEYS.iter().position(|k| k == key));
        let has = |key| picked.iter().any(|(k, _)| *k == key);
        let own_basis = ["profile", "job", "rw"].into_iter().any(has);
        let mut made = PlannedWorkload { table, ..PlannedWorkload::default() };
        for (key, value) in &picked {
            match *key {
                "name" if !own_basis => made.built_in(source, value)?,
                key => made.set(source, key, value)?,
            }
        }
        let is_profile = matches!(made.basis, Basis::Profile(_) | Basis::JobFile(_));
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

    fn check(&self) -> Result<(), Problem> {
        let job = &self.job;
        let (bs, size) = (units::block_size(job.bs), units::block_size(job.size));
        let what = match &self.basis {
            _ if job.numjobs > NUMJOBS_MAX => {
                format!("numjobs {} is larger than the maximum of {NUMJOBS_MAX}", job.numjobs)
            }
            Basis::JobFile(_) | Basis::Profile(_) => return Ok(()),
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

    fn valued(source: &Source, key: &'static str, value: &Value) -> Result<String, PlanError> {
        // That of a built-in one may be longer than others.
        if key == "name" {
            return source.text(key, value).map(str::to_string);
        }
        let mut one = PlannedWorkload::default();
        one.set(source, key, value)?;
        Ok(one.value(key))
    }

    fn value(&self, key: &str) -> String {
        let job = &self.job;
        let size = |bytes: Option<u64>| bytes.map_or(String::new(), units::block_size);
        match (key, &self.basis) {
            ("name", Basis::BuiltIn(workload)) => workload.name.clone(),
            ("name", _) => self.name.clone().unwrap_or_default(),
            ("profile", Basis::Profile(profile)) => profile.name().to_string(),
            ("job", Basis::JobFile(file)) => file.clone(),
            ("driver", _) => self.driver.name().to_string(),
            ("rw", _) => job.rw.name().to_string(),
            ("bs", _) => size(Some(job.bs)),
            ("size", _) => size(Some(job.size)),
            ("io_size", _) => size(job.io_size),
            ("iodepth", _) => job.iodepth.to_string(),
            ("numjobs", _) => job.numjobs.to_string(),
            ("direct", _) => job.direct.to_string(),
            ("engine", _) => job.engine.name().to_string(),
            ("fsync", _) => job.fsync.to_string(),
            ("fdatasync", _) => job.fdatasync.to_string(),
            ("end_fsync", _) => job.end_fsync.to_string(),
            ("rwmixread", _) => job.rwmixread.to_string(),
            _ => String::new(),
        }
    }
}

/// Names of [`workloads::all`], which a test compares.
const BUILT_IN: [&str; 6] =
    ["randwrite", "smallfiles", "seqread", "randread", "seqwrite", "randrw"];

/// Whether the tool that is to do it can; the reason when not.
pub(super) fn can(workload: &Workload) -> Result<(), String> {
    if workload.fio_job.is_some() && workload.driver != DriverName::Fio {
        return Err("only fio runs fio job files: driver = \"fio\"".to_string());
    }
    let Some(tool) = foreign::driver(workload.driver) else { return Ok(()) };
    // What the command looks like does not matter here, so neither do version and user.
    let scratch = foreign::Scratch { version: String::new(), is_root: false };
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
        let names: Vec<String> = workloads::all().into_iter().map(|w| w.name).collect();
        assert_eq!(names, BUILT_IN);
    }
}
