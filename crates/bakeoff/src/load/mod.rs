//! Runs one job in the engine's child process.
//!
//! The child is this binary again, so that no UI thread shares a process with a measurement. While
//! it runs, its live record (operations and bytes so far) is read from a memory file it inherits.
//! `sliced` has it measure slices, `foreign` runs other tools. All of them work on what is held
//! open: a directory of ours (`scratch`), a prepared place and what a job is done on (`site`).

pub mod companion;
pub mod foreign;
pub mod scratch;
pub mod site;
pub mod sliced;

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

use bakeoff_model::job::Job;
use bakeoff_model::measurement::Measurement;
use bakeoff_model::path::{RawPath, printable};
use bakeoff_model::profile::Part;
use bakeoff_model::use_state::{FileHistory, TreeLeft};
use bakeoff_model::wear::WornDevices;
use bakeoff_tools::native::{
    Failure, FailureKind, LIVE_RECORD_BYTES, NativeTask, Reply, TargetKind,
};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::pread;
use thiserror::Error;

use self::site::Subject;
use crate::exec::talk::{Heard, Talk};
use crate::exec::{ExecError, Spec};
use crate::fault::Fault;
use crate::host::Opened;
use crate::signals::Cancel;
use crate::ui::progress::LiveProgress;

/// Time a child may take beyond its job's own limit: starting, buffers, a last slow flush.
pub const GRACE: Duration = Duration::from_secs(120);
/// Limit of a job that names none (one pass over a large, slow file).
pub const UNLIMITED: Duration = Duration::from_secs(24 * 3600);
/// The same of a cell, whose protocol need not name one: fifty flushes of a slow card take a
/// quarter of an hour.
pub const CELL: Duration = Duration::from_secs(30 * 60);

