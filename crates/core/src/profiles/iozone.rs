//! iozone: the tests of its single-stream mode, and the mixed one of its throughput mode.
//!
//! Source: iozone.c 3.489 and the documentation at iozone.org. Left out are fwrite and fread, which
//! measure the C library's buffer, and pwritev and preadv, which distributions do not build in.

use super::{PartSpec, Spec, zeros};
use crate::model::job::Rw;
use crate::model::workload::Metric::Bandwidth;

const fn read(word: &'static str, summary: &'static str) -> PartSpec {
    PartSpec::new(word, summary, Bandwidth, Rw::Read)
}

const fn write(word: &'static str, summary: &'static str) -> PartSpec {
    PartSpec::new(word, summary, Bandwidth, Rw::Write)
}

/// `iozone -i 0 -i 1 -i 2 -i 3 -i 4 -i 5 -i 8 -i 9 -i 10`.
pub static SPEC: Spec = Spec {
    summary: "iozone: one file written and read in various orders",
    lays_out: false,
    parts: &[
        write("write", "iozone: a new file written"),
        write("rewrite", "iozone: that file written again"),
        read("read", "iozone: that file read"),
        read("reread", "iozone: that file read again, from memory where it fits"),
        PartSpec::new(
            "random-read",
            "iozone: each record read once, in random order",
            Bandwidth,
            Rw::RandRead,
        ),
        PartSpec::new(
            "random-write",
            "iozone: each record written once, in random order",
            Bandwidth,
            Rw::RandWrite,
        ),
        read("backward-read", "iozone: from the last record to the first"),
        write("record-rewrite", "iozone: the first record written repeatedly"),
        read("stride-read", "iozone: every 17th record"),
        PartSpec::new(
            "mixed",
            "iozone: one thread reads in random order, another writes",
            Bandwidth,
            Rw::RandRw,
        ),
        write("pwrite", "iozone: that file by pwrite"),
        write("repwrite", "iozone: that file by pwrite again"),
        read("pread", "iozone: that file by pread"),
        read("repread", "iozone: by pread again, from memory where it fits"),
    ],
    // Records of 64 KiB, where file sizes above 16 MiB begin in iozone's automatic mode.
    job: zeros(Rw::Write, 64 << 10),
};
