//! fio's words for a job: read from a plan, and told to people.

use super::error::PlanError;
use super::read::{Source, Value};
use crate::model::job::{Job, Offsets, Rw};
use crate::units;

/// Sets one of fio's words.
pub(super) fn set_job(
    job: &mut Job,
    source: &Source,
    key: &str,
    value: &Value,
) -> Result<(), PlanError> {
    match key {
        "bs" => job.bs = source.size(key, value)?,
        "io_size" => job.io_size = Some(source.size(key, value)?),
        "runtime" => job.runtime_ns = Some(source.duration_ns(key, value)?),
        "iodepth" => job.iodepth = source.number32(key, value, 1)?,
        "numjobs" => job.numjobs = source.number32(key, value, 1)?,
        "direct" => job.direct = source.switch(key, value)?,
        "engine" => job.engine = source.variant(key, value)?,
        "fsync" => job.fsync = source.number32(key, value, 0)?,
        "fdatasync" => job.fdatasync = source.number32(key, value, 0)?,
        "rwmixread" => {
            let percent = source.number(key, value, 0..=100)?;
            job.rwmixread = u8::try_from(percent).unwrap_or(100);
        }
        "rate_iops" => job.rate_iops = Some(source.number(key, value, 1..=u64::MAX)?),
        "offsets" => {
            let read = source.text(key, value)?.parse::<Offsets>();
            job.offsets = read.map_err(|error| source.error(value.span(), error.to_string()))?;
        }
        "rate_process" => job.rate_process = source.variant(key, value)?,
        "buffer_compress_percentage" => {
            let percent = source.number(key, value, 0..=100)?;
            job.buffer_compress_percentage = u8::try_from(percent).unwrap_or(100);
        }
        "stamps" => job.stamps = source.variant(key, value)?,
        "nrfiles" => job.nrfiles = source.number32(key, value, 1)?,
        "data" => job.data = source.variant(key, value)?,
        "verify" => job.verify = source.switch(key, value)?,
        "mem" => job.mem = source.variant(key, value)?,
        other => debug_assert!(false, "no such key: {other}"),
    }
    Ok(())
}

/// One line for people: `4k random writes, each flushed`.
pub(super) fn summary(job: &Job) -> String {
    let bs = match job.bs {
        bytes @ 0..1024 => format!("{bytes}-byte"),
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
            match bytes >= 1 << 20 {
                true => said += &format!(", flushed every {}", units::size(bytes)),
                false => said += &format!(", flushed every {n} writes"),
            }
        }
    }
    said
}
