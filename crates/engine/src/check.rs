//! Refuses jobs that make no sense before anything is touched.

use bakeoff_model::job::{Data, EngineName, Job, Rw};

use crate::error::EngineError;
use crate::hold;

/// Largest block: the kernel moves at most 2 GiB - 4 KiB in one call.
const BS_MAX: u64 = 1 << 30;
pub const NUMJOBS_MAX: u32 = 1024;
/// Most I/Os in flight for each thread.
const IODEPTH_MAX: u32 = 4096;

pub fn check(job: &Job) -> Result<(), EngineError> {
    let wrong = |message: String| Err(EngineError::invalid(message));
    if job.bs == 0 || job.bs > BS_MAX {
        return wrong(format!("bs is {}: choose 1 byte to 1 GiB", job.bs));
    }
    if job.size < job.bs {
        return wrong(format!("size {} is smaller than bs {}: raise --size", job.size, job.bs));
    }
    if job.numjobs == 0 || job.numjobs > NUMJOBS_MAX {
        return wrong(format!("numjobs is {}: choose 1 to {NUMJOBS_MAX}", job.numjobs));
    }
    if job.iodepth == 0 || job.iodepth > IODEPTH_MAX {
        return wrong(format!("iodepth is {}: choose 1 to {IODEPTH_MAX}", job.iodepth));
    }
    if job.buffer_bytes().is_none_or(|bytes| bytes > isize::MAX as u64) {
        return wrong(
            "bs x iodepth x numjobs exceeds any possible memory: lower one of them".to_string(),
        );
    }
    if job.rwmixread > 100 {
        return wrong(format!("rwmixread is {}: choose 0 to 100", job.rwmixread));
    }
    if job.rate_iops == Some(0) {
        return wrong("rate_iops is 0: choose 1 or more, or omit it".to_string());
    }
    let most_reads = job.rate_iops.filter(|all| job.rw.is_mixed() && *all <= u64::MAX / 2);
    if job.rate_reads.is_some_and(|reads| most_reads.is_none_or(|all| reads > all)) {
        return wrong("rate_reads needs a mix with a higher rate_iops: change one".to_string());
    }
    if job.span_bytes() / job.bs < u64::from(job.numjobs) {
        return wrong(format!(
            "size / bs is {} blocks for {} threads: raise --size or lower --numjobs",
            job.size / job.bs,
            job.numjobs
        ));
    }
    check_offsets(job)?;
    check_verify(job)?;
    if job.rw == Rw::SmallFiles { check_small_files(job) } else { Ok(()) }
}

fn check_offsets(job: &Job) -> Result<(), EngineError> {
    if !job.offsets.fits(job.rw) {
        return Err(EngineError::invalid(format!(
            "--offsets {} cannot be combined with --rw {}: change one of them",
            job.offsets,
            job.rw.name()
        )));
    }
    Ok(())
}

fn check_verify(job: &Job) -> Result<(), EngineError> {
    if job.verify && !job.rw.writes() {
        return Err(EngineError::invalid(format!(
            "verify checks what the job wrote, and {} writes nothing: use it with a write",
            job.rw.name()
        )));
    }
    if job.verify && job.engine == EngineName::Null {
        return Err(EngineError::invalid(
            "verify needs data on the target, and the null engine writes none",
        ));
    }
    Ok(())
}

fn check_small_files(job: &Job) -> Result<(), EngineError> {
    let wrong = |what: &str| {
        Err(EngineError::invalid(format!("smallfiles does not support {what}: omit it")))
    };
    match job {
        Job { iodepth: 2.., .. } => wrong("iodepth"),
        Job { direct: true, .. } => wrong("direct"),
        Job { verify: true, .. } => wrong("verify"),
        Job { rate_iops: Some(_), .. } if !hold::is_held() => wrong("rate_iops"),
        Job { engine: EngineName::Null, .. } => wrong("engines that move no data"),
        Job { fdatasync: 1.., .. } => wrong("fdatasync (fsync syncs each file and the directory)"),
        _ => Ok(()),
    }
}

/// Blocks the job spans; what is left of `size` beyond whole blocks is not touched.
pub fn blocks(job: &Job) -> u64 {
    job.size / job.bs
}

/// Whether lanes keep to their own part of the span: verification has to know who wrote last.
pub fn is_apart(job: &Job) -> bool {
    job.verify && job.rw.writes()
}

pub fn makes_data(job: &Job) -> bool {
    job.rw.writes() && job.data == Data::Random
}

#[cfg(test)]
mod tests {
    use bakeoff_model::job::Offsets;

    use super::*;

    fn job() -> Job {
        Job::new(Rw::Write, 4096, 1 << 20)
    }

    #[test]
    fn nonsense_is_refused_with_the_flag_that_mends_it() {
        let cases = [
            (Job { bs: 0, ..job() }, "bs"),
            (Job { bs: (1 << 30) + 1, size: 1 << 40, ..job() }, "bs"),
            (Job { size: 4095, ..job() }, "--size"),
            (Job { numjobs: 0, ..job() }, "numjobs"),
            (Job { numjobs: 257, ..job() }, "--numjobs"),
            (Job { iodepth: 0, ..job() }, "iodepth"),
            (Job { rwmixread: 101, ..job() }, "rwmixread"),
            (Job { rate_iops: Some(0), ..job() }, "rate_iops"),
            (Job { offsets: Offsets::Zipf { theta_milli: 1200 }, ..job() }, "--rw write"),
            (Job { verify: true, rw: Rw::Read, ..job() }, "verify"),
            (Job { verify: true, engine: EngineName::Null, ..job() }, "null"),
            (Job { rw: Rw::SmallFiles, direct: true, ..job() }, "direct"),
            (Job { rw: Rw::SmallFiles, verify: true, ..job() }, "verify"),
            (Job { rw: Rw::SmallFiles, iodepth: 2, ..job() }, "iodepth"),
        ];
        for (job, word) in cases {
            let error = check(&job).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
        check(&job()).unwrap();
        check(&Job { bs: 1 << 30, size: 1 << 30, ..job() }).unwrap();
        check(&Job { bs: 1, size: 1, ..job() }).unwrap();
    }
}
