//! Four figures of one place, and whether they are normal: facts, without words.
//!
//! Ranges come from tables of published figures and specifications (`usual`) and from
//! earlier runs of the same store. They are wide on purpose: a figure outside of one deserves a
//! check, a figure inside of it proves nothing.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::power::Energy;
use crate::link::Link;

/// The kind of storage behind a place, as far as figures of others exist for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Medium {
    Sd,
    Emmc,
    UsbStick,
    UsbSsd,
    UsbHdd,
    AtaHdd,
    AtaSsd,
    Nvme,
    Virtio,
    /// An emulated SATA or SCSI disk, Xen's or a cloud's.
    Virtual,
    Loop,
    Network,
}

impl Medium {
    pub const ALL: &'static [Medium] = <Medium as VariantArray>::VARIANTS;

    /// The word in `data/usual.csv` and machine output.
    pub fn key(self) -> &'static str {
        self.into()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Test {
    /// 1 MiB sequential reads past the page cache; its rate is bytes a second.
    SeqRead,
    /// 1 MiB sequential writes, flushed every 16 MiB; bytes a second.
    SeqWrite,
    /// 4 KiB random reads past the page cache, one at a time; operations a second.
    RandRead,
    /// 4 KiB random writes, each flushed; operations a second.
    RandWrite,
}

impl Test {
    pub const ALL: &'static [Test] = <Test as VariantArray>::VARIANTS;

    /// The built-in workload, and the word in `data/usual.csv`.
    pub fn workload(self) -> &'static str {
        self.into()
    }

    /// Whether it is judged in bytes a second; otherwise in operations.
    pub fn is_in_bytes(self) -> bool {
        matches!(self, Test::SeqRead | Test::SeqWrite)
    }

    pub fn is_read(self) -> bool {
        matches!(self, Test::SeqRead | Test::RandRead)
    }
}

/// How far a line of the tables carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum Confidence {
    Specification,
    Measured,
    Estimate,
}

/// From where to where a figure usually is, in the unit of its [`Test`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Usual {
    pub low: f64,
    /// Highest; `None` = only the link ends it, and what that carries is not known.
    pub high: Option<f64>,
    pub confidence: Confidence,
    pub source: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub widened_by: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkLimit {
    /// Bytes a second that others measured over it, or less its protocol.
    pub practice_bytes_per_s: f64,
    pub source: String,
}

/// What a card's label promises.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Label {
    /// `U3`, `V30`.
    pub class: String,
    /// Sequential writing, bytes a second.
    pub bytes_per_s: f64,
    pub source: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Normality {
    Normal {
        /// Whether the link limits it: it comes to nine tenths of what such links carry.
        at_link_limit: bool,
    },
    /// It is below the range, the label, or earlier runs on this drive.
    Slow {
        below: Below,
        because: Vec<Because>,
    },
    Disturbed {
        by: Vec<String>,
    },
    Fast {
        is_from_cache: bool,
    },
    /// Reads that memory answered, or may have answered, cannot be judged.
    Cached {
        is_certain: bool,
    },
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Below {
    Range,
    Label,
    Earlier,
}

/// What explains that a figure is low.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    SlowLink,
    /// A USB 3 drive without UAS.
    NoUas,
    LinkBelowLabel,
    Encryption,
    Health,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaceFigure {
    pub test: Test,
    pub bytes_per_s: f64,
    pub iops: f64,
    /// A high quantile of the latency: the 99th, or a lower one where too few operations support
    /// that.
    pub tail: Option<Tail>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<Energy>,
    pub usual: Option<Usual>,
    pub link: Option<LinkLimit>,
    pub label: Option<Label>,
    pub earlier: Option<Earlier>,
    #[serde(flatten)]
    pub normality: Normality,
}

impl PlaceFigure {
    pub fn rate(&self) -> f64 {
        if self.test.is_in_bytes() { self.bytes_per_s } else { self.iops }
    }
}

/// A quantile of a latency, over all operations of all blocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tail {
    /// `99`, `95`, `90` or `50`.
    pub percent: u8,
    pub ns: u64,
    pub of_flushes: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Normal {
    pub board: Option<String>,
    /// The kind of storage; `None` = it cannot be told.
    pub medium: Option<Medium>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unknown: Option<WhyUnknown>,
    /// What a card claims: "class 10, U3, V30, A2".
    pub card_class: Option<String>,
    pub link: Option<Link>,
    pub is_encrypted: bool,
    pub figures: Vec<PlaceFigure>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhyUnknown {
    Memory,
    UserSpace,
    NotVisible,
    SeveralDisks,
    OtherBus,
}

/// What earlier runs measured with one workload on one drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Earlier {
    /// Lowest figure of a run, in the unit of the workload's [`Test`].
    pub low: f64,
    pub high: f64,
    /// Ids of the runs, the latest first.
    pub runs: Vec<String>,
}

/// What earlier runs of the store say of a place: recorded when a run begins, so that analysing it
/// again, with another store or none, gives the same answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EarlierFigures {
    pub workloads: Vec<EarlierFigure>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EarlierFigure {
    pub test: Test,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub same_drive: Option<Earlier>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub same_kind: Option<Earlier>,
}
