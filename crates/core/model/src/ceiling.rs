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
pub enum Layer {
    /// What the link carries: negotiated speed, less its coding.
    Link,
    LinkPractice,
    /// The device without a filesystem, same block size and depth, same place.
    Raw,
    Deep,
    Start,
    #[serde(alias = "raw_end")]
    End,
    NoFlush,
    #[serde(alias = "crypt")]
    NoCipher,
    NullCipher,
    CryptRaw,
    CryptRam,
    FsRam,
    /// The same calls on a filesystem in memory: system calls and copying.
    Calls,
    /// The same work with no I/O: bakeoff itself.
    Tool,
    /// The workload once more, beside the experiments that change one thing of it.
    Again,
    /// The same with the CPU clock lowered to `diagnose::prove::CLOCK` of what it may be.
    SlowClock,
    SmallBlocks,
}

impl Layer {
    pub fn label(self) -> &'static str {
        match self {
            Layer::Link => "the link",
            Layer::LinkPractice => "the practical limit of such links",
            Layer::Raw => "the raw device",
            Layer::Deep => "the device with many requests at a time",
            Layer::Start => "the raw device at the start of the region",
            Layer::End => "the raw device at the end of the region",
            Layer::NoFlush => "the same without flushing",
            Layer::NoCipher => "the same without encryption",
            Layer::NullCipher => "the same with a null cipher",
            Layer::CryptRaw => "the cipher on the device, without a filesystem",
            Layer::CryptRam => "the cipher in memory",
            Layer::FsRam => "the filesystem in memory",
            Layer::Calls => "the system calls alone",
            Layer::Tool => "bakeoff without I/O",
            Layer::Again => "the same, repeated",
            Layer::SlowClock => "the same at a lower CPU clock",
            Layer::SmallBlocks => "the same in smaller blocks",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerRate {
    pub layer: Layer,
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
    /// The same for programs. Records of version 0.1 have none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Index of the workload whose layers they are; `None` = all.
    pub workload: Option<WorkloadIx>,
    pub because: Because,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    Time,
    Bytes,
    Failed,
}

impl Because {
    pub fn label(self) -> &'static str {
        match self {
            Because::Time => "the time limit leaves no time for them",
            Because::Bytes => "the write limit does not allow them",
            Because::Failed => "one of them could not be measured",
        }
    }
}

impl Ceilings {
    /// The rate of a layer for a cell: the candidate's own, or everybody's.
    pub fn find(
        &self,
        layer: Layer,
        workload: WorkloadIx,
        candidate: CandidateIx,
    ) -> Option<&LayerRate> {
        let fits = |r: &&LayerRate| {
            r.layer == layer && r.workload == workload && r.candidate.is_none_or(|c| c == candidate)
        };
        self.measured.iter().find(fits)
    }
}
