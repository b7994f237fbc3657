//! What applications demand of storage: a table of data, built in or a user's own file.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::plan::{PlanError, beside_tables};
use bakeoff_model::application::{Application, Demand, TimedOp};
use bakeoff_model::fit::FitNeed;
use bakeoff_model::job::Rw;
use bakeoff_model::path::printable;
use bakeoff_model::workload::Workload;
use bakeoff_stats::phrases;
use thiserror::Error;

/// The table that comes with bakeoff.
const BUILT_IN: &str = include_str!("../data/applications.toml");

/// Stands for every application of a table.
pub const ALL: &str = "all";

#[derive(Clone, Debug, PartialEq)]
pub struct AppTable {
    pub applications: Vec<Application>,
    pub workloads: Vec<Workload>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rest {
    application: Vec<Application>,
    #[serde(default, rename = "workload")]
    _workloads: IgnoredAny,
}

/// Why a table or a choice among it cannot be used.
#[derive(Debug, Error)]
pub enum AppError {
    #[error("{0}")]
    Parse(#[from] PlanError),
    #[error("{file}: application '{application}': {what}")]
    Unsound { file: String, application: String, what: String },
    #[error("there is no application or directory '{name}'; {hint}")]
    Unknown { name: String, hint: String },
}

pub fn built_in() -> AppTable {
    parse(BUILT_IN, "applications.toml").expect("data/applications.toml is broken")
}

/// Reads a table; `name` is what errors call it.
///
/// # Errors
/// The first mistake.
pub fn parse(text: &str, name: &str) -> Result<AppTable, AppError> {
    let read = beside_tables::<Rest>(text, name, "application")?;
    let table = AppTable { applications: read.rest.application, workloads: read.workloads };
    let mut names = BTreeSet::new();
    for of in &table.applications {
        let unsound = |what: String| AppError::Unsound {
            file: printable(name.as_bytes()),
            application: printable(of.name.as_bytes()),
            what,
        };
        if !is_word(&of.name) || of.name == ALL || !names.insert(&of.name) {
            let what = "its name must be unique, of letters, digits and hyphens, and not 'all'";
            return Err(unsound(what.to_string()));
        }
        if of.demands.is_empty() {
            return Err(unsound("it has no [[application.demand]]".to_string()));
        }
        let texts = [&of.about, &of.missed].into_iter().chain(of.load.iter().map(|load| &load.of));
        if !texts.into_iter().all(|text| is_text(text)) {
            return Err(unsound("about, missed or load.of is empty or unprintable".to_string()));
        }
        of.demands.iter().try_for_each(|d| table.check(of, d)).map_err(unsound)?;
    }
    Ok(table)
}

fn is_word(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    !name.is_empty() && !name.starts_with('-') && name.len() <= 40 && name.chars().all(is_part)
}

fn is_text(text: &str) -> bool {
    !text.trim().is_empty() && printable(text.as_bytes()) == text
}

impl AppTable {
    fn check(&self, of: &Application, demand: &Demand) -> Result<(), String> {
        let names: Vec<&str> = self.workloads.iter().map(|w| w.name.as_str()).collect();
        let Some(workload) = self.workloads.iter().find(|w| w.name == demand.workload) else {
            let hint = phrases::did_you_mean(&demand.workload, &names);
            let name = printable(demand.workload.as_bytes());
            return Err(format!("there is no [[workload]] '{name}'; {hint}"));
        };
        let job = &workload.job;
        let has_op = match demand.op {
            TimedOp::Read => job.rw.reads(),
            TimedOp::Write => job.rw.writes(),
            TimedOp::Flush => job.fsync.max(job.fdatasync) > 0,
        };
        let all = self.applications.iter().flat_map(|of| &of.demands);
        let mut timed = all.filter(|d| d.workload == demand.workload && has_latency(d.need));
        let is_sound = match demand.need {
            FitNeed::Latency { quantile, limit_ns } => {
                quantile > 0.0 && quantile < 1.0 && limit_ns > 0
            }
            FitNeed::Operations { per_s } | FitNeed::Bytes { per_s } => {
                per_s.is_finite() && per_s > 0.0
            }
            FitNeed::NoGap { limit_ns } => limit_ns > 0,
        };
        let what = match () {
            () if ![&demand.of, &demand.source].into_iter().all(|text| is_text(text)) => {
                "of or source is empty or unprintable"
            }
            () if printable(demand.url.as_bytes()) != demand.url => "url is unprintable",
            () if job.rw == Rw::SmallFiles => "smallfiles is not possible here",
            () if job.rw.reads() && !job.direct => {
                "its workload would be read from memory: set direct = true"
            }
            () if !is_sound => "the number of need is out of range",
            () if has_latency(demand.need) && !has_op => "its workload does not have the op",
            () if has_latency(demand.need) && timed.any(|d| d.op != demand.op) => {
                "one workload has latencies of one op: use a second workload"
            }
            () if demand.each && of.load.is_none() => "each needs a load",
            () => return Ok(()),
        };
        Err(format!("demand on '{}': {what}", demand.workload))
    }

