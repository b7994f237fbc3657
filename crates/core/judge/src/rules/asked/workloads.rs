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

/// Engines of fio that wait for each request, whatever `iodepth` says. Source: fio manual,
/// "I/O engine".
const SYNCHRONOUS: [&str; 7] = ["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice"];

fn option<'a>(word: &'a str, key: &str) -> Option<&'a str> {
    word.trim_start_matches('-').strip_prefix(key)?.strip_prefix('=')
}

/// A command line of fio that states both depth and engine.
pub fn queue_of_fio(of: &Observation) -> Option<Hit> {
    let result = of.result?;
    let words = result.words().filter(|_| result.is("fio"))?;
    let value = |key: &str| words.iter().rev().find_map(|word| option(word, key));
    let depth: u64 = value("iodepth")?.parse().ok()?;
    let engine = value("ioengine")?;
    let is_buffered = engine == "libaio" && value("direct") != Some("1");
    let how = match () {
        () if SYNCHRONOUS.contains(&engine) => "the engine waits for each request",
        () if is_buffered => "requests go through the page cache",
        () => return None,
    };
    let evidence = format!("a depth of {depth} with {engine}: {how}");
    let advice = "Run it with --ioengine=io_uring --direct=1, or omit --iodepth.";
    (depth > 1).then(|| Hit::new(evidence, advice))
}

const SCORES: [&str; 4] = ["score", "index", "points", "overall"];

pub fn composite_score(of: &Observation) -> Option<Hit> {
    let result = of.result?;
    let is_score = |name: &str| SCORES.contains(&name) || name.ends_with("_score");
    let score = result.metrics.iter().find(|metric| is_score(&metric.name))?;
    let evidence = format!("{} {} combines several measurements", score.name, score.value.as_f64());
    let advice = "Compare the individual figures, workload by workload: import the tool's complete \
                  output with bakeoff import.";
    Some(Hit::new(evidence, advice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::before::{fires, job};
    use crate::rules::tests::imported::ids;
    use bakeoff_model::job::Data;

    #[test]
    fn l13_writes_without_a_flush_and_direct_ones() {
        assert!(fires("L13", &job(|j| j.fsync = 0)) && !fires("L13", &job(|_| {})));
        let direct = job(|j| (j.fsync, j.direct) = (0, true));
        assert!(!fires("L13", &direct), "what is left is the drive's own cache");
    }

    #[test]
    fn a_write_is_judged_by_its_command() {
        let stats = "1073741824 bytes (1.1 GB) copied, 234.011 s, 4.6 MB/s\n";
        let of = |command: &str| ids(&format!("$ {command}\n{stats}"));
        assert_eq!(of("dd if=/dev/zero of=t bs=1M"), ["L13", "L20"]);
        assert_eq!(of("dd if=/dev/zero of=t bs=1M conv=fdatasync,notrunc"), ["L20"]);
        assert_eq!(of("dd if=t of=/dev/null bs=1M"), [""; 0]);
        assert_eq!(of("dd if=t of=/dev/zero bs=1M"), [""; 0]);
        assert_eq!(of("dd if=/dev/zero of=t; sync"), [""; 0], "two programs, one clock: unclear");
        assert_eq!(ids(stats), [""; 0], "no command, no evidence");
    }

    #[test]
    fn l20_zeros_and_data_that_does_not_compress() {
        assert!(fires("L20", &job(|j| j.data = Data::Zero)) && !fires("L20", &job(|_| {})));
    }

    #[test]
    fn l21_blocks_that_are_large_or_few_and_just_enough() {
        assert!(
            fires("L21", &job(|j| j.bs = 1 << 20)) && !fires("L21", &job(|j| j.bs = 512 << 10))
        );
        assert!(fires("L21", &job(|j| j.size = 99 * 4096)));
        assert!(!fires("L21", &job(|j| j.size = 100 * 4096)));
    }

    #[test]
    fn random_access_with_forty_records_is_none() {
        let head = "Command line used: iozone -s 1000m -r 25m -e\n\tOutput is in kBytes/sec\n\
            \u{20}             kB  reclen    write  rewrite    read    reread    read     write\n\
            \u{20}        1024000   25600    10000    10000    18000    18000    18000    10000\n";
        assert_eq!(ids(head), ["L20", "L21", "L28"]);
    }

    #[test]
    fn l30_requests_in_flight_that_wait_for_each_other() {
        let deep = |engine, direct| job(|j| (j.iodepth, j.engine, j.direct) = (32, engine, direct));
        assert!(fires("L30", &deep(EngineName::Psync, true)));
        assert!(fires("L30", &deep(EngineName::IoUring, false)));
        assert!(!fires("L30", &deep(EngineName::IoUring, true)));
    }

    #[test]
    fn l46_one_figure_for_everything_is_a_score_and_a_rate_is_none() {
        let of = |metric: &str| {
            ids(&format!("device,tool,test,metric,value,unit\nstick,script,all,{metric},812,\n"))
        };
        assert_eq!(of("score"), ["L46"]);
        assert_eq!(of("disk_score"), ["L46"]);
        assert_eq!(of("scored_runs"), [""; 0]);
    }
}
