//! A workload: a named job template that every candidate of a run gets alike.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::index::{self, WorkloadIx};
use super::job::Job;
use super::measurement::{Measurement, OpStats};
use super::profile::Part;

pub use super::driver::DriverName;
use bakeoff_stats::units;

/// When in a visit a workload runs: cold reads first, metadata last (protocol, "Visits").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    ColdRead,
    Overwrite,
    Append,
    Metadata,
    /// A profile or a foreign tool: makes its own files, keeps its own order of parts and cools
    /// its own reads.
    Whole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Metric {
    /// Bytes a second, flush and close included.
    Bandwidth,
    /// Data operations a second, flush and close included.
    Iops,
    /// Files worked on a second: where each is created, looked at, read and removed, the four
    /// together count once.
    FilesPerSecond,
    TransactionsPerSecond,
    /// 99th percentile of the latency of its reads; of its writes where it only writes. Less is
    /// better.
    LatencyP99,
}

impl Metric {
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn less_is_better(self) -> bool {
        self == Metric::LatencyP99
    }

    /// A rate a second; of a latency, data operations a second.
    pub fn rate(self, value: f64) -> String {
        match self {
            Metric::Bandwidth => units::rate(value),
            Metric::Iops | Metric::LatencyP99 => format!("{} IOPS", units::count(value)),
            Metric::FilesPerSecond => format!("{} files/s", units::count(value)),
            Metric::TransactionsPerSecond => format!("{} transactions/s", units::count(value)),
        }
    }

    /// A figure with its unit: `123 MB/s`, `1240 IOPS`, `4.56 ms`.
    pub fn figure(self, value: f64) -> String {
        match self {
            Metric::Bandwidth => units::rate(value),
            Metric::Iops => format!("{} IOPS", units::count(value)),
            Metric::FilesPerSecond => format!("{} files/s", units::count(value)),
            Metric::TransactionsPerSecond => format!("{} transactions/s", units::count(value)),
            Metric::LatencyP99 => units::latency(value as u64),
        }
    }

    /// The figure of one cell: bytes, operations, files or transactions a second over its wall
    /// time, flushes and close included, or nanoseconds. `None` where nothing was done, or too
    /// little for the quantile.
    pub fn value(self, cell: &Measurement) -> Option<f64> {
        let data = || [&cell.read, &cell.write].into_iter().flatten();
        let done = match self {
            Metric::Bandwidth => data().map(|s| s.io_bytes).sum::<u64>() as f64,
            Metric::Iops => data().map(|s| s.total_ios).sum::<u64>() as f64,
            Metric::FilesPerSecond => files(cell),
            Metric::TransactionsPerSecond => count(&cell.commit) as f64,
            Metric::LatencyP99 => {
                let main = cell.read.as_ref().or(cell.write.as_ref())?;
                return main.lat_ns.p99.filter(|ns| *ns > 0).map(|ns| ns as f64);
            }
        };
        (done > 0.0 && cell.elapsed_ns > 0).then(|| done * 1e9 / cell.elapsed_ns as f64)
    }

    /// A figure on the scale comparisons are made on: a logarithm of which more is better, so that
    /// half the latency counts as twice the speed.
    pub fn to_score(self, figure: f64) -> f64 {
        if self.less_is_better() { -libm::log(figure) } else { libm::log(figure) }
    }

    pub fn from_score(self, score: f64) -> f64 {
        libm::exp(if self.less_is_better() { -score } else { score })
    }
}

/// Files of which each was made, looked at, read and removed, a set cut short in part; otherwise
/// those that were made, looked at or removed.
fn files(cell: &Measurement) -> f64 {
    let whole = [&cell.create, &cell.stat, &cell.read, &cell.unlink];
    if whole.iter().all(|kind| kind.is_some()) {
        return whole.iter().map(|kind| count(kind)).sum::<u64>() as f64 / 4.0;
    }
    let most = [&cell.create, &cell.stat, &cell.unlink].into_iter().map(count).max();
    most.unwrap_or(0) as f64
}

fn count(kind: &Option<OpStats>) -> u64 {
    kind.as_ref().map_or(0, |s| s.total_ios)
}

/// A named access pattern with the figure it is judged by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// Unique within a run; what `--workload` takes.
    pub name: String,
    /// One line for people: "4k random writes, each flushed".
    pub summary: String,
    pub phase: Phase,
    pub metric: Metric,
    /// What the engine does; `seed` and file are filled in for each cell.
    pub job: Job,
    #[serde(default, skip_serializing_if = "DriverName::is_native")]
    pub driver: DriverName,
    /// One part of a profile, measured together with its other parts; `job` then only gives the
    /// profile's sizes, times and depth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Part>,
    /// Whether `job.size` is what was asked for; else each run chooses it by the room it has.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sized: bool,
    /// What works beside it at a fixed pace, on the same candidate; see [`super::companions`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Box<Workload>>,
}

index::list_of!(Workload, WorkloadIx);

impl Workload {
    pub fn native(name: &str, summary: &str, phase: Phase, metric: Metric, job: Job) -> Workload {
        let (name, summary) = (name.to_string(), summary.to_string());
        let driver = DriverName::Native;
        let (profile, sized, beside) = (None, false, None);
        Workload { name, summary, phase, metric, job, driver, profile, sized, beside }
    }

    /// Whether it waits for each answer before it sends more. Profiles that are judged by a latency
    /// have arrivals of their own.
    pub fn is_closed_loop(&self) -> bool {
        self.job.rate_iops.is_none() && self.profile.is_none()
    }

    pub fn uses_data_file(&self) -> bool {
        matches!(self.phase, Phase::ColdRead | Phase::Overwrite)
    }

    /// Whether the engine can do it in slices: one job of its own. Profiles and foreign tools keep
    /// their own order and are measured in visits.
    pub fn can_be_sliced(&self) -> bool {
        let is_job = self.driver.is_native() && self.profile.is_none();
        is_job && self.job.can_be_sliced()
    }
}