    /// Adds a user's table; what has the same name replaces.
    pub fn add(&mut self, own: AppTable) {
        let has = |all: &[Application], of: &Application| all.iter().any(|o| o.name == of.name);
        self.applications.retain(|of| !has(&own.applications, of));
        self.workloads.retain(|of| own.workloads.iter().all(|o| o.name != of.name));
        self.applications.extend(own.applications);
        self.workloads.extend(own.workloads);
    }

    /// The applications of these names, and the workloads that they need.
    ///
    /// # Errors
    /// An unknown name.
    pub fn choose(&self, names: &[String]) -> Result<AppTable, AppError> {
        let mut applications: Vec<Application> = Vec::new();
        for name in names {
            let all = self.applications.iter();
            let found: Vec<&Application> =
                all.filter(|of| name == ALL || of.name == *name).collect();
            if found.is_empty() {
                let known = self.applications.iter().map(|of| of.name.as_str());
                let known: Vec<&str> = known.chain([ALL]).collect();
                let hint = phrases::did_you_mean(name, &known);
                return Err(AppError::Unknown { name: printable(name.as_bytes()), hint });
            }
            for of in found {
                if applications.iter().all(|known| known.name != of.name) {
                    applications.push(of.clone());
                }
            }
        }
        let is_needed = |w: &&Workload| {
            applications.iter().flat_map(|of| &of.demands).any(|d| d.workload == w.name)
        };
        let workloads = self.workloads.iter().filter(is_needed).cloned().collect();
        Ok(AppTable { applications, workloads })
    }
}

pub fn has_latency(need: FitNeed) -> bool {
    matches!(need, FitNeed::Latency { .. } | FitNeed::NoGap { .. })
}

/// The operation of a workload whose latencies demands limit; `None` = none does.
pub fn timed_op(applications: &[Application], workload: &str) -> Option<TimedOp> {
    let all = applications.iter().flat_map(|of| &of.demands);
    all.filter(|d| d.workload == workload && has_latency(d.need)).map(|d| d.op).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_application_has_demands_with_sources() {
        let table = built_in();
        assert!(table.applications.len() >= 18);
        for of in &table.applications {
            for demand in &of.demands {
                // A limit of our own says that there is no other.
                let has_source = demand.url.starts_with("https://") || !demand.source.is_empty();
                assert!(has_source && demand.source.len() > 20, "{}", of.name);
            }
        }
        let used = |w: &Workload| {
            table.applications.iter().flat_map(|of| &of.demands).any(|d| d.workload == w.name)
        };
        assert!(table.workloads.iter().all(used));
    }

    #[test]
    fn names_choose_applications_and_their_workloads() {
        let table = built_in();
        let choose = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
            table.choose(&names)
        };
        let etcd = choose(&["etcd", "etcd"]).unwrap();
        assert_eq!((etcd.applications.len(), etcd.workloads.len()), (1, 2));
        assert_eq!(choose(&[ALL]).unwrap(), table);
        let said = |result: Result<AppTable, AppError>| result.unwrap_err().to_string();
        assert!(said(choose(&["etc"])).contains("did you mean 'etcd'?"));
    }

    #[test]
    fn a_file_with_a_mistake_is_refused_with_its_place() {
        let head = "[[workload]]\nname = \"log\"\nrw = \"write\"\nbs = \"8k\"\nfdatasync = 1\n\
                    [[application]]\nname = \"mine\"\nabout = \"mine\"\nmissed = \"bad\"\n\
                    [[application.demand]]\nof = \"writes\"\nsource = \"me\"\n";
        let own = |rest: &str| parse(&format!("{head}{rest}"), "own.toml");
        let need = "need.latency = { quantile = 0.99, limit_ns = 5 }\n";
        assert!(own(&format!("workload = \"log\"\n{need}")).is_ok());
        let said = |rest: &str| own(rest).unwrap_err().to_string();
        assert!(said(&format!("workload = \"lag\"\n{need}")).contains("did you mean 'log'?"));
        let op = format!("workload = \"log\"\nop = \"read\"\n{need}");
        assert!(said(&op).contains("does not have the op"), "{}", said(&op));
        let wrong = said("workload = \"log\"\nneed.latency = { quantile = 0.99 }\n");
        assert!(wrong.starts_with("own.toml:14:"), "{wrong}");
        assert!(said("workload = \"log\"\nneed.operations = { per_s = 0.0 }\n").contains("range"));
        assert!(said(&format!("workloads = \"log\"\n{need}")).contains("unknown field"));
        let each = "workload = \"log\"\nneed.operations = { per_s = 1.0 }\neach = true\n";
        assert!(said(each).contains("each needs a load"));
    }
}
