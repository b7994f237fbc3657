//! sysbench fileio: all six modes over one set of files.
//!
//! Source: sysbench 1.0.20, src/tests/fileio/sb_fileio.c; for the older figures 0.4.12.

use super::{PartSpec, Spec, zeros};
use crate::model::job::{Job, Rw};
use crate::model::workload::Metric::{Bandwidth, Iops};

/// `sysbench fileio --file-test-mode=MODE run`, mode after mode.
pub static SPEC: Spec = Spec {
    summary: "sysbench fileio: 128 files, all flushed after every 100 requests",
    lays_out: true,
    parts: &[
        PartSpec::new(
            "seqwr",
            "sysbench seqwr: new files written sequentially",
            Bandwidth,
            Rw::Write,
        )
        .timed(0),
        PartSpec::new("seqrewr", "sysbench seqrewr: files written again", Bandwidth, Rw::Write)
            .timed(0),
        PartSpec::new("seqrd", "sysbench seqrd: files read sequentially", Bandwidth, Rw::Read)
            .timed(0),
        PartSpec::new("rndrd", "sysbench rndrd: random reads", Iops, Rw::RandRead).timed(0),
        PartSpec::new("rndwr", "sysbench rndwr: random writes", Iops, Rw::RandWrite).timed(0),
        PartSpec::new("rndrw", "sysbench rndrw: random, 3 reads to 2 writes", Iops, Rw::RandRw)
            .timed(0),
    ],
    job: Job { fsync: 100, ..zeros(Rw::RandRw, 16 << 10) },
};
