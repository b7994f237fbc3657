//! bonnie++: its phases in their order.
//!
//! Source: bonnie++ 1.97 and 2.00a, bonnie++.cpp and zcav's manual page bonnie++(8). Small files
//! are empty, as by default.

use super::{PartSpec, Spec, zeros};
use crate::model::job::Rw;
use crate::model::workload::Metric::{Bandwidth, FilesPerSecond, Iops};

const fn files(word: &'static str, summary: &'static str) -> PartSpec {
    PartSpec::new(word, summary, FilesPerSecond, Rw::SmallFiles)
}

/// `bonnie++ -s SIZE -n 16`.
pub static SPEC: Spec = Spec {
    summary: "bonnie++: a file by byte and by chunk, seeks, and many small files",
    lays_out: false,
    parts: &[
        PartSpec::new("putc", "bonnie++: 3 MiB written byte by byte", Bandwidth, Rw::Write),
        PartSpec::new("block-write", "bonnie++: a file by chunks", Bandwidth, Rw::Write),
        PartSpec::new("rewrite", "bonnie++: read, changed, written back", Bandwidth, Rw::RandRw),
        PartSpec::new("getc", "bonnie++: 3 MiB read byte by byte", Bandwidth, Rw::Read),
        PartSpec::new("block-read", "bonnie++: the file read by chunks", Bandwidth, Rw::Read),
        PartSpec::new(
            "seeks",
            "bonnie++: five threads seek at random, every tenth seek writes",
            Iops,
            Rw::RandRw,
        ),
        files("seq-create", "bonnie++: empty files created in order"),
        files("seq-stat", "bonnie++: stat in the order listed"),
        files("seq-delete", "bonnie++: removed in the order listed"),
        files("random-create", "bonnie++: empty files created with random names"),
        files("random-stat", "bonnie++: stat in random order"),
        files("random-delete", "bonnie++: removed in random order"),
    ],
    job: zeros(Rw::Write, 8 << 10),
};