/// Why a job gave no numbers.
#[derive(Debug, Error)]
pub enum LoadError {
    #[error("interrupted")]
    Interrupted,
    #[error(transparent)]
    Failed(#[from] Failure),
    #[error("{0}")]
    Child(String),
}

impl From<ExecError> for LoadError {
    fn from(error: ExecError) -> LoadError {
        match error {
            ExecError::Interrupted => LoadError::Interrupted,
            _ => LoadError::Child(error.to_string()),
        }
    }
}

impl From<LoadError> for Fault {
    fn from(error: LoadError) -> Fault {
        match error {
            LoadError::Interrupted => Fault::interrupted("interrupted; no result was saved"),
            LoadError::Child(said) => Fault::environment(said),
            LoadError::Failed(Failure { kind, message }) => match kind {
                FailureKind::Invalid | FailureKind::NotFound => Fault::usage(message),
                FailureKind::VerifyFailed => Fault::failed(message),
                FailureKind::Protocol => Fault::bug(message),
                _ => Fault::environment(message),
            },
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Load<'l> {
    pub job: &'l Job,
    /// Parts of one profile to do with it, ascending; none for the job itself.
    pub parts: &'l [Part],
    /// `major:minor` of the drives below, whose reads the parts of a profile count.
    pub disks: &'l [String],
    /// Devices whose writes they count.
    pub worn: Option<&'l WornDevices>,
    /// Whether nobody looks how far it is: then the caller is not woken until it ends.
    pub unseen: bool,
    pub longest: Duration,
}

impl<'l> Load<'l> {
    pub fn new(job: &'l Job, parts: &'l [Part]) -> Load<'l> {
        Load { job, parts, disks: &[], worn: None, unseen: false, longest: UNLIMITED }
    }
}

/// Runs `job` on `target`; `tick` is called a few times a second with the progress so far.
pub fn run(
    job: &Job,
    target: impl Into<Subject>,
    kind: TargetKind,
    cancel: &Cancel,
    tick: &mut dyn FnMut(LiveProgress),
) -> Result<Measurement, LoadError> {
    let all = run_all(Load::new(job, &[]), &[target.into()], kind, cancel, tick)?;
    only(all)
}

pub fn only(mut all: Vec<Measurement>) -> Result<Measurement, LoadError> {
    match all.len() {
        1 => Ok(all.remove(0)),
        n => {
            Err(LoadError::Child(format!("the measuring process returned {n} results for one job")))
        }
    }
}

/// Runs a job, or parts of a profile, on a target, or on a file for each of its threads: a
/// measurement for each.
pub fn run_all(
    load: Load<'_>,
    targets: &[Subject],
    kind: TargetKind,
    cancel: &Cancel,
    tick: &mut dyn FnMut(LiveProgress),
) -> Result<Vec<Measurement>, LoadError> {
    let Load { job, parts, disks, worn, unseen, longest } = load;
    let none = || LoadError::Child("there is nothing to measure".to_string());
    let (target, more) = targets.split_first().ok_or_else(none)?;
    let own = |file: &Subject| Some((RawPath::new(file.path()), file.inode()?));
    let task = NativeTask {
        profile: parts.first().map(|part| part.profile),
        parts: parts.iter().map(|part| part.part).collect(),
        disks: disks.to_vec(),
        worn: worn.cloned(),
        inode: target.inode(),
        more: more.iter().filter_map(own).collect(),
        ..NativeTask::new(job.clone(), place(target.path(), kind)?, kind)
    };
    let longest_ns = job.time_limit_ns.or(job.runtime_ns.filter(|_| job.min_ios == 0));
    let tick = if unseen { None } else { Some(tick) };
    let reply = ask(task, limit(longest_ns, longest, parts.len()), cancel, tick)?;
    Ok(reply.into_result()?)
}

/// Makes the files of a history in an empty directory of ours.
pub fn fill(
    history: FileHistory,
    dir: &Opened,
    cancel: &Cancel,
    tick: &mut dyn FnMut(LiveProgress),
) -> Result<TreeLeft, LoadError> {
    let (job, target) = (Job::filling(history.tree_bytes), RawPath::new(dir.path()));
    let task = NativeTask {
        inode: Some(dir.inode()),
        history: Some(history),
        ..NativeTask::new(job, target, TargetKind::Directory)
    };
    Ok(ask(task, UNLIMITED, cancel, Some(tick))?.into_tree()?)
}

/// The engine follows no link, and where udev runs the names in /dev/mapper are links.
pub fn place(target: &Path, kind: TargetKind) -> Result<RawPath, LoadError> {
    let device = match kind {
        TargetKind::Block => std::fs::canonicalize(target),
        TargetKind::File | TargetKind::Directory => Ok(target.to_path_buf()),
    };
    let unknown = |e| LoadError::Child(format!("{}: {e}", RawPath::new(target)));
    device.map(|device| RawPath::new(&device)).map_err(unknown)
}

fn ask(
    task: NativeTask,
    limit: Duration,
    cancel: &Cancel,
    tick: Option<&mut dyn FnMut(LiveProgress)>,
) -> Result<Reply, LoadError> {
    let live = memfd_create("bakeoff-live", MemfdFlags::empty());
    let live = live.map_err(|e| LoadError::Child(format!("cannot create a memory file: {e}")))?;
    let (live_fd, parent_pid) = (Some(live.as_raw_fd()), Some(std::process::id()));
    let task = serde_json::to_vec(&NativeTask { live_fd, parent_pid, ..task });
    let live_file = &live;
    let mut on_tick = tick.map(|tick| move || tick(read_live(live_file)));
    let mut spec = Spec::engine(task.map_err(|e| LoadError::Child(e.to_string()))?, limit);
    if let Some(on_tick) = &mut on_tick {
        spec = spec.on_tick(on_tick);
    }
    let finished = spec.run(cancel)?;
    Reply::parse(&finished.stdout).map_err(|error| {
        let said = printable(finished.stderr.trim_ascii());
        let how = finished.how();
        let said = match (said.is_empty(), finished.status.code()) {
            (true, Some(_)) => format!("{how}: no reply ({error})"),
            // What killed it is why there is no reply.
            (true, None) => how,
            (false, _) => format!("{how}: {said}"),
        };
        LoadError::Child(format!("the measuring process: {said}"))
    })
}

/// Sends a line to a process that lives through a block, and gives its answer.
///
/// # Errors
/// What the engine says, and [`LoadError::Interrupted`]. The process is of no use then.
fn ask_process(
    talk: &mut Talk,
    what: &impl serde::Serialize,
    limit: Duration,
    cancel: &Cancel,
) -> Result<Reply, LoadError> {
    let line = serde_json::to_vec(what).map_err(|e| LoadError::Child(e.to_string()))?;
    talk.say(&line);
    let reply = match talk.hear(limit, cancel)? {
        Heard::Line(line) => Reply::parse(&line),
        Heard::Ended(how) => return Err(LoadError::Child(format!("{} ended: {how}", talk.name()))),
    };
    match reply {
        Ok(Reply::Error(failure)) => Err(failure.into()),
        Ok(reply) => Ok(reply),
        Err(error) => Err(LoadError::Child(format!("{}: {error}", talk.name()))),
    }
}

/// After how long a child counts as hung: each part may take the time of a job, or `longest` where
/// that says none, and as long again to lay its files out.
fn limit(longest_ns: Option<u64>, longest: Duration, parts: usize) -> Duration {
    let times = u32::try_from(parts * 2).unwrap_or(u32::MAX).max(1);
    let one = longest_ns.map_or(longest, |ns| Duration::from_nanos(ns).saturating_add(GRACE));
    one.saturating_mul(times).min(UNLIMITED)
}

fn read_live(file: &OwnedFd) -> LiveProgress {
    let mut record = [0; LIVE_RECORD_BYTES];
    // Before the first window there is nothing to read yet, and nothing is what it says.
    let Ok(LIVE_RECORD_BYTES) = pread(file.as_fd(), &mut record, 0) else {
        return LiveProgress::default();
    };
    let [ios, bytes] =
        [0, 8].map(|at| record[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)));
    LiveProgress { ios, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_has_a_limit() {
        let minutes = |longest_ns, parts| limit(longest_ns, CELL, parts).as_secs() / 60;
        assert_eq!(minutes(Some(60_000_000_000), 0), 3);
        assert_eq!(minutes(Some(60_000_000_000), 2), 12);
        assert_eq!(minutes(None, 0), 30);
        assert_eq!(minutes(None, 1), 60);
        assert_eq!(limit(Some(u64::MAX), CELL, 9), UNLIMITED);
    }
}
