//! The sentinel: the same bytes read again and again, whose speed tells whether the device changed.

use bakeoff_model::job::{Job, Rw};
use bakeoff_tools::native::TargetKind;

use crate::load::site::Subject;
use crate::load::{self, LoadError};
use crate::signals::Cancel;

pub const BYTES: u64 = 64 << 20;
const LIMIT_NS: u64 = 120_000_000_000;

/// Reads the first `size_bytes` of a target past the page cache; bytes a second.
pub fn read(
    size_bytes: u64,
    target: impl Into<Subject>,
    kind: TargetKind,
    cancel: &Cancel,
) -> Result<Option<f64>, LoadError> {
    let time_limit_ns = Some(LIMIT_NS);
    let job = Job { direct: true, time_limit_ns, ..Job::new(Rw::Read, 1 << 20, size_bytes) };
    let measured = load::run(&job, target, kind, cancel, &mut |_| {})?;
    Ok(measured.read.map(|read| read.bw_bytes_per_s))
}
