//! What a job does to its file or directory, in fio's words.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// What a job does to its file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Rw {
    Read,
    Write,
    RandRead,
    RandWrite,
    /// Sequential reads and writes mixed by `rwmixread`, each in an order of its own.
    ReadWrite,
    RandRw,
    /// Metadata: create, stat, read and unlink `size / bs` files of `bs` bytes, set after set.
    SmallFiles,
}

impl Rw {
    /// Every value, in the order help lists them.
    pub const ALL: &'static [Rw] = <Rw as VariantArray>::VARIANTS;

    /// fio's spelling (`smallfiles` is ours: fio has three engines for it).
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn reads(self) -> bool {
        !matches!(self, Rw::Write | Rw::RandWrite)
    }

    /// Whether any operation changes the file or directory.
    pub fn writes(self) -> bool {
        !matches!(self, Rw::Read | Rw::RandRead)
    }

    /// Whether reads and writes of one file take turns.
    pub fn is_mixed(self) -> bool {
        matches!(self, Rw::ReadWrite | Rw::RandRw)
    }

    pub fn is_random(self) -> bool {
        matches!(self, Rw::RandRead | Rw::RandWrite | Rw::RandRw)
    }
}
