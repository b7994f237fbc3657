//! Profiles: recognised mixes of many operations, each measured as a whole and told in parts.

use serde::{Deserialize, Serialize};

/// A mix that people know by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
    pub const ALL: [Profile; 12] = [
        Profile::Sqlite,
        Profile::HomeAssistant,
        Profile::Torrent,
        Profile::Nas,
        Profile::CopyTree,
        Profile::Boot,
        Profile::PackageInstall,
        Profile::Desktop,
        Profile::Dd,
        Profile::Sysbench,
        Profile::Bonnie,
        Profile::Iozone,
    ];

    /// The word in plans, options and output.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Sqlite => "sqlite",
            Profile::HomeAssistant => "home-assistant",
            Profile::Torrent => "torrent",
            Profile::Nas => "nas",
            Profile::CopyTree => "copy-tree",
            Profile::Boot => "boot",
            Profile::PackageInstall => "package-install",
            Profile::Desktop => "desktop",
            Profile::Dd => "dd",
            Profile::Sysbench => "sysbench",
            Profile::Bonnie => "bonnie",
            Profile::Iozone => "iozone",
        }
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
