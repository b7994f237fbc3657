//! Why a device or an image must not be written.

use serde::Serialize;

use crate::prepare::commands::shell_word;
use crate::prepare::device::Process;
use bakeoff_model::path::RawPath;

/// Why a device or an image must not be written, gravest first. Names of devices are those a
/// person knows, harmless to print.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Reason {
    pub why: Why,
    pub text: String,
    /// The command that takes the reason away, for whoever wanted to write the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frees: Option<String>,
    #[serde(skip)]
    pub is_ours: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
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

impl Reason {
    pub fn new(why: Why, text: impl Into<String>) -> Reason {
        Reason { why, text: text.into(), frees: None, is_ours: false }
    }

    pub fn with_advice(&self) -> String {
        match &self.frees {
            Some(command) => format!("{}. Run this first: {command}", self.text),
            None => self.text.clone(),
        }
    }

    pub(super) fn mounted_by_run(what: &Subject, at: &RawPath) -> Reason {
        let text = format!(
            "a bakeoff run has {} mounted on {at}. Wait until it ends (`bakeoff runs`); after a \
             crash: `bakeoff clean`",
            what.words()
        );
        Reason { is_ours: true, ..Reason::new(Why::Mounted, text) }
    }

    pub(super) fn mounted(what: &Subject, at: &RawPath) -> Reason {
        let text = format!("{} is mounted on {at}", what.words());
        let unmount = format!("umount {}", shell_word(at));
        match what {
            Subject::Image(_) => {
                Reason::new(Why::Mounted, format!("{text}. Unmount it: {unmount}"))
            }
            Subject::Device(_) => {
                Reason { frees: Some(unmount), ..Reason::new(Why::Mounted, text) }
            }
            Subject::FileBehind(_) => Reason::new(Why::Mounted, text),
        }
    }

    pub(super) fn swap(what: &Subject, path: &RawPath) -> Reason {
        match what {
            Subject::Image(file) => Reason::new(
                Why::Swap,
                format!("{path} is swap. Disable it: swapoff {}", shell_word(file)),
            ),
            Subject::Device(_) | Subject::FileBehind(_) => Reason {
                frees: Some(format!("swapoff {}", shell_word(path))),
                ..Reason::new(Why::Swap, format!("{} is used as swap", what.words()))
            },
        }
    }

    pub(super) fn open(process: &Process, what: &Subject) -> Reason {
        let (Process { name, pid }, what) = (process, what.words());
        let is_ours = name.as_bytes() == OURS.as_bytes();
        let text = match is_ours {
            true => format!(
                "{name} (process {pid}) is using {what}. Check for active runs with `bakeoff \
                 runs`, and wait until they end"
            ),
            false => format!("{name} (process {pid}) has {what} open"),
        };
        Reason { is_ours, ..Reason::new(Why::Open, text) }
    }

    pub(super) fn read_only(what: &Subject) -> Reason {
        let text = format!("{} is write-protected", what.words());
        let text = match what {
            Subject::Image(file) => {
                format!("{text}. Make it writable: chmod u+w {}", shell_word(file))
            }
            Subject::Device(_) | Subject::FileBehind(_) => text,
        };
        Reason::new(Why::ReadOnly, text)
    }
}

impl Subject {
    fn words(&self) -> String {
        match self {
            Subject::Image(_) => "it".to_string(),
            Subject::Device(name) => name.clone(),
            Subject::FileBehind(name) => format!("the backing file of {name}"),
        }
    }
}
