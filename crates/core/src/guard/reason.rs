//! Why a device or an image must not be written, as values. The words are in
//! [`crate::report::guard`].

use serde::Serialize;

use crate::model::path::RawPath;
use crate::prepare::commands::shell_word;
use crate::prepare::contents::Membership;
use crate::prepare::device::{Process, Unfit};
use crate::prepare::token::TokenError;

/// Why a device or an image must not be written, gravest first. Names of devices are those a
/// person knows, harmless to print.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The system runs from it.
    Root {
        /// The device that is mounted on `/`.
        device: String,
    },
    /// The system starts from it.
    Boot {
        /// The device.
        device: String,
        /// Where it is mounted.
        at: RawPath,
    },
    /// A run of bakeoff has it mounted.
    MountedByRun {
        /// What is mounted.
        what: Subject,
        /// Where.
        at: RawPath,
    },
    /// Mounted, here or in a container.
    Mounted {
        /// What is mounted.
        what: Subject,
        /// Where.
        at: RawPath,
        /// A process in whose mount namespace it is, when not in ours.
        seen_by: Option<Process>,
    },
    /// The image is mounted through a loop device.
    MountedThrough {
        /// Where.
        at: RawPath,
        /// The loop device.
        device: String,
    },
    /// Swap.
    Swap {
        /// What is used as swap.
        what: Subject,
        /// What the kernel lists as swap.
        path: RawPath,
    },
    /// A swap file is on it.
    SwapFile {
        /// The file.
        path: RawPath,
        /// The device it is on.
        device: String,
    },
    /// Something is made of it.
    InUse {
        /// What is made of it.
        by: Holder,
        /// The device it is made of.
        device: String,
    },
    /// Another loop device has the same file.
    SameFile {
        /// The other one.
        by: String,
    },
    /// The image is the file of a loop device that is not mounted.
    Backs {
        /// The loop device.
        device: String,
    },
    /// The image has several names.
    HardLinks {
        /// How many.
        count: u64,
    },
    /// Part of a volume group, array or pool that is at rest; erasing it breaks the other parts.
    Member {
        /// The device.
        device: String,
        /// What the kernel calls it.
        kernel_name: String,
        /// What it is part of.
        of: Membership,
    },
    /// The same of a partition that the kernel has no device for.
    MemberWithin {
        /// The partition.
        part: String,
        /// The device it is on.
        device: String,
        /// What it is part of.
        of: Membership,
    },
    /// A process has it open.
    Open {
        /// The process.
        process: Process,
        /// What it has open.
        what: Subject,
    },
    /// An unmounted partition of the drive the system runs from.
    SharesDrive {
        /// The drive.
        drive: String,
    },
    /// Write-protected.
    ReadOnly {
        /// What is.
        what: Subject,
    },
    /// No card in the reader.
    NoMedium,
    /// A loop device without a file.
    EmptyLoop,
    /// Memory, not a drive.
    Memory,
    /// No drive to put a filesystem on.
    Unfit(Unfit),
    /// It has no token, so nobody can consent to its erasure.
    NoToken(TokenError),
    /// No such device.
    Gone,
}

/// What a reason is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// The image that is to be written.
    Image(RawPath),
    /// The device of that name.
    Device(String),
    /// The file under the loop device of that name.
    FileBehind(String),
}

/// What is made of a device.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holder {
    /// A volume of the LVM volume group of that name.
    VolumeGroup(String),
    /// A RAID array.
    Raid {
        /// Kernel name.
        name: String,
        /// `raid1`, where the kernel reports it.
        level: Option<String>,
    },
    /// A loop device that is attached to the device itself.
    LoopOver(String),
    /// A loop device over a file that is on the device.
    LoopFile {
        /// The loop device.
        name: String,
        /// Its file.
        file: RawPath,
    },
    /// Any other device, or a holder of which only the name is known.
    Other(String),
    /// A device mapper volume of another kind.
    Mapped(String),
    /// An encrypted volume.
    Encrypted(String),
}

/// Kinds of reason, gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The system runs from it.
    Root,
    /// The system starts from it.
    Boot,
    /// Mounted, here or in a container.
    Mounted,
    /// Swap, as a partition or in a file.
    Swap,
    /// A volume, array, cache or loop device in use is made of it.
    #[serde(rename = "held")]
    InUse,
    /// Part of a volume group, array or pool that is at rest; erasing it breaks the other parts.
    Member,
    /// A process has it open.
    Open,
    /// An unmounted partition of the drive the system runs from.
    SharesDiskWithRoot,
    /// Write-protected.
    ReadOnly,
    /// No card in the reader.
    NoMedium,
    /// No drive: memory, an optical drive, firmware.
    NoDrive,
    /// It cannot be told from another drive, so nobody can consent to its erasure.
    NoToken,
    /// No such device.
    Gone,
}

/// What our own programs are called, as the kernel keeps names of processes.
const OURS: &str = "bakeoff";

impl Reason {
    /// Its kind.
    pub fn why(&self) -> Why {
        match self {
            Reason::Root { .. } => Why::Root,
            Reason::Boot { .. } => Why::Boot,
            Reason::MountedByRun { .. }
            | Reason::Mounted { .. }
            | Reason::MountedThrough { .. } => Why::Mounted,
            Reason::Swap { .. } | Reason::SwapFile { .. } => Why::Swap,
            Reason::InUse { .. }
            | Reason::SameFile { .. }
            | Reason::Backs { .. }
            | Reason::HardLinks { .. } => Why::InUse,
            Reason::Member { .. } | Reason::MemberWithin { .. } => Why::Member,
            Reason::Open { .. } => Why::Open,
            Reason::SharesDrive { .. } => Why::SharesDiskWithRoot,
            Reason::ReadOnly { .. } => Why::ReadOnly,
            Reason::NoMedium | Reason::EmptyLoop => Why::NoMedium,
            Reason::Memory | Reason::Unfit(_) => Why::NoDrive,
            Reason::NoToken(_) => Why::NoToken,
            Reason::Gone => Why::Gone,
        }
    }

    /// Whether a bakeoff process is what uses it.
    pub fn is_ours(&self) -> bool {
        let is_open_by_ours = matches!(self, Reason::Open { process, .. } if is_ours(process));
        is_open_by_ours || matches!(self, Reason::MountedByRun { .. })
    }

    /// The command that takes the reason away, for whoever wanted to write the device.
    pub fn frees(&self) -> Option<String> {
        if let Reason::Mounted { what: Subject::Device(_), at, seen_by: None } = self {
            return Some(format!("umount {}", shell_word(at)));
        }
        if let Reason::Swap { what: Subject::Device(_) | Subject::FileBehind(_), path } = self {
            return Some(format!("swapoff {}", shell_word(path)));
        }
        None
    }
}

/// Whether the process is a bakeoff.
pub fn is_ours(process: &Process) -> bool {
    process.name.as_bytes() == OURS.as_bytes()
}
