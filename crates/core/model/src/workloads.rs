//! The built-in named workloads, in the order in which they are given up when time is short.
//!
//! Templates: the runner fills in the file, its size and the seed. Every writing workload flushes
//! inside the measured time, often enough that no page is written twice in memory before it
//! reaches the drive; otherwise a slow card behind much memory would be measured as memory.

use thiserror::Error;

use crate::job::{DEFAULT_SIZE_BYTES, Job, Rw};
use crate::profile::Profile;
use crate::profiles;
use crate::protocol::Protocol;
use crate::workload::{Metric, Phase, Workload};

const MIB: u64 = 1 << 20;

/// What `quick` measures unless told otherwise, most important first.
pub const QUICK: [&str; 4] = ["randwrite", "seqread", "randread", "seqwrite"];

/// What `demo` measures, most important first.
pub const DEMO: [&str; 5] = ["randwrite", "smallfiles", "randread", "seqread", "seqwrite"];

/// What `quick` measures beside dd and tools that can do as little.
pub const DD: [&str; 2] = ["dd-write", "dd-read"];

/// What `quick` measures beside sysbench: the modes of its fileio that repeat on the same files.
pub const SYSBENCH: [&str; 5] =
    ["sysbench-rndrw", "sysbench-rndrd", "sysbench-rndwr", "sysbench-seqrd", "sysbench-seqwr"];

/// What people read for them: name, in a sentence, as a heading of a column.
pub const IN_WORDS: [(&str, &str, &str); 8] = [
    ("randwrite", "random writes", "rnd writes"),
    ("smallfiles", "small files", "small files"),
    ("randread", "random reads", "rnd reads"),
    ("seqwrite", "sequential writes", "seq writes"),
    ("seqread", "sequential reads", "seq reads"),
    ("randrw", "random reads and writes", "rnd mixed"),
    ("randread1m", "1m random reads", "rnd rd 1m"),
    ("randwrite1m", "1m random writes", "rnd wr 1m"),
];

#[derive(Debug, Error, PartialEq, Eq)]
#[error("there is no workload '{name}'; {hint}")]
pub struct UnknownWorkload {
    pub name: String,
    pub hint: String,
}

/// Every built-in workload, most important first.
pub fn all() -> Vec<Workload> {
    let six = [randwrite(), smallfiles(), seqread(), randread(), seqwrite(), randrw()];
    six.into_iter().chain([randread1m(), randwrite1m()]).collect()
}

/// What dd and sysbench are known for, on one file; reads are past the page cache.
pub fn classic() -> Vec<Workload> {
    let dd = |word: &str, rw: Rw| {
        let job = Job { end_fsync: rw.writes(), ..Job::new(rw, MIB, DEFAULT_SIZE_BYTES) };
        (format!("dd-{word}"), job)
    };
    // It flushes after every hundredth request, reads of the mix among them.
    let sysbench = |word: &str, rw: Rw, fsync: u32| {
        let job = Job::new(rw, 16 << 10, DEFAULT_SIZE_BYTES);
        (format!("sysbench-{word}"), Job { fsync, end_fsync: rw.writes(), rwmixread: 60, ..job })
    };
    let rows = [
        (dd("write", Rw::Write), "1m sequential writes with direct I/O to a new file"),
        (dd("read", Rw::Read), "1m sequential reads with direct I/O"),
        (
            sysbench("seqwr", Rw::Write, 100),
            "16k sequential writes to a new file, flushed every 100",
        ),
        (sysbench("seqrd", Rw::Read, 0), "16k sequential reads with direct I/O"),
        (sysbench("rndrd", Rw::RandRead, 0), "16k random reads with direct I/O"),
        (sysbench("rndwr", Rw::RandWrite, 100), "16k random writes, flushed every 100"),
        (
            sysbench("rndrw", Rw::RandRw, 40),
            "16k direct random reads and writes 60/40, flushed every 40 writes",
        ),
    ];
    let made = |((name, job), summary): ((String, Job), &str)| {
        let direct = job.rw.reads() || job.fsync == 0;
        let job = Job { direct, ..job };
        let (phase, metric) = match job.rw {
            Rw::Read => (Phase::ColdRead, Metric::Bandwidth),
            Rw::RandRead => (Phase::ColdRead, Metric::Iops),
            Rw::Write => (Phase::Append, Metric::Bandwidth),
            Rw::RandWrite | Rw::RandRw | Rw::ReadWrite | Rw::SmallFiles => {
                (Phase::Overwrite, Metric::Iops)
            }
        };
        workload(&name, summary, phase, metric, job)
    };
    rows.into_iter().map(made).collect()
}

pub fn named(name: &str) -> Result<Vec<Workload>, UnknownWorkload> {
    let parts = profiles::find(name);
    if parts.is_empty() { find(name).map(|found| vec![found]) } else { Ok(parts) }
}

pub fn find(name: &str) -> Result<Workload, UnknownWorkload> {
    let all: Vec<Workload> = all().into_iter().chain(classic()).collect();
    if let Some(found) = all.iter().find(|w| w.name == name) {
        return Ok(found.clone());
    }
    let own = all.iter().map(|w| w.name.as_str());
    let names: Vec<&str> = own.chain(Profile::ALL.iter().map(|p| p.name())).collect();
    let hint = bakeoff_stats::phrases::did_you_mean(name, &names);
    Err(UnknownWorkload { name: crate::path::printable(name.as_bytes()), hint })
}

