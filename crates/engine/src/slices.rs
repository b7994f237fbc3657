//! A cell in slices: prepared once, then a slice for every order, then added up and verified.

use bakeoff_core::model::job::{EngineName, Job, Rw};
use bakeoff_core::model::measurement::Measurement;
use bakeoff_core::tools::native::TargetKind;
use bakeoff_core::tools::native::sliced::OpKind;

use crate::calibrate;
use crate::check::check;
use crate::clock::Clock;
use crate::error::EngineError;
use crate::lane::Cell;
use crate::lanes::{self, How};
use crate::live::Live;
use crate::report::{self, Circumstances};
use crate::slice_report::{Measure, Talk, in_crew};
use crate::smallfiles;
use crate::target::Target;
use crate::usage::Usage;

/// The job as slices do it: what it wrote is flushed at the end of each, so that the next one,
/// which belongs to another candidate, does not pay for it.
pub fn as_sliced(job: &Job) -> Job {
    let leaves_dirty = job.rw != Rw::SmallFiles && !job.is_durable();
    Job { end_fsync: job.end_fsync || leaves_dirty, ..job.clone() }
}

/// Opens what `find` finds, allocates everything, and lets `talk` measure slices of `job`. What is
/// left to know of the cell comes back, without the work of its slices; its job is the one that
/// was done, see [`as_sliced`].
pub fn measure_slices(
    job: &Job,
    find: impl FnOnce(&Job) -> Result<Target, EngineError>,
    live: &Live,
    talk: Talk<'_>,
) -> Result<Measurement, EngineError> {
    check(job)?;
    if !job.can_be_sliced() || job.engine == EngineName::Nop {
        let what = "a job with rate_iops or the nop engine cannot be measured in slices";
        return Err(EngineError::Invalid(format!("{what}: omit both")));
    }
    let job = &as_sliced(job);
    if job.rw == Rw::SmallFiles {
        return in_directory(job, &find(job)?, live, talk);
    }
    if job.engine.is_idle() {
        return lanes::idle(job, live, How::InSlices(talk));
    }
    lanes::on_target(job, &find(job)?, live, How::InSlices(talk))
}

fn in_directory(
    job: &Job,
    target: &Target,
    live: &Live,
    talk: Talk<'_>,
) -> Result<Measurement, EngineError> {
    debug_assert_eq!(target.kind, TargetKind::Directory);
    let clock = Clock::find();
    let cost = calibrate::cost(job, 1, clock)?;
    let cell = Cell { job, depth: 1, in_turns: false, cost, clock, live };
    let prepare = |index| smallfiles::Lane::new(cell, index, target.open_directory()?);
    let mut read_bytes = 0;
    let mut counting = |measure: Measure<'_>| {
        talk(&mut |go| {
            let report = measure(go)?;
            read_bytes += report.totals(OpKind::Read).map_or(0, |read| read.bytes);
            Ok(report)
        })
    };
    let lanes = in_crew(cell, prepare, &mut counting)?;
    let (engine, usage, findings) = (EngineName::Psync, Usage::default(), Vec::new());
    let circumstances = Circumstances { engine, usage, cost, clock, findings };
    let ended = report::measurement(job, lanes, circumstances);
    Ok(Measurement { verified_bytes: job.verify.then_some(read_bytes), ..ended })
}
