//! desktop: small reads while a large file is written.
//!
//! Source: the kernel's Documentation/block/bfq-iosched.rst, which states the same test (start-up
//! and response times while files are written) as what it was made for.

use super::{PartSpec, Spec};
use crate::model::job::{Job, Rw};
use crate::model::workload::Metric::LatencyP99;

/// A thousand reads at 250 a second.
const LEAST_NS: u64 = 4_000_000_000;

/// Half of the bytes are read, half written.
pub const SPEC: Spec = Spec {
    summary: "desktop: small reads while a large file is written",
    lays_out: true,
    parts: &[PartSpec::new(
        "",
        "p99 of 16k reads that arrive while a large file is written",
        LatencyP99,
        Rw::RandRw,
    )
    .timed(LEAST_NS)],
    job,
};

fn job() -> Job {
    let size = crate::model::job::DEFAULT_SIZE_BYTES;
    Job { invalidate: true, ..Job::new(Rw::RandRw, 16 << 10, size) }
}
