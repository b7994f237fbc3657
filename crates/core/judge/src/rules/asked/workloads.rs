//! Rules over one workload, asked for or measured by another tool.

use crate::evidence::observation::{Observation, Source, Zeros};
use crate::evidence::rule::Hit;
use bakeoff_model::job::EngineName;
use bakeoff_model::thresholds;
use bakeoff_stats::units;

pub fn sync_not_timed(of: &Observation) -> Option<Hit> {
    let evidence = match of.unflushed?.bytes {
        Some(bytes) => format!("{} of buffered writes and no flush", units::size(bytes)),
        None => "buffered writes and no flush".to_string(),
    };
    let advice = match (of.source, of.tool) {
        (Source::Ours, _) => {
            "include the flush in the measured time: {end_fsync=true}, or fsync = 16 in a plan"
        }
        (_, tool) if tool.starts_with("dd") => {
            "Run it with conv=fdatasync: part of the data was still in memory."
        }
        (_, tool) if tool.starts_with("iozone") => {
            "Run it with -e: otherwise the measured time does not include data that is still in \
             memory."
        }
        _ => "Run it with --end_fsync=1: part of the data was still in memory.",
    };
    Some(Hit::new(evidence, advice))
}

pub fn dull_data(of: &Observation) -> Option<Hit> {
    let what = match of.zeros? {
        Zeros::All => "all zeros",
        Zeros::Nearly => "nearly all zeros",
    };
    let evidence = format!("the test data is {what}, which compress to almost nothing");
    let advice = match of.source {
        Source::Ours => "use data that does not compress: {data=random}",
        Source::Others => {
            "Measure with data that does not compress: some devices and filesystems compress this \
             data to almost nothing."
        }
    };
    Some(Hit::new(evidence, advice))
}

pub fn fake_random(of: &Observation) -> Option<Hit> {
    let access = of.access.filter(|access| access.is_random)?;
    let blocks = access.file_bytes? / access.block_bytes.max(1);
    let is_fake = access.block_bytes >= thresholds::RANDOM_BLOCK_BYTES;
    (is_fake || blocks < thresholds::RANDOM_BLOCKS).then(|| {
        let evidence = format!(
            "random accesses reach only {blocks} blocks of {}",
            units::size(access.block_bytes)
        );
        let advice = match of.source {
            Source::Ours => "use small blocks and a large file: {bs=4k} {size=1g}",
            Source::Others => "Random access needs many small records: -r 4k and a large -s.",
        };
        Hit::new(evidence, advice)
    })
}

pub fn queue_of_a_plan(of: &Observation) -> Option<Hit> {
    let workload = of.asked?;
    let job = &workload.job;
    let waits = job.engine == EngineName::Psync || !job.direct;
    (job.iodepth > 1 && waits && workload.driver.is_native()).then(|| {
        let how = if job.direct {
            "the engine waits for each request"
        } else {
            "requests go through the page cache"
        };
        let evidence = format!("a depth of {} with {}: {how}", job.iodepth, job.engine.name());
        Hit::new(evidence, "use {engine=io_uring} together with {direct=true}")
    })
}

pub fn tiny_block(of: &Observation) -> Option<Hit> {
    let small =
        of.access.filter(|a| a.is_buffered && a.block_bytes < thresholds::SMALL_BLOCK_BYTES)?;
    let evidence =
        format!("buffered blocks of {} bytes measure the cost of calls", small.block_bytes);
    let advice = match of.source {
        Source::Ours => "use {bs=4k} or more",
        Source::Others => "Below 4 KiB the figure is the cost of a system call: use bs=4k or more.",
    };
    Some(Hit::new(evidence, advice))
}
