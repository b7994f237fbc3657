//! Four figures of one place, and whether they are normal: facts, without words.
//!
//! Ranges come from tables of published figures and specifications (`crate::usual`) and from
//! earlier runs of the same store. They are wide on purpose: a figure outside of one deserves a
//! check, a figure inside of it proves nothing.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::power::Energy;
use crate::model::link::Link;

/// The kind of storage behind a place, as far as figures of others exist for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Medium {
    /// An SD card.
    Sd,
    /// An eMMC, soldered or as a module.
    Emmc,
    /// A USB stick, or a card in a USB reader.
    UsbStick,
    /// A solid-state drive in a USB enclosure.
    UsbSsd,
    /// A hard disk in a USB enclosure.
    UsbHdd,
    /// A hard disk at SATA or SAS.
    AtaHdd,
    /// A solid-state drive at SATA or SAS.
    AtaSsd,
    /// An NVMe drive.
    Nvme,
    /// A virtio disk of a virtual machine.
    Virtio,
    /// An emulated SATA or SCSI disk, Xen's or a cloud's.
    Virtual,
    /// A file as a block device (loop).
    Loop,
    /// A filesystem of another machine.
    Network,
}

impl Medium {
    /// Every kind.
    pub const ALL: &'static [Medium] = <Medium as VariantArray>::VARIANTS;

    /// The word in `data/usual.csv` and machine output.
    pub fn key(self) -> &'static str {
        self.into()
    }
}

/// One of the four figures.
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
    /// In the order in which they are shown.
    pub const ALL: &'static [Test] = <Test as VariantArray>::VARIANTS;

    /// The built-in workload, and the word in `data/usual.csv`.
    pub fn workload(self) -> &'static str {
        self.into()
    }

    /// Whether it is judged in bytes a second; otherwise in operations.
    pub fn is_in_bytes(self) -> bool {
        matches!(self, Test::SeqRead | Test::SeqWrite)
    }

    /// Whether it reads.
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
    /// A specification or a data sheet.
    Specification,
    /// Measured by others.
    Measured,
    /// Estimated by bakeoff from how such storage works.
    Estimate,
    /// Measured by earlier runs of this store.
    Own,
}

/// From where to where a figure usually is, in the unit of its [`Test`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Usual {
    /// Lowest.
    pub low: f64,
    /// Highest; `None` = only the link ends it, and what that carries is not known.
    pub high: Option<f64>,
    /// How far it carries.
    pub confidence: Confidence,
    /// Where it is from.
    pub source: String,
    /// Earlier runs on other drives of this kind that made it wider.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub widened_by: Vec<String>,
}

/// What the link carries in practice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkLimit {
    /// Bytes a second that others measured over it, or less its protocol.
    pub practice_bytes_per_s: f64,
    /// Where it is from.
    pub source: String,
}

/// What a card's label promises.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Label {
    /// `U3`, `V30`.
    pub class: String,
    /// Sequential writing, bytes a second.
    pub bytes_per_s: f64,
    /// Where it is from.
    pub source: String,
}

/// What is said of one figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Normality {
    /// It is in the range.
    Normal {
        /// Whether the link limits it: it comes to nine tenths of what such links carry.
        at_link_limit: bool,
    },
    /// It is below the range, the label, or earlier runs on this drive.
    Slow {
        /// Below what.
        below: Below,
        /// What explains it, as far as the machine tells.
        because: Vec<Because>,
    },
    /// It is below the range, and the machine was disturbed, so nothing follows from it.
    Disturbed {
        /// Ids of the findings that say so.
        by: Vec<String>,
    },
    /// It is above the range.
    Fast {
        /// Whether it is more than the link can carry: a cache answered.
        is_from_cache: bool,
    },
    /// Reads that memory answered, or may have answered, cannot be judged.
    Cached {
        /// Whether it is known that memory answered.
        is_certain: bool,
    },
    /// No line of the tables and no earlier run is about such a place.
    Unknown,
}

/// Below what a slow figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Below {
    /// The usual range.
    Range,
    /// What the label promises.
    Label,
    /// What earlier runs measured on this drive.
    Earlier,
}

/// What explains that a figure is low.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// Drive and port agreed on less than both can do.
    SlowLink,
    /// A USB 3 drive without UAS.
    NoUas,
    /// The label promises more than the link carries.
    LinkBelowLabel,
    /// It was measured through encryption in software.
    Encryption,
    /// The drive reports wear or errors.
    Health,
}

/// One figure beside what is usual.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaceFigure {
    /// Which.
    pub test: Test,
    /// Bytes a second.
    pub bytes_per_s: f64,
    /// Operations a second.
    pub iops: f64,
    /// A high quantile of the latency: the 99th, or a lower one where too few operations support
    /// that.
    pub tail: Option<Tail>,
    /// Energy of its work, where the machine tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<Energy>,
    /// What is usual.
    pub usual: Option<Usual>,
    /// What the link carries, for sequential work.
    pub link: Option<LinkLimit>,
    /// What the label promises.
    pub label: Option<Label>,
    /// What earlier runs measured on this drive.
    pub earlier: Option<Earlier>,
    /// What follows.
    #[serde(flatten)]
    pub normality: Normality,
}

impl PlaceFigure {
    /// The figure in the unit of its ranges.
    pub fn rate(&self) -> f64 {
        if self.test.is_in_bytes() { self.bytes_per_s } else { self.iops }
    }
}

/// A quantile of a latency, over all operations of all blocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tail {
    /// `99`, `95`, `90` or `50`.
    pub percent: u8,
    /// The latency.
    pub ns: u64,
    /// Whether it is of flushes, in which the work spent most of its time.
    pub of_flushes: bool,
}

/// Four figures of one place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Normal {
    /// The board, where the tables know it.
    pub board: Option<String>,
    /// The kind of storage; `None` = it cannot be told.
    pub medium: Option<Medium>,
    /// Why it cannot be told.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unknown: Option<WhyUnknown>,
    /// What a card claims: "class 10, U3, V30, A2".
    pub card_class: Option<String>,
    /// The negotiated link.
    pub link: Option<Link>,
    /// Whether it was measured through dm-crypt.
    pub is_encrypted: bool,
    /// The figures that were measured.
    pub figures: Vec<PlaceFigure>,
}

/// Why no kind of storage can be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhyUnknown {
    /// It is memory.
    Memory,
    /// A driver in user space.
    UserSpace,
    /// A filesystem on top of others, or a device that is not visible.
    NotVisible,
    /// Several drives together.
    SeveralDisks,
    /// A bus the tables do not know.
    OtherBus,
}

/// What earlier runs measured with one workload on one drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Earlier {
    /// Lowest figure of a run, in the unit of the workload's [`Test`].
    pub low: f64,
    /// Highest.
    pub high: f64,
    /// Ids of the runs, the latest first.
    pub runs: Vec<String>,
}

/// What earlier runs of the store say of a place: recorded when a run begins, so that analysing it
/// again, with another store or none, gives the same answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EarlierFigures {
    /// One for each workload that an earlier run measured.
    pub workloads: Vec<EarlierFigure>,
}

/// One workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EarlierFigure {
    /// Which.
    pub test: Test,
    /// On the same drive.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub same_drive: Option<Earlier>,
    /// On other drives of the same kind, class, link and board.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub same_kind: Option<Earlier>,
}
