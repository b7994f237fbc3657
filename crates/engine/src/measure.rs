//! One cell from start to end: check, prepare, run every lane, add up, verify.

use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::{RwLock, mpsc};
use std::thread;

use bakeoff_core::model::finding::{Finding, Scope, Severity};
use bakeoff_core::model::job::{EngineName, Job, Rw};
use bakeoff_core::model::measurement::Measurement;

use crate::check::check;
use crate::cost::Cost;
use crate::engine::Engine;
use crate::engine::null::Null;
use crate::engine::psync::Psync;
#[cfg(io_uring)]
use crate::engine::uring::{self, Uring};
use crate::error::EngineError;
use crate::lane::{Cell, Lane, Outcome};
use crate::live::Live;
use crate::report::{self, Circumstances};
use crate::smallfiles;
use crate::target::Target;
use crate::usage::Usage;
use crate::verify;

/// Stack of a lane: it calls nothing deep.
const STACK_BYTES: usize = 256 << 10;

/// Does `job` on `target` and says what it took.
///
/// `target` is a regular file, a block device, or for [`Rw::SmallFiles`] a directory, and not a
/// symbolic link. A missing file is created when the job only writes. A regular file grows as it
/// is written and is neither truncated nor removed. `live` gets 16 bytes at offset 0 at most every
/// 100 ms: operations and bytes done so far, little-endian.
///
/// The time limit is looked at between operations: one that hangs in the kernel cannot be given
/// up, the caller has to kill the process for that.
///
/// # Errors
/// One variant for each thing the user can do about it; see [`EngineError`].
pub fn measure(
    job: &Job,
    target: &Path,
    live: Option<BorrowedFd<'_>>,
) -> Result<Measurement, EngineError> {
    check(job)?;
    let live = Live::new(live);
    if job.rw == Rw::SmallFiles {
        return smallfiles::measure(job, target, &live);
    }
    if job.engine == EngineName::Null {
        return measure_null(job, &live);
    }
    let target = Target::find(target, job)?;
    let mut findings = Vec::new();
    #[cfg(io_uring)]
    if job.engine == EngineName::IoUring {
        match uring::try_out() {
            Ok(()) => {
                let around = Around { engine: EngineName::IoUring, depth: job.iodepth, findings };
                return measure_with(job, Some(&target), &live, around, Lane::<Uring>::run_queued);
            }
            Err(error) => {
                let (evidence, advice) = uring::explain(&error);
                findings.push(fall_back(evidence, advice));
            }
        }
    }
    #[cfg(not(io_uring))]
    if job.engine == EngineName::IoUring {
        let evidence = format!("this build for {} has no io_uring", std::env::consts::ARCH);
        findings.push(fall_back(evidence, "choose --engine psync".to_string()));
    }
    if job.iodepth > 1 {
        findings.push(depth_one(job.iodepth));
    }
    let around = Around { engine: EngineName::Psync, depth: 1, findings };
    measure_with(job, Some(&target), &live, around, Lane::<Psync>::run)
}

/// Without I/O, and so without a target: the loop that fits the depth.
fn measure_null(job: &Job, live: &Live) -> Result<Measurement, EngineError> {
    let run = if job.iodepth == 1 { Lane::<Null>::run } else { Lane::<Null>::run_queued };
    let around = Around { engine: EngineName::Null, depth: job.iodepth, findings: Vec::new() };
    measure_with(job, None, live, around, run)
}

/// What was decided before the lanes start.
struct Around {
    engine: EngineName,
    depth: u32,
    findings: Vec<Finding>,
}

fn fall_back(evidence: String, advice: String) -> Finding {
    Finding {
        id: "io_uring-unavailable".to_string(),
        severity: Severity::Warn,
        scope: Scope::Cell,
        workload: None,
        candidate: None,
        evidence: format!("{evidence}; psync was used"),
        advice,
    }
}

fn depth_one(iodepth: u32) -> Finding {
    Finding {
        id: "psync-depth".to_string(),
        severity: Severity::Warn,
        scope: Scope::Cell,
        workload: None,
        candidate: None,
        evidence: format!("psync does one I/O at a time: iodepth {iodepth} had no effect"),
        advice: "use --engine io_uring, or --numjobs for more at a time".to_string(),
    }
}

fn measure_with<'a, E: Engine>(
    job: &'a Job,
    target: Option<&Target>,
    live: &'a Live<'a>,
    around: Around,
    run: fn(Lane<'a, E>) -> Result<Outcome, EngineError>,
) -> Result<Measurement, EngineError> {
    let Around { engine, depth, findings } = around;
    let cost = Cost::measure(job, depth)?;
    let cell = Cell { job, depth, cost, live };
    let (lanes, usage) = run_lanes(job.numjobs, live, |index| {
        let fd = target.map(|target| target.open(job)).transpose()?;
        let lane = Lane::<E>::new(cell, index, fd)?;
        Ok(move || run(lane))
    })?;
    let traces: Vec<_> = lanes.iter().filter_map(|lane| lane.trace).collect();
    let around = Circumstances { engine, usage, cost, findings };
    let mut measurement = report::measurement(job, lanes, around);
    if let Some(target) = target.filter(|_| job.verify) {
        measurement.verified_bytes = Some(verify::verify(job, target, &traces)?);
    }
    Ok(measurement)
}

/// Prepares every lane, starts them together and waits for all. A lane lives in one thread from
/// its preparation on (a ring belongs to the thread that made it); a single one in this thread.
pub fn run_lanes<P, R>(
    numjobs: u32,
    live: &Live,
    prepare: P,
) -> Result<(Vec<Outcome>, Usage), EngineError>
where
    P: Fn(u32) -> Result<R, EngineError> + Sync,
    R: FnOnce() -> Result<Outcome, EngineError>,
{
    if numjobs == 1 {
        let run = prepare(0)?;
        let before = Usage::now();
        let outcome = run()?;
        return Ok((vec![outcome], Usage::now().since(before)));
    }
    let gate = RwLock::new(());
    let closed = gate.write();
    let (ready, all_ready) = mpsc::channel();
    let lane = |index, ready: mpsc::Sender<()>| {
        let run = prepare(index);
        if run.is_err() {
            live.stop();
        }
        drop(ready);
        drop(gate.read());
        if live.should_stop() {
            return run.map(|_| None);
        }
        let outcome = run.and_then(|run| run());
        if outcome.is_err() {
            live.stop();
        }
        outcome.map(Some)
    };
    thread::scope(|scope| {
        let mut threads = Vec::with_capacity(numjobs as usize);
        let mut failure = None;
        for index in 0..numjobs {
            let (lane, ready) = (&lane, ready.clone());
            let thread = thread::Builder::new().stack_size(STACK_BYTES);
            match thread.spawn_scoped(scope, move || lane(index, ready)) {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    live.stop();
                    failure = Some(EngineError::io(format!("starting {numjobs} threads"), error));
                    break;
                }
            }
        }
        drop(ready);
        // Ends when the last lane is prepared, or failed to, and let go of its end.
        let _ = all_ready.recv();
        let before = Usage::now();
        drop(closed);
        let mut outcomes = Vec::with_capacity(numjobs as usize);
        for thread in threads {
            match thread.join() {
                Ok(Ok(outcome)) => outcomes.extend(outcome),
                Ok(Err(error)) => failure = failure.or(Some(error)),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        let usage = Usage::now().since(before);
        failure.map_or(Ok((outcomes, usage)), Err)
    })
}
