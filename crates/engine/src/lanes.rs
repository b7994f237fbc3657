//! The lanes of a cell: prepared, run at once or in slices, added up and verified.

use bakeoff_model::finding::Finding;
use bakeoff_model::job::{EngineName, Job, Rw};
use bakeoff_model::measurement::Measurement;

use crate::calibrate;
use crate::clock::Clock;
use crate::crew::run_lanes;
use crate::engine::Engine;
use crate::engine::libaio::Libaio;
use crate::engine::null::Null;
use crate::engine::psync::Psync;
use crate::engine::uring::Uring;
use crate::engine_choice::{as_threads, choose};
use crate::error::EngineError;
use crate::lane::sliced::SlicedLane;
use crate::lane::{Cell, Lane, Loop};
use crate::live::Live;
use crate::report::{self, Circumstances};
use crate::slice_report::{How, in_crew};
use crate::smallfiles;
use crate::target::Target;
use crate::usage::Usage;
use crate::verify;
use crate::waiting;

struct LaneSetup {
    engine: EngineName,
    depth: u32,
    in_turns: bool,
    findings: Vec<Finding>,
}

/// Does a job that makes sense, on what `find` finds where it needs a target.
pub fn measure(
    job: &Job,
    find: impl FnOnce(&Job) -> Result<Target, EngineError>,
    live: &Live<'_>,
    how: How<'_>,
) -> Result<Measurement, EngineError> {
    if job.rw == Rw::SmallFiles {
        return smallfiles::measure(job, &find(job)?, live, how);
    }
    if job.engine == EngineName::Null {
        return idle(job, live, how);
    }
    on_target(job, &find(job)?, live, how)
}

fn on_target(
    job: &Job,
    target: &Target,
    live: &Live<'_>,
    how: How<'_>,
) -> Result<Measurement, EngineError> {
    let (engine, findings) = choose(job);
    let setup = LaneSetup { engine, depth: job.iodepth, in_turns: false, findings };
    let on = Some(target);
    match engine {
        EngineName::IoUring => in_lanes((job, on), live, setup, Lane::<Uring>::queued, how),
        EngineName::Libaio => in_lanes((job, on), live, setup, Lane::<Libaio>::queued, how),
        EngineName::Psync | EngineName::Null => {
            let threads = as_threads(job);
            let in_turns = threads.numjobs > job.numjobs && job.numjobs == 1;
            let setup = LaneSetup { depth: 1, in_turns, ..setup };
            let work = Lane::<Psync>::one_by_one;
            let measured = in_lanes((&threads, on), live, setup, work, how)?;
            Ok(Measurement { job: job.clone(), ..measured })
        }
    }
}

/// Does a job without I/O, and so without a target, in the loop that fits the depth.
fn idle(job: &Job, live: &Live<'_>, how: How<'_>) -> Result<Measurement, EngineError> {
    let (engine, depth, findings) = (job.engine, job.iodepth, Vec::new());
    let setup = LaneSetup { engine, depth, in_turns: false, findings };
    let work = if depth == 1 { Lane::<Null>::one_by_one } else { Lane::<Null>::queued };
    in_lanes((job, None), live, setup, work, how)
}

fn in_lanes<'a, E: Engine>(
    (job, target): (&'a Job, Option<&Target>),
    live: &'a Live<'a>,
    setup: LaneSetup,
    work: Loop<'a, E>,
    how: How<'_>,
) -> Result<Measurement, EngineError> {
    let LaneSetup { engine, depth, in_turns, findings } = setup;
    let clock = Clock::find();
    let cost = calibrate::cost(job, depth, clock)?;
    let cell = Cell { job, depth, in_turns, cost, clock, live };
    let lane = |index| {
        let fd = target.map(|target| target.of_lane(index, job.numjobs).open(job)).transpose()?;
        Lane::<E>::new(cell, index, fd)
    };
    let (lanes, usage) = match how {
        How::AtOnce => run_lanes(job.numjobs, live, |index| {
            let lane = lane(index)?;
            Ok(move || waiting::counted(|| lane.whole(work)))
        })?,
        How::InSlices(talk) => {
            let lanes = in_crew(cell, |index| Ok(SlicedLane::new(lane(index)?, work)), talk)?;
            (lanes, Usage::default())
        }
    };
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
        let run = Lane::<Psync>::one_by_one;
        let measurement =
            in_lanes((&threads, Some(&target)), &live, setup, run, How::AtOnce).unwrap();
        assert_eq!(measurement.verified_bytes, Some(41 * 1000));
        assert_eq!(measurement.total_ios(), 3 * 41);
    }
}
