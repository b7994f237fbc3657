//! Applications: what each demands of the storage below it, and what `fit` measured to judge that.
//!
//! A demand is a limit on one statistic of one workload, with the document it comes from. A rate
//! may be meant for each unit of a load: a commit per second, a stream, a camera.

use serde::{Deserialize, Serialize};

use super::fit::FitNeed;
use super::index::WorkloadIx;
use super::is_default;
use super::run::FoldError;
use bakeoff_stats::histogram::Histogram;

/// Most applications of a record, and most demands of one.
const MOST_APPLICATIONS: usize = 64;
const MOST_DEMANDS: usize = 8;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Application {
    /// What `fit` takes: "etcd".
    pub name: String,
    /// For people: "the database of Kubernetes".
    pub about: String,
    /// What happens where a demand is not met.
    pub missed: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<AppLoad>,
    #[serde(rename = "demand")]
    pub demands: Vec<Demand>,
}

/// How much an application has to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppLoad {
    pub count: u32,
    /// In the plural: "commits per second".
    pub of: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// Name of the workload that is measured for it.
    pub workload: String,
    /// What is limited, in the plural: "log writes".
    pub of: String,
    /// The operation whose latencies are judged.
    #[serde(default)]
    pub op: TimedOp,
    pub need: FitNeed,
    /// Whether a rate is meant for each unit of the application's load.
    #[serde(default, skip_serializing_if = "is_default")]
    pub each: bool,
    /// The workload of `quick` that resembles it: its figures decide where they are twice as good
    /// or twice as bad as needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quick: Option<String>,
    /// The document and its version; for a limit of bakeoff's own, why it is that one.
    pub source: String,
    /// Address of the document; empty = the limit is bakeoff's own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
}

/// An operation whose latencies are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimedOp {
    Read,
    Write,
    /// fsync(2), fdatasync(2).
    #[default]
    Flush,
}

impl Application {
    /// What a demand needs under the application's load.
    pub fn need(&self, demand: &Demand) -> FitNeed {
        let count = self.load.as_ref().filter(|_| demand.each).map_or(1, |load| load.count);
        match demand.need {
            FitNeed::Operations { per_s } => {
                FitNeed::Operations { per_s: per_s * f64::from(count) }
            }
            FitNeed::Bytes { per_s } => FitNeed::Bytes { per_s: per_s * f64::from(count) },
            FitNeed::Latency { .. } | FitNeed::NoGap { .. } => demand.need,
        }
    }
}

pub(super) fn bounded(all: &[Application]) -> Result<(), FoldError> {
    let demands = all.iter().map(|application| application.demands.len()).max().unwrap_or(0);
    let sizes = [
        ("applications", all.len(), MOST_APPLICATIONS),
        ("demands of an application", demands, MOST_DEMANDS),
    ];
    match sizes.into_iter().find(|(_, found, most)| found > most) {
        Some((what, found, most)) => Err(FoldError::TooMany { what, found, most }),
        None => Ok(()),
    }
}

/// What was measured of a workload of a `fit` run, in the order in which it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitSamples {
    pub workload: WorkloadIx,
    /// Number of the look, from 0, at which it was judged last.
    pub look: u32,
    pub samples: Vec<FitSample>,
}

/// One slice, at a random moment of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FitSample {
    /// Active time of the run at its beginning.
    pub began_ns: u64,
    /// Wall time, its last flush included.
    pub elapsed_ns: u64,
    /// Data operations.
    pub ios: u64,
    pub bytes: u64,
    /// Of the operation that is judged.
    #[serde(default, skip_serializing_if = "is_default")]
    pub latencies: Histogram,
    /// Time the engine's threads were ready to run and waited for a CPU, added up.
    #[serde(default, skip_serializing_if = "is_default")]
    pub waited_ns: u64,
    /// Most by which a latency is wrong by the engine's clock.
    #[serde(default, skip_serializing_if = "is_default")]
    pub clock_error_ns: u64,
}
