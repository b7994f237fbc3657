//! package-install: packages unpacked as dpkg does it.
//!
//! Source: dpkg 1.21, src/main/archives.c and lib/dpkg/dbmodify.c.

use super::{PartSpec, Spec};
use crate::model::job::{Job, Rw};
use crate::model::workload::Metric::FilesPerSecond;

/// Forty files a package.
pub const SPEC: Spec = Spec {
    summary: "package-install: small files written, flushed and renamed",
    lays_out: false,
    parts: &[PartSpec::new(
        "",
        "packages of 40 small files installed as dpkg does",
        FilesPerSecond,
        Rw::RandWrite,
    )
    .timed(0)],
    job,
};

fn job() -> Job {
    Job::new(Rw::RandWrite, 4 << 10, 16 << 20)
}
