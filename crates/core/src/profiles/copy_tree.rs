//! copy-tree: a tree of files copied as `rsync -a` does it.
//!
//! Source: rsync(1); rsync 3.2, fileio.c and receiver.c.

use super::{PartSpec, Spec};
use crate::model::job::{Job, Rw};
use crate::model::workload::Metric::FilesPerSecond;

/// Half of the bytes are the source, half the copy.
pub const SPEC: Spec = Spec {
    summary: "copy-tree: files of all sizes copied as rsync does",
    lays_out: true,
    parts: &[PartSpec::new(
        "",
        "files of 1 KiB to 1 MiB copied as rsync does, flushed at the end",
        FilesPerSecond,
        Rw::RandRw,
    )],
    job,
};

/// rsync writes pieces of 32 KiB.
fn job() -> Job {
    let size = crate::model::job::DEFAULT_SIZE_BYTES;
    Job { invalidate: true, ..Job::new(Rw::RandRw, 32 << 10, size) }
}
