//! The options of `bench`: one job in fio's words, without any action.

use std::path::PathBuf;

use bakeoff_model::block_sizes::BlockSizes;
use bakeoff_model::extent::Extent;
use bakeoff_model::job::{Data, EngineName, Mem, Offsets, Rw};
use bakeoff_model::rates::Rates;
use bakeoff_stats::units;
use bakeoff_tools::fio::options::Asked;

use super::{parse_name, parse_word};

#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "fio's other options are accepted, refused with the reason, or reported as having \
                  no effect: see docs/fio.md. A job file (bakeoff bench job.fio) runs as it does \
                  in fio."
)]
pub struct Bench {
    /// Directory (bakeoff creates a scratch file in it), file or block device to measure, or a job
    /// file of fio (default: --filename or --directory)
    pub path: Option<PathBuf>,
    /// Access pattern
    #[arg(long, value_parser = parse_name::<Rw>, default_value = "randread")]
    pub rw: Rw,
    /// Block size; READ,WRITE where they differ
    #[arg(long, default_value = "4k")]
    pub bs: BlockSizes,
    /// Bytes or percent of the file to use (default: the whole file, or 256m of a scratch file)
    #[arg(long)]
    pub size: Option<Extent>,
    /// Bytes that each job transfers, or percent of --size; with --runtime, whichever ends first
    #[arg(long = "io_size", alias = "io-size")]
    pub io_size: Option<Extent>,
    /// Duration
    #[arg(long, value_parser = units::parse_duration_ns)]
    pub runtime: Option<u64>,
    /// Duration of the same load before the measurement
    #[arg(long = "ramp_time", alias = "ramp-time", value_parser = units::parse_duration_ns)]
    pub ramp_time: Option<u64>,
    /// Times to repeat the job, unless --runtime ends it
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub loops: u32,
    /// I/Os in flight per job
    #[arg(long, default_value_t = 1)]
    pub iodepth: u32,
    /// Number of jobs (threads), each with a scratch file of its own, or all on the same --filename
    #[arg(long, default_value_t = 1)]
    pub numjobs: u32,
    /// Bypass the page cache (O_DIRECT)
    #[arg(long, num_args = 0..=1, default_value = "0",
        default_missing_value = "1", value_parser = parse_switch)]
    pub direct: bool,
    /// I/O engine
    #[arg(
        long,
        alias = "ioengine",
        value_parser = parse_name::<EngineName>,
        default_value = "psync"
    )]
    pub engine: EngineName,
    /// Call fsync after this many writes
    #[arg(long, default_value_t = 0)]
    pub fsync: u32,
    /// Call fdatasync after this many writes
    #[arg(long, default_value_t = 0)]
    pub fdatasync: u32,
    /// Call fsync at the end, within the measured time
    #[arg(long = "end_fsync", alias = "end-fsync", num_args = 0..=1, default_value = "0",
        default_missing_value = "1", value_parser = parse_switch)]
    pub end_fsync: bool,
    /// Percentage of reads in randrw and readwrite
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub rwmixread: u8,
    /// Operations per second of each job and direction, regardless of how long each takes (open
    /// loop); READ,WRITE where they differ
    #[arg(long = "rate_iops", alias = "rate-iops")]
    pub rate_iops: Option<Rates>,
    /// Offset distribution of random patterns: uniform, once, zipf:1.2
    #[arg(long, default_value = "uniform")]
    pub offsets: Offsets,
    /// Use the same random offsets each time (0: different ones)
    #[arg(long, num_args = 0..=1, default_value = "1",
        default_missing_value = "1", value_parser = parse_switch)]
    pub randrepeat: bool,
    /// Drop the file from the page cache first (default: only a scratch file)
    #[arg(long, num_args = 0..=1, default_missing_value = "1", value_parser = parse_switch)]
    pub invalidate: Option<bool>,
    /// Contents of the written data
    #[arg(long, value_parser = parse_name::<Data>, default_value = "random")]
    pub data: Data,
    /// Read all written blocks back and check them
    #[arg(long, num_args = 0..=1, default_value = "0",
        default_missing_value = "1", value_parser = parse_switch)]
    pub verify: bool,
    /// Buffer memory
    #[arg(long, value_parser = parse_name::<Mem>, default_value = "auto")]
    pub mem: Mem,
    /// File or block device to measure, as PATH; one that does not exist is a scratch file
    #[arg(long, value_name = "PATH")]
    pub filename: Option<PathBuf>,
    /// Directory for a scratch file, or of --filename
    #[arg(long, value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Run only this section of a job file (repeatable)
    #[arg(long, value_name = "NAME")]
    pub section: Vec<String>,
    /// Refuse to write anything
    #[arg(long, num_args = 0..=1, default_value = "0",
        default_missing_value = "1", value_parser = parse_switch)]
    pub readonly: bool,
    /// Write the result to FILE
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write a scratch file in full before it is written again (fio's --overwrite=1)
    #[arg(long = "lay_out", hide = true, num_args = 0..=1, default_value = "0",
        default_missing_value = "1", value_parser = parse_switch)]
    pub lay_out: bool,
    /// Allow overwriting an existing file
    #[arg(long)]
    pub overwrite: bool,
    /// Erase token of a block device, as printed by `bakeoff devices`
    #[arg(long, value_name = "TOKEN")]
    pub erase: Option<String>,
    /// What was said in words of fio's alone.
    #[arg(skip)]
    pub typed: Asked,
    /// The jobs after it on the same command line.
    #[arg(skip)]
    pub also: Vec<Bench>,
}

fn parse_switch(text: &str) -> Result<bool, String> {
    parse_word(text, &[("0", false), ("1", true)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_near_word_is_suggested() {
        assert!(parse_name::<Rw>("randreed").unwrap_err().contains("'randread'"));
        assert!(parse_name::<EngineName>("iouring").unwrap_err().contains("'io_uring'"));
        assert!(!parse_name::<Rw>("xyz").unwrap_err().contains("mean"));
    }
}
