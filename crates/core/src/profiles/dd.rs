//! dd: one file, one block after the other, through the page cache.
//!
//! Source: coreutils, dd.c; the manual, "dd invocation". The figure of dd itself ends before the
//! flush unless it is told otherwise; the honest one beside it never does.

use super::{PartSpec, Spec, zeros};
use crate::model::job::Rw;
use crate::model::workload::Metric::Bandwidth;

/// `dd if=/dev/zero of=FILE bs=1M`, then the file read into /dev/null.
pub static SPEC: Spec = Spec {
    summary: "dd: one file written and read block by block",
    lays_out: false,
    parts: &[
        PartSpec::new(
            "write",
            "dd: a file of zeros written, flushed afterwards",
            Bandwidth,
            Rw::Write,
        ),
        PartSpec::new("fdatasync", "dd conv=fdatasync: a file of zeros", Bandwidth, Rw::Write),
        PartSpec::new("fsync", "dd conv=fsync: a file of zeros", Bandwidth, Rw::Write),
        PartSpec::new("read", "dd: that file read from the drive", Bandwidth, Rw::Read),
    ],
    job: zeros(Rw::Write, 1 << 20),
};
