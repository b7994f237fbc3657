//! A workload: a named job template that every candidate of a run gets alike.

use serde::{Deserialize, Serialize};

use super::job::Job;
use super::measurement::Measurement;

/// When in a visit a workload runs: cold reads first, metadata last (protocol, "Visits").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Reads of the laid-out file, not in memory.
    ColdRead,
    /// Writes into the laid-out file.
    Overwrite,
    /// Writes to new files.
    Append,
    /// Creating and removing many files.
    Metadata,
}

/// The figure a workload is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Bytes a second, flush and close included.
    Bandwidth,
    /// Data operations a second, flush and close included.
    Iops,
    /// Files created, looked at, read and removed a second.
    FilesPerSecond,
}

impl Metric {
    /// The name in machine output.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Bandwidth => "bandwidth",
            Metric::Iops => "iops",
            Metric::FilesPerSecond => "files_per_second",
        }
    }

    /// The figure of one cell, a second: bytes, data operations or files. 0 when nothing was done.
    pub fn of(self, cell: &Measurement) -> f64 {
        let data = [&cell.read, &cell.write];
        let done: u64 = match self {
            Metric::Bandwidth => data.into_iter().flatten().map(|s| s.io_bytes).sum(),
            Metric::Iops => data.into_iter().flatten().map(|s| s.total_ios).sum(),
            Metric::FilesPerSecond => cell.create.iter().map(|s| s.total_ios).sum(),
        };
        if cell.elapsed_ns == 0 { 0.0 } else { done as f64 * 1e9 / cell.elapsed_ns as f64 }
    }
}

/// A named access pattern with the figure it is judged by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// Unique within a run; what `--workload` takes.
    pub name: String,
    /// One line for people: "4k random writes, each flushed".
    pub summary: String,
    /// When it runs in a visit.
    pub phase: Phase,
    /// What it is judged by.
    pub metric: Metric,
    /// What the engine does; `seed` and file are filled in for each cell.
    pub job: Job,
}
