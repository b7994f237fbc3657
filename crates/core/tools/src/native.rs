//! What the parent and the engine's child process exchange.
//!
//! One JSON [`NativeTask`] goes to the child's standard input, one JSON [`Reply`] comes back on its
//! standard output; in slices and beside another workload, one reply to each line. Both ends bound what they read. Nothing here starts a process or opens a file.

pub mod sliced;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use bakeoff_model::job::Job;
use bakeoff_model::measurement::Measurement;
use bakeoff_model::path::RawPath;
use bakeoff_model::profile::Profile;
use bakeoff_model::step::Inode;
use bakeoff_model::use_state::{FileHistory, TreeLeft};
use bakeoff_model::wear::WornDevices;

use self::sliced::Report;

/// Most bytes of a task: a job, one escaped path of at most `PATH_MAX` bytes, and a file of our own
/// for each of 1024 threads.
pub const TASK_LIMIT_BYTES: u64 = 256 << 10;
/// Bytes of the live record: operations and bytes done so far, each a little-endian `u64`.
pub const LIVE_RECORD_BYTES: usize = 16;

/// What a target has to be; anything else found there is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// A regular file; created, readable by its owner only, when missing and only written.
    #[default]
    File,
    /// A directory for small files, or for a profile: empty before and after.
    Directory,
    Block,
}

impl TargetKind {
    pub fn label(self) -> &'static str {
        match self {
            TargetKind::File => "a regular file",
            TargetKind::Directory => "a directory",
            TargetKind::Block => "a block device",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NativeTask {
    pub job: Job,
    /// The profile to run in place of `job`, which then gives its sizes, times and depth.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub profile: Option<Profile>,
    /// Which of the profile's parts to measure, ascending; empty for all.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub parts: Vec<u16>,
    /// `major:minor` of the devices below a profile, whose reads it counts.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub disks: Vec<String>,
    /// Devices whose writes the parts of a profile count.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub worn: Option<WornDevices>,
    /// Where; never a symbolic link, but with an `inode` that of the parent's open descriptor.
    pub target: RawPath,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub inode: Option<Inode>,
    /// Files beside the target, where each of `numjobs` has its own: for the second and on.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub more: Vec<(RawPath, Inode)>,
    pub target_kind: TargetKind,
    /// An inherited descriptor of a file that gets the live record, at most every 100 ms.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub live_fd: Option<i32>,
    /// Files to make in the directory `target`, in place of `job`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub history: Option<FileHistory>,
    /// The parent's process id: the child ends at once when its parent is another by then.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent_pid: Option<u32>,
}

impl NativeTask {
    pub fn new(job: Job, target: RawPath, target_kind: TargetKind) -> NativeTask {
        NativeTask { job, target, target_kind, ..NativeTask::default() }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// Everything is open, laid out and allocated, or the companion did what it was asked.
    Ready,
    Slice(Box<Report>),
    /// The numbers of the task; in slices what is known besides their work.
    Ok(Box<Measurement>),
    /// The numbers of each part of a profile, in the order of its parts.
    Parts(Vec<Measurement>),
    Tree(TreeLeft),
    Error(Failure),
}

impl Reply {
    pub fn parse(bytes: &[u8]) -> Result<Reply, serde_json::Error> {
        bakeoff_model::json::read(bytes)
    }

    pub fn into_tree(self) -> Result<TreeLeft, Failure> {
        match self {
            Reply::Tree(left) => Ok(left),
            Reply::Error(failure) => Err(failure),
            Reply::Ready | Reply::Slice(_) | Reply::Ok(_) | Reply::Parts(_) => {
                Err(Failure::unexpected())
            }
        }
    }

    /// The numbers of every part (one for a plain job), or why there are none.
    pub fn into_result(self) -> Result<Vec<Measurement>, Failure> {
        match self {
            Reply::Ok(measurement) => Ok(vec![*measurement]),
            Reply::Parts(parts) => Ok(parts),
            Reply::Ready | Reply::Slice(_) | Reply::Tree(_) => Err(Failure::unexpected()),
            Reply::Error(failure) => Err(failure),
        }
    }
}

/// What a companion of a measured workload is asked; its task comes before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompanionOrder {
    /// Works from now on, at its pace.
    Go,
    /// Ends what it is doing, flushes, and waits. Time in which it waits does not count.
    Rest,
    /// Ends it; the reply has the figures of all the time it worked.
    End,
}

#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct Failure {
    pub kind: FailureKind,
    pub message: String,
}

impl Failure {
    pub fn unexpected() -> Failure {
        let message = "the measuring process sent an unexpected reply".to_string();
        Failure { kind: FailureKind::Protocol, message }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// `ENOSPC` or `EDQUOT`: the place is full.
    NoSpace,
    /// `EROFS`: the place cannot be written.
    ReadOnly,
    Permission,
    NotFound,
    Invalid,
    Unsupported,
    NoMemory,
    /// The device or filesystem failed an operation.
    Io,
    VerifyFailed,
    /// The task could not be read; the parent and the child do not understand each other.
    Protocol,
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_model::job::Rw;

    #[test]
    fn a_task_with_a_hostile_path_survives_the_pipe() {
        use std::os::unix::ffi::OsStrExt;
        let target = RawPath::new(std::ffi::OsStr::from_bytes(b"/mnt/a b\n\xff"));
        let job = Job::new(Rw::RandWrite, 4096, 1 << 20);
        let task = NativeTask {
            disks: vec!["8:0".to_string()],
            worn: Some(WornDevices { bytes: vec!["7:1".to_string()], ..WornDevices::default() }),
            inode: Some(Inode { dev: 7, ino: 9 }),
            live_fd: Some(3),
            parent_pid: Some(1),
            ..NativeTask::new(job, target, TargetKind::File)
        };
        let text = serde_json::to_string(&task).unwrap();
        assert!(!text.contains('\n'));
        assert_eq!(serde_json::from_str::<NativeTask>(&text).unwrap(), task);
    }

    #[test]
    fn an_unknown_field_of_a_task_is_refused() {
        let text = r#"{"job":{},"target":"/","target_kind":"file","surprise":1}"#;
        assert!(serde_json::from_str::<NativeTask>(text).is_err());
    }

    #[test]
    fn a_failure_travels_with_its_kind() {
        let failure = Failure { kind: FailureKind::NoSpace, message: "full".to_string() };
        let text = serde_json::to_string(&Reply::Error(failure.clone())).unwrap();
        assert_eq!(text, r#"{"error":{"kind":"no_space","message":"full"}}"#);
        assert_eq!(Reply::parse(text.as_bytes()).unwrap().into_result(), Err(failure));
    }
}
