//! One cell from start to end: check, prepare, run every lane, add up, verify.

use std::os::fd::BorrowedFd;
use std::path::Path;

use bakeoff_core::model::finding::{Finding, Scope, Severity};
use bakeoff_core::model::job::{EngineName, Job, Rw};
use bakeoff_core::model::measurement::Measurement;

use crate::calibrate;
use crate::check::{self, check};
use crate::clock::Clock;
use crate::durability::check_recorded;
use crate::engine::Engine;
use crate::engine::libaio::{self, Libaio};
use crate::engine::null::Null;
use crate::engine::psync::Psync;
use crate::engine::uring::{self, Nop, Uring};
use crate::error::EngineError;
use crate::lane::{Cell, Lane, Run};
use crate::live::Live;
use crate::report::{self, Circumstances};
use crate::smallfiles;
use crate::target::{Spot, Target};
use crate::threads::run_lanes;
use crate::verify;

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
    measure_recorded(job, target.into(), live, None)
}

/// The same, with a line in `acks` after every flush: see [`bakeoff_core::model::acks`].
///
/// # Errors
/// Those of [`measure`], and [`EngineError::Invalid`] for a job whose record would tell nothing.
pub fn measure_recorded(
    job: &Job,
    target: Spot<'_>,
    live: Option<BorrowedFd<'_>>,
    acks: Option<BorrowedFd<'_>>,
) -> Result<Measurement, EngineError> {
    check(job)?;
    if acks.is_some() {
        check_recorded(job)?;
    }
    let live = Live::new(live).recording(acks);
    if job.rw == Rw::SmallFiles {
        return smallfiles::measure(job, target, &live);
    }
    match job.engine {
        EngineName::Null => return measure_null(job, &live),
        EngineName::Nop => return measure_nop(job, &live),
        EngineName::Psync | EngineName::IoUring | EngineName::Libaio => {}
    }
    let target = Target::find(target, job)?;
    let target = Some(&target);
    let (engine, findings) = choose(job);
    let (depth, in_turns) = (job.iodepth, false);
    let setup = LaneSetup { engine, depth, in_turns, findings };
    match engine {
        EngineName::IoUring => measure_with(job, target, &live, setup, Lane::<Uring>::queued()),
        EngineName::Libaio => measure_with(job, target, &live, setup, Lane::<Libaio>::queued()),
        EngineName::Psync | EngineName::Null | EngineName::Nop => {
            let threads = as_threads(job);
            let in_turns = threads.numjobs > job.numjobs && job.numjobs == 1;
            let setup = LaneSetup { depth: 1, in_turns, ..setup };
            let run = Lane::<Psync>::immediate();
            let mut measurement = measure_with(&threads, target, &live, setup, run)?;
            measurement.job = job.clone();
            Ok(measurement)
        }
    }
}

/// The job as psync does it. Where many I/Os in flight were asked for of another engine, each has
/// a thread of its own; psync itself does one at a time.
pub fn as_threads(job: &Job) -> Job {
    if job.engine == EngineName::Psync {
        return job.clone();
    }
    let blocks = u32::try_from(check::blocks(job)).unwrap_or(u32::MAX);
    let most = check::NUMJOBS_MAX.min(blocks).max(job.numjobs);
    let numjobs = job.numjobs.saturating_mul(job.iodepth).min(most);
    Job { numjobs, iodepth: 1, ..job.clone() }
}

/// The engine that can be had here, and what has to be said about it.
pub fn choose(job: &Job) -> (EngineName, Vec<Finding>) {
    let mut findings = Vec::new();
    let mut wanted = job.engine;
    if wanted == EngineName::IoUring {
        let Err(error) = uring::try_out() else { return (wanted, findings) };
        // Without O_DIRECT libaio does one I/O at a time too, inside of its call.
        wanted = if job.direct { EngineName::Libaio } else { EngineName::Psync };
        if wanted == EngineName::Libaio && libaio::try_out().is_err() {
            wanted = EngineName::Psync;
        }
        findings.push(fall_back("io_uring-unavailable", wanted, uring::explain(&error)));
    } else if wanted == EngineName::Libaio {
        if let Err(error) = libaio::try_out() {
            wanted = EngineName::Psync;
            findings.push(fall_back("libaio-unavailable", wanted, libaio::explain(&error)));
        } else if !job.direct {
            findings.push(one_by_one("libaio-buffered", job.iodepth, "without --direct libaio"));
        }
    }
    if job.engine == EngineName::Psync && job.iodepth > 1 {
        findings.push(one_by_one("psync-depth", job.iodepth, "psync"));
    }
    (wanted, findings)
}

