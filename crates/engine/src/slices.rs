//! A cell in slices: prepared once, then a slice for every order, then added up and verified.

use bakeoff_model::job::{Job, Rw};
use bakeoff_model::measurement::Measurement;

use crate::check::check;
use crate::error::EngineError;
use crate::lanes;
use crate::live::Live;
use crate::slice_report::{How, SliceTalk};
use crate::target::Target;

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
    talk: SliceTalk<'_>,
) -> Result<Measurement, EngineError> {
    check(job)?;
    if !job.can_be_sliced() {
        let what = "a job with rate_iops cannot be measured in slices: omit it";
        return Err(EngineError::invalid(what));
    }
    lanes::measure(&as_sliced(job), find, live, How::InSlices(talk))
}
