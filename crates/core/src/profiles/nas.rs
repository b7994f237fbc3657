//! nas: several people copy large files to and from a server.
//!
//! Source: the access pattern of Samba's and knfsd's large reads and writes (smb.conf(5), `aio read
//! size`; nfs(5), `rsize` and `wsize`, 1 MiB at most).

use super::{PartSpec, Spec};
use crate::model::job::{Job, Rw};
use crate::model::workload::Metric::Bandwidth;

/// Four streams.
pub const SPEC: Spec = Spec {
    summary: "nas: four sequential streams of 1 MiB blocks",
    lays_out: false,
    parts: &[
        PartSpec::new("write", "nas: four large files written at once", Bandwidth, Rw::Write)
            .timed(0),
        PartSpec::new("read", "nas: four large files read at once", Bandwidth, Rw::Read).timed(0),
        PartSpec::new("mixed", "nas: two read while two are written", Bandwidth, Rw::RandRw)
            .timed(0),
    ],
    job,
};

fn job() -> Job {
    let size = crate::model::job::DEFAULT_SIZE_BYTES;
    Job { numjobs: 4, invalidate: true, ..Job::new(Rw::Write, 1 << 20, size) }
}
