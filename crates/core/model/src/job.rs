//! One measured cell as the load generator sees it, in fio's words.
//!
//! A [`Job`] is everything the engine needs and nothing about candidates, filesystems or verdicts.
//! It travels as JSON to the engine's child process and comes back inside its report, so a stored
//! cell can always be repeated. Source of names: the fio manual, section "Job file parameters".

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::is_default;

pub use super::offsets::Offsets;
pub use super::rw::Rw;

/// Size of the file a workload spans unless the runner chooses another.
pub const DEFAULT_SIZE_BYTES: u64 = 256 << 20;

/// How the native driver does I/O.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum EngineName {
    /// `pread(2)` and `pwrite(2)`, one at a time a thread.
    #[default]
    Psync,
    /// `io_uring(7)`; falls back to `psync`, with a finding, where the kernel lacks it.
    IoUring,
    /// Linux AIO, `io_submit(2)`; falls back to `psync`, with a finding, where the kernel lacks it.
    Libaio,
    /// No I/O at all: measures the generator itself.
    Null,
}

impl EngineName {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Data {
    /// Incompressible and never repeating; every 4 KiB carries its own place.
    #[default]
    Random,
    /// Zeros: what dd writes; compresses to nothing.
    Zero,
}

/// What the I/O buffers are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Mem {
    /// Huge pages where the kernel gives them and they can matter (bs of 64 KiB and more).
    #[default]
    Auto,
    Malloc,
    /// Huge pages asked for with `madvise(2)`.
    Thp,
}

/// One cell's work. Sizes in bytes, times in nanoseconds.
///
/// The job ends at the first of `io_size` and `runtime_ns`, but not before `min_ios` operations,
/// flushes included, are done, and at `time_limit_ns` whatever happened. With neither `io_size`
/// nor `runtime_ns` it does `size` bytes once, as fio does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    pub rw: Rw,
    /// Block size in bytes, 1 to 1 GiB; for [`Rw::SmallFiles`] the size of each file.
    pub bs: u64,
    /// Bytes of the file the offsets span; for [`Rw::SmallFiles`] the bytes of one set of files.
    pub size: u64,
    pub io_size: Option<u64>,
    pub runtime_ns: Option<u64>,
    /// Operations below which `runtime_ns` does not end the job.
    pub min_ios: u64,
    pub time_limit_ns: Option<u64>,
    /// I/Os in flight for each of `numjobs`.
    pub iodepth: u32,
    /// Threads, each with its own part of `io_size` and the whole span of `size`.
    pub numjobs: u32,
    pub direct: bool,
    pub engine: EngineName,
    /// `fsync(2)` after every so many writes; 0 never.
    pub fsync: u32,
    /// `fdatasync(2)` after every so many writes; 0 never.
    pub fdatasync: u32,
    /// One `fsync(2)` at the end, inside the measured time.
    pub end_fsync: bool,
    /// Percent of reads in [`Rw::RandRw`] and [`Rw::ReadWrite`].
    pub rwmixread: u8,
    /// Open loop: operations a second for the whole job; latency counts from the intended start.
    pub rate_iops: Option<u64>,
    /// Of `rate_iops` those that are reads, in a mix with a rate for each direction: reads and
    /// writes then take turns at these rates, whatever `rwmixread` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_reads: Option<u64>,
    pub offsets: Offsets,
    pub data: Data,
    /// After the measured part read everything written back and check every block.
    pub verify: bool,
    /// Of so many stretches of what was written one is checked; 0 = all are.
    #[serde(default, skip_serializing_if = "is_default")]
    pub verify_one_of: u32,
    pub mem: Mem,
    pub seed: u64,
    /// Files a profile spreads its bytes over; 0 = as many as the profile is known for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub nrfiles: u32,
    /// Files of the threads, one each of `size` bytes; 0 = all share one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub own_files: u32,
    /// Before each part of a profile that reads, its files are put out of memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub invalidate: bool,
    /// Parts of a profile that can settle do as much work again before anything counts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub settles: bool,
}

pub const NUMJOBS_MAX: u32 = 4096;

impl Default for Job {
    fn default() -> Job {
        Job::new(Rw::Read, 4096, 4096)
    }
}

impl Job {
    /// Writes a new file of so many bytes in full, and flushes it.
    pub fn filling(size_bytes: u64) -> Job {
        let bs = (1 << 20).min(size_bytes);
        Job { end_fsync: true, ..Job::new(Rw::Write, bs, size_bytes) }
    }

    /// A job with fio's defaults: one thread, depth 1, buffered, no flush, psync.
    pub const fn new(rw: Rw, bs: u64, size: u64) -> Job {
        Job {
            rw,
            bs,
            size,
            io_size: None,
            runtime_ns: None,
            min_ios: 0,
            time_limit_ns: None,
            iodepth: 1,
            numjobs: 1,
            direct: false,
            engine: EngineName::Psync,
            fsync: 0,
            fdatasync: 0,
            end_fsync: false,
            rwmixread: 50,
            rate_iops: None,
            rate_reads: None,
            offsets: Offsets::Uniform,
            data: Data::Random,
            verify: false,
            verify_one_of: 0,
            mem: Mem::Auto,
            seed: 1,
            nrfiles: 0,
            own_files: 0,
            invalidate: false,
            settles: false,
        }
    }

    pub fn span_bytes(&self) -> u64 {
        self.size.saturating_mul(u64::from(self.own_files.max(1)))
    }

    /// Bytes of I/O buffers the job needs: `bs x iodepth x numjobs`; `None` when over 64 bits.
    pub fn buffer_bytes(&self) -> Option<u64> {
        self.bs.checked_mul(self.iodepth.into())?.checked_mul(self.numjobs.into())
    }

    /// Whether the engine can do it in slices. An open loop's arrivals are fixed over its whole
    /// time, so that it cannot be interrupted.
    pub fn can_be_sliced(&self) -> bool {
        self.rate_iops.is_none()
    }

    /// Whether the bytes it writes are flushed inside the measured time.
    pub fn is_durable(&self) -> bool {
        !self.rw.writes() || self.fsync > 0 || self.fdatasync > 0 || self.end_fsync
    }
}
