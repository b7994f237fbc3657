//! One cell from start to end.

use std::os::fd::BorrowedFd;
use std::path::Path;

use bakeoff_model::job::Job;
use bakeoff_model::measurement::Measurement;

use crate::check::check;
use crate::error::EngineError;
use crate::lanes;
use crate::live::Live;
use crate::slice_report::How;
use crate::target::Target;

/// Does `job` on `target` and says what it took.
///
/// `target` is a regular file, a block device, or for small files a directory, and not a
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
    measure_found(job, |job| Target::find(target, job), live)
}

/// The same on what `find` finds.
pub fn measure_found(
    job: &Job,
    find: impl FnOnce(&Job) -> Result<Target, EngineError>,
    live: Option<BorrowedFd<'_>>,
) -> Result<Measurement, EngineError> {
    check(job)?;
    let live = Live::new(live);
    lanes::measure(job, find, &live, How::AtOnce)
}
