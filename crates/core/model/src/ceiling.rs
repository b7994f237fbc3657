//! What lower layers reach on their own: the ceilings that a cell's rate is compared with.
//!
//! Each is the same work on less: without the filesystem, on memory, without I/O at all. Rates
//! are in the workload's own metric, so that they can be drawn beside its cells.

use serde::{Deserialize, Serialize};

use super::candidate::Skipped;
use super::index::{CandidateIx, WorkloadIx};

/// The layers, from the wire up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CeilingLayer {
    /// What the link carries: negotiated speed, less its coding.
    Link,
    LinkPractice,
    /// The device without a filesystem, same block size and depth, same place.
    Raw,
    Deep,
    Start,
    End,
    NoFlush,
    /// The same calls on a filesystem in memory: system calls and copying.
    Calls,
    /// The same work with no I/O: bakeoff itself.
    Tool,
}

impl CeilingLayer {
    pub fn label(self) -> &'static str {
        match self {
            CeilingLayer::Link => "the link",
            CeilingLayer::LinkPractice => "the practical limit of such links",
            CeilingLayer::Raw => "the raw device",
            CeilingLayer::Deep => "the device with many requests at a time",
            CeilingLayer::Start => "the raw device at the start of the region",
            CeilingLayer::End => "the raw device at the end of the region",
            CeilingLayer::NoFlush => "the same without flushing",
            CeilingLayer::Calls => "the system calls alone",
            CeilingLayer::Tool => "bakeoff without I/O",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerRate {
    pub layer: CeilingLayer,
    pub workload: WorkloadIx,
    /// Index of the candidate it belongs to; `None` = all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate: Option<CandidateIx>,
    /// In the workload's metric, a second; where that is a latency, data operations a second.
    pub rate: f64,
    #[serde(default)]
    pub bytes_per_s: f64,
    /// How long it was measured; 0 for what is known without measuring.
    #[serde(default)]
    pub elapsed_ns: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ceilings {
    #[serde(rename = "rungs")]
    pub measured: Vec<LayerRate>,
    pub skipped: Vec<Skipped>,
}

impl Ceilings {
    /// The rate of a layer for a cell: the candidate's own, or everybody's.
    pub fn find(
        &self,
        layer: CeilingLayer,
        workload: WorkloadIx,
        candidate: CandidateIx,
    ) -> Option<&LayerRate> {
        let fits = |r: &&LayerRate| {
            r.layer == layer && r.workload == workload && r.candidate.is_none_or(|c| c == candidate)
        };
        self.measured.iter().find(fits)
    }
}
