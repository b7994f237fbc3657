//! The engine's child process: one task in, one reply out.

use std::io::{self, Read, Write};
use std::os::fd::BorrowedFd;

use bakeoff_model::json;
use bakeoff_tools::native::{Failure, Reply, TASK_LIMIT_BYTES, TargetKind, Task};
use rustix::process::{Signal, getppid, set_parent_process_death_signal};

use crate::durability::look_for;
use crate::error::EngineError;
use crate::measure::measure_found;
use crate::profile::{OpenDatabase, Work, Workdir, measure_in};
use crate::target::{Spot, Target};

/// Reads a task on standard input, measures, and writes the reply on standard output. Returns the
/// exit status: 0 when a reply was written, whatever it says, and 70 when not.
///
/// `open` makes the databases of profiles that need one.
///
/// The process dies with its parent: a load nobody waits for would disturb whatever runs next.
pub fn serve(open: OpenDatabase) -> i32 {
    let result = read_task(io::stdin().lock()).and_then(|task| {
        die_with(task.parent_pid)?;
        do_task(&task, open)
    });
    let reply = match result {
        Ok(reply) => reply,
        Err(error) => Reply::Error(Failure::from(&error)),
    };
    let written = serde_json::to_vec(&reply).map_err(io::Error::from).and_then(|mut bytes| {
        bytes.push(b'\n');
        let mut out = io::stdout().lock();
        out.write_all(&bytes)?;
        out.flush()
    });
    match written {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("cannot write the reply: {error}");
            70
        }
    }
}

fn read_task(input: impl Read) -> Result<Task, EngineError> {
    let mut bytes = Vec::new();
    input
        .take(TASK_LIMIT_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| EngineError::Protocol(e.to_string()))?;
    if bytes.len() as u64 > TASK_LIMIT_BYTES {
        return Err(EngineError::Protocol(format!("it has more than {TASK_LIMIT_BYTES} bytes")));
    }
    json::read(&bytes).map_err(|e| EngineError::Protocol(e.to_string()))
}

/// Asks to die with the parent, and fails where it is gone already.
pub fn die_with(parent_pid: Option<u32>) -> Result<(), EngineError> {
    set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|e| EngineError::io("setting the parent-death signal", e))?;
    let parent = getppid().map(|pid| pid.as_raw_nonzero().get());
    let same = parent_pid.is_none_or(|pid| i64::from(pid) == parent.map_or(0, i64::from));
    if !same {
        return Err(EngineError::Protocol("the parent process has ended".to_string()));
    }
    Ok(())
}

fn do_task(task: &Task, open: OpenDatabase) -> Result<Reply, EngineError> {
    let at = Spot { path: task.target.as_path(), inode: task.inode };
    let live = task.live_fd.map(borrow).transpose()?;
    let acks = task.acks_fd.map(borrow).transpose()?;
    if let Some(acks) = &task.look_for {
        return look_for(acks, at).map(|kept| Reply::Durability(Box::new(kept)));
    }
    if let Some(profile) = task.profile {
        let workdir = match task.target_kind {
            TargetKind::KeptDirectory => Workdir::kept(at)?,
            TargetKind::Directory | TargetKind::File | TargetKind::Block => Workdir::open(at)?,
        };
        let work = Work { profile, parts: &task.parts, job: &task.job, disks: &task.disks };
        let measured = measure_in(workdir, work, at, live, open);
        return measured.map(Reply::Parts);
    }
    let measured = measure_found(&task.job, |job| Target::of_task(task, job), live, acks)?;
    Ok(Reply::Ok(Box::new(measured)))
}

/// The inherited descriptor `number`, if it is open.
pub fn borrow(number: i32) -> Result<BorrowedFd<'static>, EngineError> {
    if number < 0 {
        return Err(EngineError::Protocol(format!("{number} is not a file descriptor")));
    }
    // SAFETY: checked to be open below, and nothing in this process closes it: it was inherited.
    let fd = unsafe { BorrowedFd::borrow_raw(number) };
    rustix::io::fcntl_getfd(fd)
        .map_err(|e| EngineError::Protocol(format!("descriptor {number}: {e}")))?;
    Ok(fd)
}
