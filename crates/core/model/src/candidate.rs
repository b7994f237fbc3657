//! What is compared: a directory as it is, or a stack that is put on a region.

use serde::{Deserialize, Serialize};

use super::host::Place;
use super::index::{self, CandidateIx, RegionIx};
use super::is_default;
use super::path::RawPath;
use super::use_state::UseState;
use super::workload::{DriverName, Workload};
use bakeoff_stats::phrases;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Unique within a run, printable, at most 40 characters.
    pub name: String,
    pub kind: Kind,
    /// Label of the same thing measured twice (A/A control): the name of the twin.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub twin_of: Option<String>,
    /// Index into [`super::event::Header::regions`]; 0 but for runs over several devices.
    #[serde(skip_serializing_if = "is_default", default)]
    pub region: RegionIx,
    #[serde(skip_serializing_if = "is_default", default)]
    pub tool: DriverName,
}

index::list_of!(Candidate, CandidateIx);

impl Candidate {
    pub fn new(name: impl Into<String>, kind: Kind) -> Candidate {
        let (region, tool) = (RegionIx::FIRST, DriverName::Native);
        Candidate { name: name.into(), kind, twin_of: None, region, tool }
    }

    /// A workload as it is done here: by the candidate's tool, if it is one.
    pub fn done_by(&self, workload: &Workload) -> Workload {
        let driver = if self.tool.is_native() { workload.driver } else { self.tool };
        Workload { driver, ..workload.clone() }
    }

    /// What is put on its region; `None` for a directory.
    pub fn stack(&self) -> Option<&Stack> {
        match &self.kind {
            Kind::Stack(stack) => Some(stack),
            Kind::Directory { .. } => None,
        }
    }

    /// What lies behind its directory; `None` for a stack.
    pub fn place(&self) -> Option<&Place> {
        match &self.kind {
            Kind::Directory { place, .. } => Some(place),
            Kind::Stack(_) => None,
        }
    }
}

/// Whether there are two things to compare among these: a twin is the same thing again.
pub fn are_compared<'c>(candidates: impl IntoIterator<Item = &'c Candidate>) -> bool {
    candidates.into_iter().filter(|c| c.twin_of.is_none()).count() >= 2
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Directory { path: RawPath, place: Box<Place> },
    Stack(Stack),
}

/// What is put on a region. Options are argv words, never shell text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stack {
    /// The filesystem's own name: `ext4`, `xfs`, `btrfs`, `ntfs-3g`, ….
    pub fs: String,
    #[serde(default)]
    pub mkfs: Vec<String>,
    #[serde(default)]
    pub mount: Vec<String>,
    /// Whether the filesystem runs in user space (FUSE), so the driver is compared, not the format.
    #[serde(default)]
    pub fuse: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crypt: Option<Crypt>,
    /// Whether a logical volume lies between region (or encryption) and filesystem.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lvm: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub knobs: Knobs,
    /// How it is used before it is measured.
    #[serde(default, skip_serializing_if = "is_default")]
    pub state: UseState,
}

impl Stack {
    pub fn plain(fs: &str, mkfs: Vec<String>, mount: Vec<String>, fuse: bool) -> Stack {
        let fs = fs.to_string();
        let (knobs, state) = (Knobs::default(), UseState::default());
        Stack { fs, mkfs, mount, fuse, crypt: None, lvm: false, knobs, state }
    }
}

/// What encrypts. Source: cryptsetup(8).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crypt {
    /// `luks2` or `plain`.
    #[serde(default = "luks2")]
    pub kind: String,
    /// Cipher as cryptsetup names it: `aes-xts-plain64`, `xchacha20,aes-adiantum-plain64`.
    pub cipher: String,
    /// Key size in bits; for XTS both halves together.
    pub key_bits: u32,
    /// Sector size in bytes, 512 to 4096; `None` = cryptsetup chooses by the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sector_size: Option<u32>,
    /// Bypass dm-crypt's read work queue.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_read_workqueue: bool,
    /// Bypass dm-crypt's write work queue.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_write_workqueue: bool,
}

fn luks2() -> String {
    "luks2".to_string()
}

/// Kernel settings of a candidate's drive and CPUs; `None` = as found. All are put back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Knobs {
    /// `queue/scheduler` of the drive: `none`, `mq-deadline`, `bfq`, `kyber`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<String>,
    /// `queue/read_ahead_kb` of the drive, KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_ahead_kb: Option<u32>,
    /// `queue/nr_requests` of the drive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nr_requests: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub governor: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    pub name: String,
    pub reason: String,
}

impl Skipped {
    pub fn new(name: impl Into<String>, reason: impl Into<String>) -> Skipped {
        Skipped { name: name.into(), reason: reason.into() }
    }

    /// For people: what has the same reason together, in the order it came first.
    pub fn together<'a>(all: impl IntoIterator<Item = &'a Skipped>) -> Vec<Skipped> {
        let joined = |(reason, names): (&str, Vec<String>)| Skipped {
            name: phrases::names(&names),
            reason: reason.to_string(),
        };
        let named = all.into_iter().map(|one| (one.reason.as_str(), one.name.clone()));
        phrases::grouped(named).into_iter().map(joined).collect()
    }
}

pub fn has_option(options: &[String], word: &str) -> bool {
    options.iter().any(|o| o.split(',').any(|w| w == word))
}
