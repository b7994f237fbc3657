//! One slice: one workload on one standing candidate for 50 to 300 ms, its flush included.
//!
//! A slice is what the engine measured between "go" and its answer, and why it does not count
//! where it does not. A few hundred bytes each. Whole distributions are kept for the cell.

use serde::{Deserialize, Serialize};

use super::index::CandidateIx;
use super::is_default;
use super::workload::Metric;

/// One slice as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slice {
    /// The round within the cell, from 0.
    pub round: u16,
    /// The position inside the round, from 0.
    pub turn: u16,
    /// The candidate measured just before, by its index in the run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<CandidateIx>,
    /// When it began, in nanoseconds from the start of the run.
    pub began_ns: u64,
    /// Wall time from its first operation to the end of its last flush.
    pub elapsed_ns: u64,
    /// Data operations completed. For small files: files created, looked up, read and removed.
    pub ios: u64,
    /// Bytes of data read and written.
    pub bytes: u64,
    /// Flushes completed.
    #[serde(skip_serializing_if = "is_default", default)]
    pub flushes: u32,
    /// Time inside flushes, on average of its threads.
    #[serde(skip_serializing_if = "is_default", default)]
    pub flush_ns: u64,
    /// Median latency of its data operations; `None` with fewer than 20.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub p50_ns: Option<u64>,
    /// 99th percentile of the same; `None` with fewer than 1000.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub p99_ns: Option<u64>,
    /// Longest of the same.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_ns: Option<u64>,
    /// Why it does not count; `None` = it counts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub void: Option<Void>,
}

/// Why a slice does not count. It is measured again in a later round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Void {
    /// Its reads came from memory.
    FromMemory,
    /// The machine swapped.
    Swapping,
    /// The machine was suspended.
    Suspended,
    /// The time limit of a slice ended it before its minimum of operations was done.
    TooFew,
}

impl Slice {
    /// Whether it counts.
    pub fn is_valid(&self) -> bool {
        self.void.is_none()
    }

    /// The figure of this slice alone: work over time, or nanoseconds for a latency. `None` where
    /// nothing was done, where too little was done for the quantile, and for a figure that slices
    /// do not have.
    pub fn figure(&self, metric: Metric) -> Option<f64> {
        let done = match metric {
            Metric::Bandwidth => self.bytes,
            Metric::Iops | Metric::FilesPerSecond => self.ios,
            // Only profiles have transactions, and profiles are not sliced.
            Metric::TransactionsPerSecond => return None,
            Metric::LatencyP99 => return self.p99_ns.filter(|ns| *ns > 0).map(|ns| ns as f64),
        };
        (done > 0 && self.elapsed_ns > 0).then(|| done as f64 * 1e9 / self.elapsed_ns as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_stored_in_a_few_hundred_bytes() {
        let most = Slice {
            round: u16::MAX,
            turn: u16::MAX,
            after: Some(CandidateIx::new(usize::MAX)),
            began_ns: u64::MAX,
            elapsed_ns: u64::MAX,
            ios: u64::MAX,
            bytes: u64::MAX,
            flushes: u32::MAX,
            flush_ns: u64::MAX,
            p50_ns: Some(u64::MAX),
            p99_ns: Some(u64::MAX),
            max_ns: Some(u64::MAX),
            void: Some(Void::FromMemory),
        };
        let text = serde_json::to_string(&most).unwrap();
        assert!(text.len() < 400, "{} bytes", text.len());
        assert_eq!(serde_json::from_str::<Slice>(&text).unwrap(), most);
        let least = Slice { elapsed_ns: 5, ios: 1, bytes: 4096, ..Slice::default() };
        let text = serde_json::to_string(&least).unwrap();
        let want = r#"{"round":0,"turn":0,"began_ns":0,"elapsed_ns":5,"ios":1,"bytes":4096}"#;
        assert_eq!(text, want);
        assert_eq!(serde_json::from_str::<Slice>(&text).unwrap(), least);
    }

    #[test]
    fn a_slice_is_judged_by_the_figure_of_its_workload() {
        let slice = Slice {
            elapsed_ns: 500_000_000,
            ios: 100,
            bytes: 409_600,
            p99_ns: Some(7),
            ..Slice::default()
        };
        assert_eq!(slice.figure(Metric::Iops), Some(200.0));
        assert_eq!(slice.figure(Metric::Bandwidth), Some(819_200.0));
        assert_eq!(slice.figure(Metric::LatencyP99), Some(7.0));
        assert_eq!(slice.figure(Metric::TransactionsPerSecond), None);
        assert_eq!(Slice::default().figure(Metric::Iops), None);
    }
}
