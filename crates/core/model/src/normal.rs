//! Four figures of one place, and whether they are normal: facts, without words.
//!
//! What is usual is what others published of such drives ([`super::others`]).

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::others::AmongOthers;
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

    /// The word in `data/others.csv` and machine output.
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

    /// The built-in workload, and the word in `data/others.csv`.
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
    /// Of sequential writes, or of random reads of 4 KiB; bytes a second.
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
    /// It is far below the others, or below the label.
    Slow {
        below: Below,
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
    Others,
    Label,
}

/// What explains that a figure is low.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    SlowLink,
    /// A card in a slower mode than it and the board support.
    SlowMode,
    /// A USB 3 drive without UAS.
    NoUas,
    LinkBelowLabel,
    Encryption,
    /// Less than a tenth of the filesystem is free.
    Full,
    Health,
    /// A card whose identity is typical of counterfeits.
    Fake,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaceFigure {
    pub test: Test,
    pub bytes_per_s: f64,
    pub iops: f64,
    /// A high quantile of the latency: the 99th, or a lower one where too few operations support
    /// that.
    pub tail: Option<Tail>,
    /// `None` = too few such drives are known.
    pub others: Option<AmongOthers>,
    pub link: Option<LinkLimit>,
    pub label: Option<Label>,
    #[serde(flatten)]
    pub normality: Normality,
    /// What explains it, where it is slow or slower than most others.
    pub because: Vec<Because>,
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
