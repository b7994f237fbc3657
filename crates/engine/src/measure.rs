//! One cell from start to end, at once or in slices.

use std::os::fd::BorrowedFd;
use std::path::Path;

use bakeoff_model::job::{Job, Rw};
use bakeoff_model::measurement::Measurement;

use crate::check::check;
use crate::error::EngineError;
use crate::lanes;
use crate::live::Live;
use crate::report::Talk;
use crate::target::Target;

/// Does `job` on `target` and says what it took.
///
/// `target` is a regular file, a block device, or for small files a directory, and not a
/// symbolic link. A missing file is created when the job only writes. A regular file grows as it
/// is written and is neither truncated nor removed. `live` gets 16 bytes at offset 0 at most every
/// 100 ms: operations and bytes done so far, little-endian.
///
/// The time limit is checked between operations: the caller has to kill the process of one that
/// hangs in the kernel.
///
/// # Errors
/// One variant for each thing the user can do about it; see [`EngineError`].
pub fn measure(
    job: &Job,
    target: &Path,
    live: Option<BorrowedFd<'_>>,
) -> Result<Measurement, EngineError> {
    measure_found(job, |job| Target::find(target, job), &Live::new(live))
}

/// The same on what `find` finds.
pub fn measure_found(
    job: &Job,
    find: impl FnOnce(&Job) -> Result<Target, EngineError>,
    live: &Live,
) -> Result<Measurement, EngineError> {
    check(job)?;
    lanes::measure(job, find, live, None)
}

/// The job as slices do it: what it wrote is flushed at the end of each, so that the next one,
/// which belongs to another candidate, does not pay for it.
fn as_sliced(job: &Job) -> Job {
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
    if !job.can_be_sliced() {
        let what = "a job with rate_iops cannot be measured in slices: omit it";
        return Err(EngineError::invalid(what));
    }
    lanes::measure(&as_sliced(job), find, live, Some(talk))
}
