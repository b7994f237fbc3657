//! The job that the options of `bench` describe, on so many bytes.

use bakeoff_model::job::{Job, NUMJOBS_MAX, Rw};
use bakeoff_stats::units;

use crate::cli::{Bench, Global};
use crate::fault::Fault;
use crate::host;
use crate::planning::new_run::fresh_u64;

const BS_MAX: u64 = 1 << 30;

/// The job on `size` bytes. What fio counts for each of `numjobs`, the engine counts for all.
pub fn job(global: &Global, args: &Bench, size: u64) -> Result<Job, Fault> {
    if args.readonly && args.rw.writes() {
        return Err(Fault::usage(format!(
            "--readonly allows no writes, but --rw={} writes. Omit --readonly, or use another --rw",
            args.rw.name()
        )));
    }
    let rates = args.rate_iops.map(|rates| rates.for_pattern(args.rw)).transpose();
    let (rate_iops, rate_reads) = rates.map_err(Fault::usage)?.unwrap_or_default();
    let of_all = |rate: u64| rate.saturating_mul(args.numjobs.into());
    let repeatable = || if args.randrepeat { 1 } else { fresh_u64() >> 11 };
    let job = Job {
        io_size: io_size(args, size),
        runtime_ns: args.runtime,
        iodepth: args.iodepth,
        numjobs: args.numjobs,
        direct: args.direct,
        engine: args.engine,
        fsync: args.fsync,
        fdatasync: args.fdatasync,
        end_fsync: args.end_fsync,
        rwmixread: args.rwmixread,
        rate_iops: rate_iops.map(of_all),
        rate_reads: rate_reads.map(of_all),
        offsets: args.offsets,
        data: args.data,
        verify: args.verify,
        mem: args.mem,
        seed: global.seed.unwrap_or_else(repeatable),
        ..Job::new(args.rw, args.bs.for_pattern(args.rw).map_err(Fault::usage)?, size)
    };
    check(&job)?;
    Ok(job)
}

/// Bytes of all threads together. Small files are shared out among them, which fio does not have.
fn io_size(args: &Bench, size: u64) -> Option<u64> {
    let asked = args.io_size.map(|extent| extent.in_bytes(size));
    let times = u64::from(args.loops).saturating_mul(args.numjobs.into());
    let each = match args.runtime {
        _ if args.rw == Rw::SmallFiles => return asked,
        None if times > 1 => Some(asked.unwrap_or(size)),
        _ => asked,
    };
    each.map(|bytes| bytes.saturating_mul(times))
}

fn check(job: &Job) -> Result<(), Fault> {
    let zero = [
        ("--bs", job.bs),
        ("--size", job.size),
        ("--io_size", job.io_size.unwrap_or(1)),
        ("--runtime", job.runtime_ns.unwrap_or(1)),
        ("--iodepth", job.iodepth.into()),
        ("--numjobs", job.numjobs.into()),
    ];
    if let Some((name, _)) = zero.iter().find(|(_, value)| *value == 0) {
        return Err(Fault::usage(format!("{name} must be greater than 0")));
    }
    if job.bs > BS_MAX {
        return Err(Fault::usage(format!(
            "--bs {} is larger than the maximum of 1g",
            units::block_size(job.bs)
        )));
    }
    if job.bs > job.size {
        return Err(Fault::usage(format!(
            "--bs {} is larger than --size {}. Reduce --bs or increase --size",
            units::block_size(job.bs),
            units::block_size(job.size)
        )));
    }
    let ram = host::meminfo().total_bytes.unwrap_or(u64::MAX);
    match job.buffer_bytes() {
        Some(bytes) if bytes <= ram / 4 && job.numjobs > NUMJOBS_MAX => {
            let jobs = job.numjobs;
            Err(Fault::usage(format!(
                "--numjobs {jobs} is larger than the maximum of {NUMJOBS_MAX}"
            )))
        }
        Some(bytes) if bytes <= ram / 4 => Ok(()),
        bytes => Err(Fault::usage(format!(
            "bs x iodepth x numjobs is {}, and buffers may use at most a quarter of memory ({}). \
             Lower one of the three",
            bytes.map_or("over 16 EiB".to_string(), units::size),
            units::size(ram / 4)
        ))),
    }
}
