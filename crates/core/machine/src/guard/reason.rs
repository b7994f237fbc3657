//! Why a device or an image must not be written.

use serde::Serialize;

use crate::prepare::commands::shell_word;
use crate::prepare::device::Process;
use bakeoff_model::path::RawPath;

/// Why a device or an image must not be written, gravest first. Names of devices are those a
/// person knows, harmless to print.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RefusalReason {
    pub why: Why,
    pub text: String,
    /// The command that takes the reason away, for whoever wanted to write the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frees: Option<String>,
    #[serde(skip)]
    pub is_ours: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuardSubject {
    Image(RawPath),
    Device(String),
    FileBehind(String),
}

/// Kinds of reason, gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    Root,
    Boot,
    Mounted,
    Swap,
    #[serde(rename = "held")]
    InUse,
    /// Part of a volume group, array or pool that is at rest; erasing it breaks the other parts.
    Member,
    Open,
    SharesDiskWithRoot,
    ReadOnly,
    NoMedium,
    NoDrive,
    NoToken,
    Gone,
}

const OURS: &str = "bakeoff";

impl RefusalReason {
    pub fn new(why: Why, text: impl Into<String>) -> RefusalReason {
        RefusalReason { why, text: text.into(), frees: None, is_ours: false }
    }

    pub fn with_advice(&self) -> String {
        match &self.frees {
            Some(command) => format!("{}. Run this first: {command}", self.text),
            None => self.text.clone(),
        }
    }

    pub(super) fn mounted_by_run(what: &GuardSubject, at: &RawPath) -> RefusalReason {
        let text = format!(
            "a bakeoff run has {} mounted on {at}. Wait until it ends (`bakeoff runs`); after a \
             crash: `bakeoff clean`",
            what.words()
        );
        RefusalReason { is_ours: true, ..RefusalReason::new(Why::Mounted, text) }
    }

    pub(super) fn mounted(what: &GuardSubject, at: &RawPath) -> RefusalReason {
        let text = format!("{} is mounted on {at}", what.words());
        let unmount = format!("umount {}", shell_word(at));
        match what {
            GuardSubject::Image(_) => {
                RefusalReason::new(Why::Mounted, format!("{text}. Unmount it: {unmount}"))
            }
            GuardSubject::Device(_) => {
                RefusalReason { frees: Some(unmount), ..RefusalReason::new(Why::Mounted, text) }
            }
            GuardSubject::FileBehind(_) => RefusalReason::new(Why::Mounted, text),
        }
    }

    pub(super) fn swap(what: &GuardSubject, path: &RawPath) -> RefusalReason {
        match what {
            GuardSubject::Image(file) => RefusalReason::new(
                Why::Swap,
                format!("{path} is swap. Disable it: swapoff {}", shell_word(file)),
            ),
            GuardSubject::Device(_) | GuardSubject::FileBehind(_) => RefusalReason {
                frees: Some(format!("swapoff {}", shell_word(path))),
                ..RefusalReason::new(Why::Swap, format!("{} is used as swap", what.words()))
            },
        }
    }

    pub(super) fn open(process: &Process, what: &GuardSubject) -> RefusalReason {
        let (Process { name, pid }, what) = (process, what.words());
        let is_ours = name.as_bytes() == OURS.as_bytes();
        let text = if is_ours {
            format!(
                "{name} (process {pid}) is using {what}. Check for active runs with `bakeoff \
                 runs`, and wait until they end"
            )
        } else {
            format!("{name} (process {pid}) has {what} open")
        };
        RefusalReason { is_ours, ..RefusalReason::new(Why::Open, text) }
    }

    pub(super) fn read_only(what: &GuardSubject) -> RefusalReason {
        let text = format!("{} is write-protected", what.words());
        let text = match what {
            GuardSubject::Image(file) => {
                format!("{text}. Make it writable: chmod u+w {}", shell_word(file))
            }
            GuardSubject::Device(_) | GuardSubject::FileBehind(_) => text,
        };
        RefusalReason::new(Why::ReadOnly, text)
    }
}

impl GuardSubject {
    fn words(&self) -> String {
        match self {
            GuardSubject::Image(_) => "it".to_string(),
            GuardSubject::Device(name) => name.clone(),
            GuardSubject::FileBehind(name) => format!("the backing file of {name}"),
        }
    }
}
