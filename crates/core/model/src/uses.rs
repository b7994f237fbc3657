//! What a drive is for: what a filesystem must have to serve it, and how much each workload counts.
//!
//! Needs come before speed: a candidate without one of them is not chosen, however fast it is.
//! Sources of the needs: the Filesystem Hierarchy Standard 3.0 and initramfs-tools(7) for a system
//! that starts from the drive, POSIX.1-2017 (owners, modes, fsync) for data of Linux programs, the
//! exFAT specification (Microsoft, 2019) and Apple's "File system formats available in Disk
//! Utility" for what both Windows and macOS write.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum DriveUse {
    Boot,
    #[default]
    Data,
    Nas,
    /// Files that Windows and macOS read and write without further programs.
    Windows,
    Database,
    /// Files that may be lost: a cache, builds, temporary files.
    Scratch,
}

/// What a use asks of a filesystem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// Data outlives a restart: it is not kept in memory.
    Persistence,
    /// What fsync promised survives a power cut: the drive's cache is flushed.
    Flushes,
    /// Consistent after a crash: a journal or copy on write.
    CrashProtection,
    KernelDriver,
    Owners,
    /// Files over 4 GiB.
    LargeFiles,
    /// The initramfs of Debian and Raspberry Pi OS can mount it as root.
    RootFilesystem,
    WindowsAndMac,
}

const LINUX: &[Need] = &[
    Need::Persistence,
    Need::Flushes,
    Need::CrashProtection,
    Need::KernelDriver,
    Need::Owners,
    Need::LargeFiles,
];
const ROOT: &[Need] = &[
    Need::Persistence,
    Need::Flushes,
    Need::CrashProtection,
    Need::KernelDriver,
    Need::Owners,
    Need::LargeFiles,
    Need::RootFilesystem,
];

impl DriveUse {
    pub fn phrase(self) -> &'static str {
        match self {
            DriveUse::Boot => "a system that starts from it",
            DriveUse::Data => "Linux data",
            DriveUse::Nas => "a file server",
            DriveUse::Windows => "exchange with Windows and macOS",
            DriveUse::Database => "a database",
            DriveUse::Scratch => "files that may be lost",
        }
    }

    pub fn needs(self) -> &'static [Need] {
        match self {
            DriveUse::Boot => ROOT,
            DriveUse::Data | DriveUse::Nas | DriveUse::Database => LINUX,
            DriveUse::Windows => {
                &[Need::Persistence, Need::Flushes, Need::LargeFiles, Need::WindowsAndMac]
            }
            DriveUse::Scratch => &[Need::LargeFiles],
        }
    }

    /// The filesystem that is chosen where none is faster: what distributions, or for exchange the
    /// makers of cards over 32 GB (SD Association, SDXC), ship.
    pub fn usual_filesystem(self) -> &'static str {
        match self {
            DriveUse::Windows => "exfat",
            DriveUse::Boot
            | DriveUse::Data
            | DriveUse::Nas
            | DriveUse::Database
            | DriveUse::Scratch => "ext4",
        }
    }

    /// How much a workload counts beside the others; 1 where nothing speaks for more or less.
    /// A loss counts by the power of its weight, so that 0.5 halves it roughly.
    ///
    /// Ours, by what the use does most: a system that starts reads small pieces and installs
    /// packages, a file server moves large files, a database commits.
    pub fn weight(self, workload: &str) -> f64 {
        let (much, little): (&[&str], &[&str]) = match self {
            DriveUse::Boot => {
                (&["randread", "smallfiles", "boot", "package-install"], &["seqwrite"])
            }
            DriveUse::Nas => (&["seqread", "seqwrite", "nas-write", "nas-read"], &["randwrite"]),
            DriveUse::Windows => (&["seqread", "seqwrite"], &["randwrite", "smallfiles"]),
            DriveUse::Database => {
                (&["randwrite", "randread", "sqlite-wal", "sqlite-rollback"], &["smallfiles"])
            }
            DriveUse::Data | DriveUse::Scratch => (&[], &[]),
        };
        match () {
            () if much.contains(&workload) => 1.5,
            () if little.contains(&workload) => 0.5,
            () => 1.0,
        }
    }
}
