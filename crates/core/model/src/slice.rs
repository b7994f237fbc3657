//! One slice: one workload on one standing candidate, its flush included, for 50 to 300 ms on quick
//! drives and up to a minute on slow ones.
//!
//! A slice has a part in which the drive settles after the turn of another candidate, and a part
//! that counts. Both are recorded in a few stretches, so that a rate that still changes can be
//! seen. Whole distributions are kept for the cell.

use serde::{Deserialize, Serialize};

use super::index::CandidateIx;
use super::workload::Metric;
use super::{is_default, is_one, one};

pub const STRETCHES: usize = 8;

/// A stretch of a slice. Stored as a list of its numbers, in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u64; 5]", into = "[u64; 5]")]
pub struct Stretch {
    pub elapsed_ns: u64,
    /// Data operations completed; for small files, files of whole sets.
    pub ios: u64,
    pub bytes: u64,
    pub flushes: u64,
    pub flush_ns: u64,
}

impl From<[u64; 5]> for Stretch {
    fn from([elapsed_ns, ios, bytes, flushes, flush_ns]: [u64; 5]) -> Stretch {
        Stretch { elapsed_ns, ios, bytes, flushes, flush_ns }
    }
}

impl From<Stretch> for [u64; 5] {
    fn from(s: Stretch) -> [u64; 5] {
        [s.elapsed_ns, s.ios, s.bytes, s.flushes, s.flush_ns]
    }
}

impl Stretch {
    pub fn add(&mut self, other: &Stretch) {
        let sum = |a: u64, b: u64| a.saturating_add(b);
        *self = Stretch {
            elapsed_ns: sum(self.elapsed_ns, other.elapsed_ns),
            ios: sum(self.ios, other.ios),
            bytes: sum(self.bytes, other.bytes),
            flushes: sum(self.flushes, other.flushes),
            flush_ns: sum(self.flush_ns, other.flush_ns),
        };
    }

    pub fn since(self, earlier: Stretch) -> Stretch {
        Stretch {
            elapsed_ns: self.elapsed_ns.saturating_sub(earlier.elapsed_ns),
            ios: self.ios.saturating_sub(earlier.ios),
            bytes: self.bytes.saturating_sub(earlier.bytes),
            flushes: self.flushes.saturating_sub(earlier.flushes),
            flush_ns: self.flush_ns.saturating_sub(earlier.flush_ns),
        }
    }

    pub fn sum(stretches: &[Stretch]) -> Stretch {
        let mut all = Stretch::default();
        stretches.iter().for_each(|stretch| all.add(stretch));
        all
    }

    pub fn rate(&self, metric: Metric) -> Option<f64> {
        rate(metric, self.ios, self.bytes, self.elapsed_ns)
    }
}

fn rate(metric: Metric, ios: u64, bytes: u64, elapsed_ns: u64) -> Option<f64> {
    let done = match metric {
        Metric::Bandwidth => bytes,
        Metric::Iops | Metric::FilesPerSecond => ios,
        // Only profiles have transactions, and profiles are not sliced.
        Metric::TransactionsPerSecond | Metric::LatencyP99 => return None,
    };
    (done > 0 && elapsed_ns > 0).then(|| done as f64 * 1e9 / elapsed_ns as f64)
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slice {
    /// The round within the cell, from 0.
    pub round: u16,
    /// The position inside the round, from 0.
    pub turn: u16,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<CandidateIx>,
    pub began_ns: u64,
    /// Wall time from its first operation to the end of its last flush.
    pub elapsed_ns: u64,
    /// Data operations completed. For small files: files created, looked up, read and removed.
    pub ios: u64,
    pub bytes: u64,
    #[serde(skip_serializing_if = "is_default", default)]
    pub flushes: u32,
    #[serde(skip_serializing_if = "is_default", default)]
    pub flush_ns: u64,
    /// 99th percentile of the latency of its data operations; `None` with fewer than 1000.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub p99_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_ns: Option<u64>,
    /// Why it does not count; `None` = it counts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub void: Option<Void>,
    /// How many times as long as the others of its workload it was to be: more than 1 proves that
    /// the length does not matter.
    #[serde(skip_serializing_if = "is_one", default = "one")]
    pub times: u8,
    /// The part before, in which the drive settled: not contained in anything above.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub settling: Vec<Stretch>,
    /// The part that counts; empty = it was not recorded.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub along: Vec<Stretch>,
}

impl Default for Slice {
    fn default() -> Slice {
        Slice {
            round: 0,
            turn: 0,
            after: None,
            began_ns: 0,
            elapsed_ns: 0,
            ios: 0,
            bytes: 0,
            flushes: 0,
            flush_ns: 0,
            p99_ns: None,
            max_ns: None,
            void: None,
            times: 1,
            settling: Vec::new(),
            along: Vec::new(),
        }
    }
}

/// Why a slice does not count. It is measured again in a later round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Void {
    FromMemory,
    Swapping,
    Suspended,
    /// The time limit of a slice ended it before its minimum of operations was done.
    TooFew,
}

impl Slice {
    pub fn is_valid(&self) -> bool {
        self.void.is_none()
    }

    /// The figure of this slice alone: work over time, or nanoseconds for a latency. `None` where
    /// nothing was done, where too little was done for the quantile, and for a figure that slices
    /// do not have.
    pub fn figure(&self, metric: Metric) -> Option<f64> {
        if metric == Metric::LatencyP99 {
            return self.p99_ns.filter(|ns| *ns > 0).map(|ns| ns as f64);
        }
        rate(metric, self.ios, self.bytes, self.elapsed_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_is_stored_in_a_few_hundred_bytes_beside_its_stretches() {
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
            p99_ns: Some(u64::MAX),
            max_ns: Some(u64::MAX),
            void: Some(Void::FromMemory),
            times: 2,
            settling: vec![Stretch { ios: 9, elapsed_ns: 1, ..Stretch::default() }],
            along: vec![Stretch { bytes: 7, flushes: 2, flush_ns: 3, ..Stretch::default() }; 2],
        };
        let text = serde_json::to_string(&most).unwrap();
        assert!(text.len() < 500, "{} bytes", text.len());
        let want = r#""times":2,"settling":[[1,9,0,0,0]],"along":[[0,0,7,2,3],[0,0,7,2,3]]}"#;
        assert!(text.ends_with(want), "{text}");
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
