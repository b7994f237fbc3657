//! What is compared: a directory as it is, or a stack that is put on a region.

use serde::{Deserialize, Serialize};

use super::host::Place;
use super::path::RawPath;

/// One column of the comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Unique within a run, printable, at most 40 characters.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Label of the same thing measured twice (A/A control): the name of the twin.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub twin_of: Option<String>,
}

/// The two kinds of candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An existing directory, used as it is.
    Directory {
        /// The directory as the user named it, made absolute.
        path: RawPath,
        /// What lies behind it.
        place: Box<Place>,
    },
    /// A stack made on the region for each visit.
    Stack(Stack),
}

/// What is put on a region. Options are argv words, never shell text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stack {
    /// The filesystem's own name: `ext4`, `xfs`, `btrfs`, `ntfs-3g`, ….
    pub fs: String,
    /// Extra words for mkfs.
    #[serde(default)]
    pub mkfs: Vec<String>,
    /// Mount options.
    #[serde(default)]
    pub mount: Vec<String>,
    /// Whether the filesystem runs in user space (FUSE), so the driver is compared, not the format.
    #[serde(default)]
    pub fuse: bool,
}

/// A candidate that was wanted and could not be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// Name of the candidate or workload.
    pub name: String,
    /// Why, and what would mend it.
    pub reason: String,
}
