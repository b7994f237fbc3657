//! fio's words for a job, told to people.

use bakeoff_model::job::{Job, Rw};
use bakeoff_stats::units;

/// One line for people: `4k random writes, each flushed`.
pub(super) fn summary(job: &Job) -> String {
    let bs = match job.bs {
        bytes if bytes < 1024 || !bytes.is_multiple_of(512) => format!("{bytes}-byte"),
        bytes => units::block_size(bytes),
    };
    let mut said = match job.rw {
        Rw::Read => format!("{bs} sequential reads"),
        Rw::Write => format!("{bs} sequential writes to a new file"),
        Rw::RandRead => format!("{bs} random reads"),
        Rw::RandWrite => format!("{bs} random writes"),
        Rw::ReadWrite | Rw::RandRw => {
            let (reads, writes) = (job.rwmixread, 100 - job.rwmixread.min(100));
            let order = if job.rw.is_random() { "random" } else { "sequential" };
            format!("{bs} {order} reads and writes {reads}/{writes}")
        }
        Rw::SmallFiles => format!("{bs} files (create, stat, read, remove)"),
    };
    if job.direct {
        said += " with direct I/O";
    }
    if job.iodepth > 1 {
        said += &format!(", {} in flight", job.iodepth);
    }
    if job.numjobs > 1 {
        said += &format!(", {} threads", job.numjobs);
    }
    if let Some(rate) = job.rate_iops {
        said += &format!(", {rate} per second");
    }
    match (job.rw.writes(), job.fsync.max(job.fdatasync)) {
        (false, _) => {}
        (true, 0) => said += ", flushed at the end",
        (true, 1) => said += ", each flushed",
        (true, n) => {
            let bytes = u64::from(n).saturating_mul(job.bs);
            if bytes >= 1 << 20 {
                said += &format!(", flushed every {}", units::size(bytes))
            } else {
                said += &format!(", flushed every {n} writes")
            }
        }
    }
    said
}
