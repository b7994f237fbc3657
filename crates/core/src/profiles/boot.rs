//! boot: many cold small reads.
//!
//! Source: Joo, Ryu, Park and Shin, "FAST: Quick Application Launch on Solid-State Disks", FAST
//! 2011.

use super::{PartSpec, Spec};
use crate::model::job::{Job, Rw};
use crate::model::workload::Metric::Iops;

/// Headers and pieces of files in random order.
pub const SPEC: Spec = Spec {
    summary: "boot: many cold small reads",
    lays_out: true,
    parts: &[PartSpec::new("", "boot: headers and 16k pieces of files, cold", Iops, Rw::RandRead)],
    job,
};

fn job() -> Job {
    let size = crate::model::job::DEFAULT_SIZE_BYTES;
    Job { invalidate: true, ..Job::new(Rw::RandRead, 16 << 10, size) }
}
