//! Changes to the system as data: what is done, why, and what undoes it.
//!
//! The same list is what is shown before, what is logged, and the way back after a crash. A change
//! is a program to run or one of the few things done by system call; nothing here does either.

use serde::{Deserialize, Serialize};

use super::is_default;
use super::path::RawPath;
use super::undo::Undo;

pub use super::inode::Inode;

/// One change to the system, with its way back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// From 0 in the run.
    pub step: u32,
    /// One line for people: "make ext4 on the image".
    pub why: String,
    pub action: Action,
    /// How it is undone; `None` for what leaves nothing behind or lies inside an earlier step's
    /// undo.
    pub undo: Option<Undo>,
    /// What is lost by it, for the confirmation: "everything on the image".
    #[serde(default)]
    pub destroys: Option<String>,
}

impl Step {
    pub fn new(step: u32, why: impl Into<String>, action: Action) -> Step {
        Step { step, why: why.into(), action, undo: None, destroys: None }
    }

    pub fn undone_by(self, undo: Undo) -> Step {
        Step { undo: Some(undo), ..self }
    }

    pub fn destroying(self, what: impl Into<String>) -> Step {
        Step { destroys: Some(what.into()), ..self }
    }
}

/// A change as data: a program to run, or one of the few things done by system call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Run a program; argv words as paths, never through a shell.
    Run {
        argv: Vec<RawPath>,
    },
    /// Make our scratch directory (0700) in `parent`.
    MakeScratch {
        parent: RawPath,
        name: String,
    },
    /// Write a file in full, never sparse.
    Fill {
        file: RawPath,
        size_bytes: u64,
    },
    /// Run a program that reads a key of ours on its standard input. The key is random, is only
    /// ever in memory, and ends with our process.
    RunWithKey {
        argv: Vec<RawPath>,
    },
    /// Write a block device of ours in full with tagged data, and read it back where asked, one of
    /// larger than 4 GiB in pieces.
    Overwrite {
        device: RawPath,
        size_bytes: u64,
        /// Whether it is read back and compared.
        verify: bool,
    },
    /// Attach the file, or a part of it, to a free loop device with direct I/O.
    AttachLoop {
        file: RawPath,
        #[serde(default, skip_serializing_if = "is_default")]
        offset_bytes: u64,
        /// Size of the part; `None` = to the end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        size_bytes: Option<u64>,
        /// Logical block size; `None` = 512 bytes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sector_bytes: Option<u32>,
    },
    SetKnob {
        path: RawPath,
        value: String,
    },
    /// Tell udev for the time being, by a rule, to keep auto-mounters off.
    AddUdevRule {
        /// File in /run/udev/rules.d; carries the run id.
        path: RawPath,
        text: String,
    },
    Mount {
        device: RawPath,
        at: RawPath,
        /// Filesystem type for mount(8).
        fs: String,
        options: Vec<String>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepDone {
    pub step: u32,
    pub took_ns: u64,
    /// Exit status of a program; 0 otherwise.
    pub status: i32,
    /// What it printed, both streams, cut to 64 KiB.
    pub output: String,
}