/// The workload with the limits of `protocol` on each of its cells; one that asks for a longer
/// time keeps it.
pub fn with_limits(mut workload: Workload, protocol: &Protocol) -> Workload {
    let asked_ns = workload.job.runtime_ns.unwrap_or(0);
    workload.job.runtime_ns = Some(asked_ns.max(protocol.cell_min_ns));
    workload.job.min_ios = protocol.cell_min_ios;
    workload.job.time_limit_ns = protocol.cell_max_ns;
    workload
}

fn workload(name: &str, summary: &str, phase: Phase, metric: Metric, job: Job) -> Workload {
    Workload::native(name, summary, phase, metric, job)
}

fn randwrite() -> Workload {
    let job = Job { fsync: 1, ..Job::new(Rw::RandWrite, 4096, DEFAULT_SIZE_BYTES) };
    let summary = "4k random writes, each flushed";
    workload("randwrite", summary, Phase::Overwrite, Metric::Iops, job)
}

fn smallfiles() -> Workload {
    // One set is 500 files; each is created, written, synced, looked at, read and removed.
    let job = Job { fsync: 1, ..Job::new(Rw::SmallFiles, 4096, 500 * 4096) };
    let summary = "4k files (create and sync, stat, read, remove)";
    workload("smallfiles", summary, Phase::Metadata, Metric::FilesPerSecond, job)
}

fn seqread() -> Workload {
    let job = Job { direct: true, ..Job::new(Rw::Read, MIB, DEFAULT_SIZE_BYTES) };
    let summary = "1m sequential reads with direct I/O";
    workload("seqread", summary, Phase::ColdRead, Metric::Bandwidth, job)
}

fn randread() -> Workload {
    let job = Job { direct: true, ..Job::new(Rw::RandRead, 4096, DEFAULT_SIZE_BYTES) };
    let summary = "4k random reads with direct I/O, one at a time";
    workload("randread", summary, Phase::ColdRead, Metric::Iops, job)
}

fn seqwrite() -> Workload {
    let mut job = Job::new(Rw::Write, MIB, DEFAULT_SIZE_BYTES);
    job.fsync = 16;
    job.end_fsync = true;
    let summary = "1m sequential writes to a new file, flushed every 16 MiB";
    workload("seqwrite", summary, Phase::Append, Metric::Bandwidth, job)
}

fn randrw() -> Workload {
    let mut job = Job::new(Rw::RandRw, 4096, DEFAULT_SIZE_BYTES);
    job.direct = true;
    job.rwmixread = 70;
    job.fsync = 32;
    job.end_fsync = true;
    let summary = "4k random reads and writes 70/30 with direct I/O, flushed every 32 writes";
    workload("randrw", summary, Phase::Overwrite, Metric::Iops, job)
}

/// With [`randwrite1m`] what reviews of small boards have beside the others.
fn randread1m() -> Workload {
    let job = Job { direct: true, ..Job::new(Rw::RandRead, MIB, DEFAULT_SIZE_BYTES) };
    let summary = "1m random reads with direct I/O, one at a time";
    workload("randread1m", summary, Phase::ColdRead, Metric::Bandwidth, job)
}

fn randwrite1m() -> Workload {
    let mut job = Job::new(Rw::RandWrite, MIB, DEFAULT_SIZE_BYTES);
    job.direct = true;
    job.fsync = 16;
    job.end_fsync = true;
    let summary = "1m random writes with direct I/O, flushed every 16 MiB";
    workload("randwrite1m", summary, Phase::Overwrite, Metric::Bandwidth, job)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Mode;

    #[test]
    fn a_near_name_is_suggested_and_a_far_one_lists_all() {
        let hint = |name| find(name).unwrap_err().to_string();
        assert!(hint("randwrit").contains("'randwrite'"), "{}", hint("randwrit"));
        assert!(hint("SeqRead2").contains("'seqread'"));
        assert!(hint("sqlite-bench").contains("choose from randwrite, smallfiles"));
        assert!(hint("\u{1b}[31m").contains("\\x1b"), "{}", hint("\u{1b}[31m"));
        for name in QUICK.iter().chain(&DEMO).chain(&DD).chain(&SYSBENCH) {
            assert!(find(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn every_write_is_durable_and_every_cell_limited() {
        let protocol = Protocol::for_mode(Mode::Quick, 2);
        for workload in all().into_iter().chain(classic()) {
            let w = with_limits(workload, &protocol);
            assert!(w.job.is_durable(), "{}", w.name);
            assert_eq!(w.job.runtime_ns, Some(2_000_000_000));
            assert_eq!((w.job.min_ios, w.job.time_limit_ns), (50, Some(20_000_000_000)));
            assert!(!w.summary.is_empty() && w.job.size >= w.job.bs);
        }
    }

    #[test]
    fn no_page_is_written_twice_in_memory_before_it_is_flushed() {
        for w in all().iter().filter(|w| w.job.rw == Rw::Write && !w.job.direct) {
            assert!(w.job.fsync > 0 && u64::from(w.job.fsync) * w.job.bs <= w.job.size);
        }
    }
}
