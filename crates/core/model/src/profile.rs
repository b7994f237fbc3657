//! Profiles: recognised mixes of many operations, each measured as a whole and told in parts.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// A mix that people know by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Profile {
    Sqlite,
    /// Recorder database and log of a home automation server.
    HomeAssistant,
    Nas,
    CopyTree,
    Boot,
    PackageInstall,
    /// Latency of small reads while a large file is written.
    Desktop,
    /// A tree of files read one after the other.
    Backup,
}

impl Profile {
    pub const ALL: &'static [Profile] = <Profile as VariantArray>::VARIANTS;

    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Part {
    pub profile: Profile,
    /// Which of its parts, from 0, in the order they run.
    pub part: u16,
}
