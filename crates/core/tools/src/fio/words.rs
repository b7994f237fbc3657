//! The words of fio for a workload.
//!
//! A job's words are fio's own, so most of them go over one to one. Four defaults of fio's are put
//! right: random offsets repeat (bakeoff's `offsets` says when not), the seed is the cell's, data
//! is made anew for each write, and the kernel is not told what comes, which would double its
//! read-ahead. Blocks that are as large as a pool of bakeoff's are made once and marked anew for
//! each write on both sides, see `scramble_buffers`. Source: fio 3.33, HOWTO.

use crate::driver::{Invocation, Reason, Unsupported, Words, amount, file_for};
use bakeoff_model::job::{Data, EngineName, Job, Mem, Offsets, Rw};
use bakeoff_model::workload::Workload;

/// Blocks from this size on hide their repeats from any compressor, so that marks are enough.
const POOL_BYTES: u64 = 1 << 20;

pub(crate) const MODES: &[(Rw, &str)] = &[
    (Rw::Read, ""),
    (Rw::Write, ""),
    (Rw::RandRead, ""),
    (Rw::RandWrite, ""),
    (Rw::ReadWrite, ""),
    (Rw::RandRw, ""),
];

pub(crate) const REFUSES: &[Reason] = &[
    (|job| job.engine == EngineName::Null, "its null engine measures fio itself"),
    (
        |job| !matches!(job.offsets, Offsets::Uniform | Offsets::Once),
        "its other offsets differ from bakeoff's: use a job file",
    ),
    (|job| job.verify, "its verification writes its own headers"),
    (|job| job.mem == Mem::Thp, "it does not support transparent huge pages: omit mem"),
    (
        |job| job.iodepth > 1 && job.engine == EngineName::Psync,
        "iodepth needs engine = \"io_uring\" or \"libaio\"",
    ),
];

pub(crate) fn command(workload: &Workload) -> Result<Invocation, Unsupported> {
    let (job, file) = (&workload.job, file_for("fio", workload.phase)?);
    let mut words = Words::new(&["fio", "--output-format=json"]);
    words.long("name", "bakeoff").long("filename", file);
    words.long("rw", job.rw.name()).long("bs", job.bs).long("size", job.size);
    amounts(&mut words, job);
    manner(&mut words, job);
    Ok(Invocation::new(words, Some(file)))
}

fn amounts(words: &mut Words, job: &Job) {
    let bytes = amount(job);
    if let Some(bytes) = bytes {
        words.long("io_size", bytes);
    }
    if let Some(ns) = job.runtime_ns {
        words.long("runtime", format!("{}ms", ns.div_ceil(1_000_000)));
        // With io_size the first reached ends; time_based would go on to the end of the time.
        if bytes.is_none() {
            words.add(&["--time_based=1"]);
        }
    }
    if let Some(rate) = job.rate_iops {
        words.long("rate_iops", rate.div_ceil(job.numjobs.into()));
    }
}

fn manner(words: &mut Words, job: &Job) {
    words.long("ioengine", job.engine.name()).long("iodepth", job.iodepth);
    words.long("direct", u8::from(job.direct));
    if job.numjobs > 1 {
        words.long("numjobs", job.numjobs).add(&["--group_reporting", "--thread"]);
    }
    for (name, every) in [("fsync", job.fsync), ("fdatasync", job.fdatasync)] {
        if every > 0 {
            words.long(name, every);
        }
    }
    if job.end_fsync {
        words.add(&["--end_fsync=1"]);
    }
    if job.rw.is_mixed() {
        words.long("rwmixread", job.rwmixread);
    }
    if job.rw.is_random() {
        // fio reads a signed number and refuses what does not fit one.
        words.long("randseed", job.seed & i64::MAX as u64);
        if job.offsets == Offsets::Uniform {
            words.add(&["--norandommap=1"]);
        }
    }
    if job.rw.writes() {
        // The file is there already; fio would otherwise lay it out or preallocate it.
        words.add(&["--fallocate=none"]);
        match job.data {
            Data::Zero => words.add(&["--zero_buffers=1"]),
            Data::Random if job.bs >= POOL_BYTES => words.add(&["--scramble_buffers=1"]),
            Data::Random => words.add(&["--refill_buffers=1"]),
        };
    }
    if !job.direct {
        words.add(&["--fadvise_hint=0"]);
    }
}
