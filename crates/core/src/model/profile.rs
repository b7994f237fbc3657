//! Profiles: recognised mixes of many operations, each measured as a whole and told in parts.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// A mix that people know by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Profile {
    /// Small commits through the real SQLite library.
    Sqlite,
    /// Recorder database and log of a home automation server.
    HomeAssistant,
    /// 16 KiB pieces arriving at random places.
    Torrent,
    /// Several sequential streams, read and written.
    Nas,
    /// Copying a tree of files, as rsync does.
    CopyTree,
    /// Many cold small reads.
    Boot,
    /// Small files written, synced and renamed.
    PackageInstall,
    /// Latency of small reads while a large file is written.
    Desktop,
    /// The pattern of dd.
    Dd,
    /// The patterns of sysbench fileio.
    Sysbench,
    /// The phases of bonnie++.
    Bonnie,
    /// The tests of iozone.
    Iozone,
}

impl Profile {
    /// Every profile, in the order help lists them.
    pub const ALL: &'static [Profile] = <Profile as VariantArray>::VARIANTS;

    /// The word in plans, options and output.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One figure of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Part {
    /// Which profile.
    pub profile: Profile,
    /// Which of its parts, from 0, in the order they run.
    pub part: u16,
}