/// Without I/O, and so without a target: the loop that fits the depth.
fn measure_null<'a>(job: &'a Job, live: &'a Live<'a>) -> Result<Measurement, EngineError> {
    let run = if job.iodepth == 1 { Lane::<Null>::immediate() } else { Lane::<Null>::queued() };
    measure_idle(job, live, run)
}

fn measure_idle<'a, E: Engine>(
    job: &'a Job,
    live: &'a Live<'a>,
    run: Run<'a, E>,
) -> Result<Measurement, EngineError> {
    let (engine, depth, findings) = (job.engine, job.iodepth, Vec::new());
    let setup = LaneSetup { engine, depth, in_turns: false, findings };
    measure_with(job, None, live, setup, run)
}

/// The ring alone. There is nothing to fall back to.
fn measure_nop<'a>(job: &'a Job, live: &'a Live<'a>) -> Result<Measurement, EngineError> {
    if let Err(error) = uring::try_out() {
        let (evidence, advice) = uring::explain(&error);
        return Err(EngineError::Unsupported(format!("{evidence}: {advice}")));
    }
    measure_idle(job, live, Lane::<Nop>::queued())
}

/// What was decided before the lanes start.
pub struct LaneSetup {
    /// Who does it.
    pub engine: EngineName,
    /// I/Os in flight a lane.
    pub depth: u32,
    /// Whether lanes stand for one stream.
    pub in_turns: bool,
    /// What was noticed.
    pub findings: Vec<Finding>,
}

fn warning(id: &str, evidence: String, advice: String) -> Finding {
    Finding {
        id: id.to_string(),
        severity: Severity::Warn,
        scope: Scope::Cell,
        workload: None,
        candidate: None,
        evidence,
        advice,
    }
}

fn fall_back(id: &str, used: EngineName, (evidence, advice): (String, String)) -> Finding {
    let threads = if used == EngineName::Psync { ", a thread for each I/O in flight," } else { "" };
    warning(id, format!("{evidence}; {}{threads} was used", used.name()), advice)
}

fn one_by_one(id: &str, iodepth: u32, who: &str) -> Finding {
    warning(
        id,
        format!("{who} does one I/O at a time: iodepth {iodepth} had no effect"),
        "use the io_uring engine, or a higher numjobs".to_string(),
    )
}

fn measure_with<'a, E: Engine>(
    job: &'a Job,
    target: Option<&Target>,
    live: &'a Live<'a>,
    setup: LaneSetup,
    run: Run<'a, E>,
) -> Result<Measurement, EngineError> {
    let LaneSetup { engine, depth, in_turns, findings } = setup;
    let clock = Clock::find();
    let cost = calibrate::cost(job, depth, clock)?;
    live.record_head(job, in_turns)?;
    let cell = Cell { job, depth, in_turns, cost, clock, live };
    let prepare = |index| {
        let fd = target.map(|target| target.open(job)).transpose()?;
        let lane = Lane::<E>::new(cell, index, fd)?;
        Ok(move || (run.lane)(lane))
    };
    let (lanes, usage) = run_lanes(job.numjobs, live, prepare)?;
    let traces: Vec<_> = lanes.iter().filter_map(|lane| lane.trace).collect();
    let circumstances = Circumstances { engine, usage, cost, clock, findings };
    let mut measurement = report::measurement(job, lanes, circumstances);
    if let Some(target) = target.filter(|_| job.verify) {
        measurement.verified_bytes = Some(verify::verify(job, target, &traces)?);
    }
    Ok(measurement)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_in_place_of_a_queue_write_one_stream() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let job = Job {
            engine: EngineName::IoUring,
            iodepth: 8,
            verify: true,
            io_size: Some(3 * 41 * 1000),
            ..Job::new(Rw::Write, 1000, 41 * 1000)
        };
        let threads = as_threads(&job);
        assert_eq!((threads.numjobs, threads.iodepth), (8, 1));
        let target = Target::find(&path, &threads).unwrap();
        let live = Live::new(None);
        let (engine, findings) = (EngineName::Psync, Vec::new());
        let setup = LaneSetup { engine, depth: 1, in_turns: true, findings };
        let run = Lane::<Psync>::immediate();
        let measurement = measure_with(&threads, Some(&target), &live, setup, run).unwrap();
        assert_eq!(measurement.verified_bytes, Some(41 * 1000));
        assert_eq!(measurement.total_ios(), 3 * 41);
    }

    #[test]
    fn a_short_file_gets_no_more_threads_than_blocks() {
        let job =
            Job { engine: EngineName::Libaio, iodepth: 64, ..Job::new(Rw::Read, 4096, 40960) };
        assert_eq!(as_threads(&job).numjobs, 10);
        let psync = Job { engine: EngineName::Psync, ..job };
        assert_eq!(as_threads(&psync).numjobs, 1, "psync does one I/O at a time, as in fio");
    }
}
