//! The lanes of a cell: prepared, run at once or in slices, added up and verified.

use bakeoff_model::finding::Finding;
use bakeoff_model::job::{EngineName, Job, Rw};
use bakeoff_model::measurement::Measurement;

use crate::calibrate;
use crate::clock::Clock;
use crate::engine::Engine;
use crate::engine::libaio::Libaio;
use crate::engine::null::Null;
use crate::engine::psync::Psync;
use crate::engine::uring::Uring;
use crate::engine_choice::{as_threads, choose};
use crate::error::EngineError;
use crate::lane::worker::LaneWorker;
use crate::lane::{Cell, Lane, Loop};
use crate::live::Live;
use crate::report::{self, Circumstances, Talk, in_crew};
use crate::smallfiles;
use crate::target::Target;
use crate::verify;

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
    talk: Option<Talk<'_>>,
) -> Result<Measurement, EngineError> {
    if job.rw == Rw::SmallFiles {
        return smallfiles::measure(job, &find(job)?, live, talk);
    }
    if job.engine == EngineName::Null {
        let depth = job.iodepth;
        let work = if depth == 1 { Lane::<Null>::one_by_one } else { Lane::<Null>::queued };
        let (engine, findings) = (job.engine, Vec::new());
        let setup = LaneSetup { engine, depth, in_turns: false, findings };
        return in_lanes((job, None), live, setup, work, talk);
    }
    on_target(job, &find(job)?, live, talk)
}

fn on_target(
    job: &Job,
    target: &Target,
    live: &Live<'_>,
    talk: Option<Talk<'_>>,
) -> Result<Measurement, EngineError> {
    let (engine, findings) = choose(job);
    let setup = LaneSetup { engine, depth: job.iodepth, in_turns: false, findings };
    let on = Some(target);
    match engine {
        EngineName::IoUring => in_lanes((job, on), live, setup, Lane::<Uring>::queued, talk),
        EngineName::Libaio => in_lanes((job, on), live, setup, Lane::<Libaio>::queued, talk),
        EngineName::Psync | EngineName::Null => {
            let threads = as_threads(job);
            let in_turns = threads.numjobs > job.numjobs && job.numjobs == 1;
            let setup = LaneSetup { depth: 1, in_turns, ..setup };
            let work = Lane::<Psync>::one_by_one;
            let measured = in_lanes((&threads, on), live, setup, work, talk)?;
            Ok(Measurement { job: job.clone(), ..measured })
        }
    }
}

fn in_lanes<'a, E: Engine>(
    (job, target): (&'a Job, Option<&Target>),
    live: &'a Live<'a>,
    setup: LaneSetup,
    work: Loop<'a, E>,
    talk: Option<Talk<'_>>,
) -> Result<Measurement, EngineError> {
    let LaneSetup { engine, depth, in_turns, findings } = setup;
    let clock = Clock::find();
    let cost = calibrate::cost(job, depth, clock)?;
    let cell = Cell { job, depth, in_turns, cost, clock, live };
    let lane = |index| {
        let fd = target.map(|target| target.of_lane(index, job.numjobs).open(job)).transpose()?;
        Ok(LaneWorker::new(Lane::<E>::new(cell, index, fd)?, work))
    };
    let (whole, lanes) = in_crew(cell, lane, talk)?;
    let traces: Vec<_> = lanes.iter().filter_map(|lane| lane.trace).collect();
    let circumstances = Circumstances { engine, cost, clock, findings };
    let mut measurement = report::measurement(job, &whole, lanes, circumstances);
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
        let measurement = in_lanes((&threads, Some(&target)), &live, setup, run, None).unwrap();
        assert_eq!(measurement.verified_bytes, Some(41 * 1000));
        assert_eq!(measurement.total_ios(), 3 * 41);
    }
}
