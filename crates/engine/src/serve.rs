//! The engine's child process: one task in, one reply out. Where a cell is measured in slices,
//! requests follow the task, each answered with a line: see [`bakeoff_tools::native::sliced`].

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::BorrowedFd;

use bakeoff_model::job::Job;
use bakeoff_model::json;
use bakeoff_model::measurement::Measurement;
use bakeoff_tools::native::sliced::{REQUEST_LIMIT_BYTES, Request};
use bakeoff_tools::native::{NativeTask, Reply, TASK_LIMIT_BYTES};
use rustix::process::{Signal, getppid, set_parent_process_death_signal};

use crate::error::EngineError;
use crate::live::Live;
use crate::measure::{measure_found, measure_slices};
use crate::profile::{OpenDatabase, measure_profile};
use crate::report::Measure;
use crate::target::{Spot, Target};
use crate::used;

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
    let reply = result.unwrap_or_else(|error| Reply::Error(error.0));
    end(say(&mut io::stdout().lock(), &reply))
}

pub fn end(said: Result<(), EngineError>) -> i32 {
    match said {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("{error}");
            70
        }
    }
}

pub fn say(output: &mut impl Write, reply: &Reply) -> Result<(), EngineError> {
    let mut bytes = serde_json::to_vec(reply).map_err(EngineError::protocol)?;
    bytes.push(b'\n');
    let written = output.write_all(&bytes).and_then(|()| output.flush());
    written.map_err(|e| EngineError::io("replying to the parent process", e))
}

fn read_task(input: impl Read) -> Result<NativeTask, EngineError> {
    let mut bytes = Vec::new();
    let read = input.take(TASK_LIMIT_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(EngineError::protocol)?;
    if bytes.len() as u64 > TASK_LIMIT_BYTES {
        return Err(EngineError::protocol(format!("it has more than {TASK_LIMIT_BYTES} bytes")));
    }
    json::read(&bytes).map_err(EngineError::protocol)
}

fn die_with(parent_pid: Option<u32>) -> Result<(), EngineError> {
    set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|e| EngineError::io("setting the parent-death signal", e))?;
    let parent = getppid().map(|pid| pid.as_raw_nonzero().get());
    let same = parent_pid.is_none_or(|pid| i64::from(pid) == parent.map_or(0, i64::from));
    if !same {
        return Err(EngineError::protocol("the parent process has ended"));
    }
    Ok(())
}

/// Does a task in this process; gives what the child process replies.
///
/// # Errors
/// One variant for each thing the user can do about it; see [`EngineError`].
pub fn do_task(task: &NativeTask, open: OpenDatabase) -> Result<Reply, EngineError> {
    let at = Spot { path: task.target.as_path(), inode: task.inode };
    let live = task.live_fd.map(borrow).transpose()?;
    if let Some(history) = &task.history {
        return used::make(history, at, &Live::new(live)).map(Reply::Tree);
    }
    if let Some(profile) = task.profile {
        return measure_profile(profile, task, &Live::new(live), open).map(Reply::Parts);
    }
    let find = |job: &Job| Target::of_task(task, job);
    Ok(Reply::Ok(Box::new(measure_found(&task.job, find, &Live::new(live))?)))
}

/// The inherited descriptor `number`, if it is open.
fn borrow(number: i32) -> Result<BorrowedFd<'static>, EngineError> {
    if number < 0 {
        return Err(EngineError::protocol(format!("{number} is not a file descriptor")));
    }
    // SAFETY: checked to be open below, and nothing in this process closes it: it was inherited.
    let fd = unsafe { BorrowedFd::borrow_raw(number) };
    rustix::io::fcntl_getfd(fd)
        .map_err(|e| EngineError::protocol(format!("descriptor {number}: {e}")))?;
    Ok(fd)
}

/// Reads a task and requests from `input`, and replies on `output` until the last request. Returns
/// the exit status: 0 when it replied to all of them or with why it cannot, and 70 when nobody
/// listens.
///
/// The process dies with its parent.
pub fn serve_slices(input: impl Read, mut output: impl Write) -> i32 {
    let ended = whole_cell(&mut BufReader::new(input), &mut output);
    end(say(&mut output, &last(ended)))
}

/// The last reply of a child that lived for a while.
pub fn last(ended: Result<Measurement, EngineError>) -> Reply {
    ended.map_or_else(|error| Reply::Error(error.0), |ended| Reply::Ok(Box::new(ended)))
}

/// Reads the task that comes before everything else.
pub fn first(input: &mut impl BufRead) -> Result<NativeTask, EngineError> {
    let task: NativeTask =
        json::read(&line(input, TASK_LIMIT_BYTES)?).map_err(EngineError::protocol)?;
    die_with(task.parent_pid)?;
    Ok(task)
}

fn whole_cell(
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> Result<Measurement, EngineError> {
    let task = first(input)?;
    if task.profile.is_some() || task.history.is_some() {
        return Err(EngineError::protocol("this task cannot be done in slices"));
    }
    let live = Live::new(task.live_fd.map(borrow).transpose()?);
    measure_slices(&task.job, |job| Target::of_task(&task, job), &live, &mut |measure| {
        converse(input, output, measure)
    })
}

fn converse(
    input: &mut impl BufRead,
    output: &mut impl Write,
    measure: Measure<'_>,
) -> Result<(), EngineError> {
    say(output, &Reply::Ready)?;
    loop {
        let request = line(input, REQUEST_LIMIT_BYTES)?;
        let request: Option<Request> = json::read(&request).map_err(EngineError::protocol)?;
        let Some(request) = request else { return Ok(()) };
        say(output, &Reply::Slice(Box::new(measure(request)?)))?;
    }
}

pub fn line(input: &mut impl BufRead, limit: u64) -> Result<Vec<u8>, EngineError> {
    let mut bytes = Vec::new();
    input.take(limit).read_until(b'\n', &mut bytes).map_err(EngineError::protocol)?;
    match bytes.last() {
        Some(b'\n') => Ok(bytes),
        Some(_) if bytes.len() as u64 == limit => Err(EngineError::protocol("a line is too long")),
        _ => Err(EngineError::protocol("the parent process stopped sending requests")),
    }
}
